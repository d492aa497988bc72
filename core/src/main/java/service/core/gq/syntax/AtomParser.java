package service.core.gq.syntax;

import java.util.Arrays;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import service.core.gq.syntax.ExpressionSyntax.MetaField;
import service.core.text.Span;
import service.core.text.TokenKind;
import service.core.text.TokenStream;
import service.core.value.Value;

/** Parses the atoms of expressions: literals, variables, properties, names and what is in brackets. */
final class AtomParser {
    private static final Map<String, MetaField> META_FIELDS = Arrays.stream(MetaField.values())
            .collect(Collectors.toUnmodifiableMap(MetaField::text, UnaryOperator.identity()));

    private final TokenStream tokens;
    private final Literals literals;
    private final ExpressionParser expressions;
    private final CallParser calls;
    private final FormParser forms;

    AtomParser(TokenStream tokens, Literals literals, ExpressionParser expressions) {
        this.tokens = tokens;
        this.literals = literals;
        this.expressions = expressions;
        this.calls = new CallParser(tokens, literals, expressions);
        this.forms = new FormParser(tokens, expressions, calls, this);
    }

    /** An atom with the indexes and fields after it. The caller bounds the depth. */
    ExpressionSyntax atom() {
        Span start = tokens.span();
        return forms.withParts(bare(start), start);
    }

    private ExpressionSyntax bare(Span start) {
        return switch (tokens.kind()) {
            case INT, FLOAT -> new ExpressionSyntax.Literal(literals.number(false), start);
            case STRING -> new ExpressionSyntax.Literal(new Value.Text(tokens.string("a string")), start);
            case MINUS -> negation(start);
            case VARIABLE -> dollar(start);
            case ANONYMOUS ->
                throw tokens.fail(
                        start,
                        "`$_` is anonymous and cannot be used again",
                        "give the node a name where it is bound, such as `$x`");
            case LEFT_PAREN -> {
                tokens.advance();
                ExpressionSyntax inner = expressions.or();
                if (tokens.at(TokenKind.COMMA)) {
                    throw tokens.expected("`)`", "a list stands in square brackets: `[\"a\", \"b\"]`");
                }
                if (tokens.at(TokenKind.COLON)) {
                    throw tokens.expected("`)`", "a node is bound without parentheses: `$p: Person { name: \"ada\" }`");
                }
                if (tokens.at(TokenKind.NAME) && tokens.kind(1) == TokenKind.VARIABLE) {
                    throw tokens.expected("`)`", "a pattern stands in braces: `exists { $a knows $b }`");
                }
                tokens.expect(TokenKind.RIGHT_PAREN, "`)`");
                yield inner;
            }
            case LEFT_BRACKET -> forms.list(start);
            case LEFT_BRACE -> forms.record(start);
            case AT_NAME -> {
                MetaField field = meta();
                yield new ExpressionSyntax.OwnMeta(field, start);
            }
            case NAME -> word(start);
            case TYPE -> throw misplacedType();
            default ->
                throw tokens.expected(
                        "a value",
                        switch (tokens.kind()) {
                            case EQUAL -> "equality is written with one `=`";
                            case GREATER -> "unequal is written `!=`";
                            case COLON -> "a variable starts with `$`: `$x: Type`";
                            case SEMICOLON -> "clauses and expressions end without `;`";
                            case PLUS -> "a positive number has no sign";
                            case DOT ->
                                tokens.kind(1) == TokenKind.INT ? "a digit stands before the point: `0.5`" : null;
                            case STAR ->
                                tokens.index() > 0 && tokens.tokenText(-1).equals("*")
                                        ? "write `power(2, 3)`"
                                        : "a bare variable is the whole node or edge: `return { $x }`";
                            default -> null;
                        });
        };
    }

    private TokenStream.Mistake misplacedType() {
        return tokens.expected("a value", FunctionNames.hintOfCapital(tokens.tokenText()));
    }

    private ExpressionSyntax negation(Span start) {
        tokens.advance();
        if (tokens.at(TokenKind.INT) || tokens.at(TokenKind.FLOAT)) {
            Value value = literals.number(true);
            return new ExpressionSyntax.Literal(value, tokens.spanFrom(start));
        }
        ExpressionSyntax operand = expressions.signed();
        return new ExpressionSyntax.Negate(operand, tokens.spanFrom(start));
    }

    private ExpressionSyntax dollar(Span start) {
        ExpressionSyntax.Dollar subject =
                new ExpressionSyntax.Dollar(tokens.tokenText().substring(1), start);
        tokens.advance();
        if (!tokens.accept(TokenKind.DOT)) {
            return subject;
        }
        Span nameSpan = tokens.span();
        if (tokens.at(TokenKind.AT_NAME)) {
            MetaField field = meta();
            return new ExpressionSyntax.Meta(subject, field, tokens.spanFrom(start));
        }
        if (!tokens.at(TokenKind.NAME)) {
            throw tokens.expected(
                    "a property name after `$" + subject.name() + ".`",
                    tokens.at(TokenKind.TYPE)
                            ? "property names start with a lower-case letter"
                            : tokens.at(TokenKind.STAR)
                                    ? "the whole node or edge is `$" + subject.name() + "`"
                                    : "such as `$" + subject.name() + ".name` or `$" + subject.name() + ".@id`");
        }
        String name = tokens.tokenText();
        tokens.advance();
        return new ExpressionSyntax.Property(subject, name, nameSpan, tokens.spanFrom(start));
    }

    /** Takes {@code @id} or another word with {@code @}. */
    MetaField meta() {
        MetaField field = META_FIELDS.get(tokens.tokenText());
        if (field == null) {
            throw tokens.fail(
                    tokens.span(),
                    "`" + tokens.tokenText() + "` is not known",
                    "there are `@id`, `@type`, and for edges `@src`, `@dst`, `@src_type` and `@dst_type`");
        }
        tokens.advance();
        return field;
    }

    private ExpressionSyntax word(Span start) {
        String name = tokens.tokenText();
        boolean call = tokens.kind(1) == TokenKind.LEFT_PAREN;
        // A constant is not a function: a parenthesis after it begins the next clause.
        boolean constant = name.equals("true") || name.equals("false") || name.equals("null");
        if (call && !constant) {
            return forms.isQuantifier() ? forms.quantified(start) : calls.call(name, start);
        }
        if (tokens.kind(1) == TokenKind.LEFT_BRACE && (name.equals("count") || name.equals("exists"))) {
            tokens.advance();
            return expressions.blockValue(null, name, start);
        }
        if (name.equals("case") && tokens.wordAhead(1, "when")) {
            return forms.choice(start);
        }
        if (name.equals("case") && ForeignWords.isCase(tokens)) {
            throw tokens.fail(start, "a `case` has conditions only", ForeignWords.CASE);
        }
        if (tokens.kind(1) == TokenKind.DOT && tokens.kind(2) == TokenKind.NAME) {
            throw tokens.expected(
                    "a value", "a variable starts with `$`: write `$" + name + "." + tokens.tokenText(2) + "`");
        }
        tokens.advance();
        return switch (name) {
            case "true" -> new ExpressionSyntax.Literal(new Value.Bool(true), start);
            case "false" -> new ExpressionSyntax.Literal(new Value.Bool(false), start);
            case "null" -> new ExpressionSyntax.Literal(Value.NULL, start);
            default -> new ExpressionSyntax.Word(name, start);
        };
    }
}
