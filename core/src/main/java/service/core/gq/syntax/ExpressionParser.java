package service.core.gq.syntax;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import service.core.gq.function.Function;
import service.core.gq.plan.Expression.AggregateFunction;
import service.core.gq.plan.Expression.ArithmeticOperator;
import service.core.gq.plan.Expression.ComparisonOperator;
import service.core.gq.plan.Expression.TextOperator;
import service.core.gq.syntax.ExpressionSyntax.MetaField;
import service.core.gq.syntax.ExpressionSyntax.SearchFunction;
import service.core.text.Span;
import service.core.text.TokenKind;
import service.core.text.TokenStream;
import service.core.value.Value;

/**
 * Parses expressions by recursive descent. Two bounds on the depth keep this parser and all later recursion over the
 * tree from overflowing the stack: brackets and signs nest at most {@link #NESTING_MAX} deep, and one expression holds
 * at most {@link #ARITHMETIC_MAX} arithmetic operators, which nest to the left. {@code and} and {@code or} are flat
 * lists.
 */
final class ExpressionParser {
    static final int NESTING_MAX = 100;
    static final int ARITHMETIC_MAX = 200;

    private static final Map<String, TextOperator> TEXT_OPERATORS = FunctionNames.byLowerName(TextOperator.values());

    private static final Map<String, MetaField> META_FIELDS = Arrays.stream(MetaField.values())
            .collect(Collectors.toUnmodifiableMap(MetaField::text, UnaryOperator.identity()));

    private final TokenStream tokens;
    private final Literals literals;
    private final WordUse words;
    private int nesting;
    private int arithmetic;

    ExpressionParser(TokenStream tokens, Literals literals) {
        this.tokens = tokens;
        this.literals = literals;
        this.words = new WordUse(tokens);
    }

    /** A whole expression. */
    ExpressionSyntax expression() {
        return topLevel(this::or);
    }

    /**
     * A key of {@code order}.
     *
     * @param aliases the names of the columns, which a key may be before its direction
     */
    ExpressionSyntax key(Set<String> aliases) {
        if (words.isAliasAlone(aliases)) {
            Span span = tokens.span();
            String name = tokens.tokenText();
            tokens.advance();
            return new ExpressionSyntax.Word(name, span);
        }
        return expression();
    }

    /** An operand of a comparison. */
    ExpressionSyntax operand() {
        return topLevel(this::sum);
    }

    /** Resets the counters of depth, which a mistake within the last expression may have left above zero. */
    private ExpressionSyntax topLevel(Supplier<ExpressionSyntax> rule) {
        nesting = 0;
        arithmetic = 0;
        return rule.get();
    }

    private ExpressionSyntax or() {
        Span start = tokens.span();
        List<ExpressionSyntax> operands = new ArrayList<>();
        do {
            operands.add(and());
        } while (acceptOperator("or"));
        return operands.size() == 1
                ? operands.getFirst()
                : new ExpressionSyntax.Or(List.copyOf(operands), tokens.spanFrom(start));
    }

    private ExpressionSyntax and() {
        Span start = tokens.span();
        List<ExpressionSyntax> operands = new ArrayList<>();
        do {
            operands.add(unary());
        } while (acceptOperator("and"));
        return operands.size() == 1
                ? operands.getFirst()
                : new ExpressionSyntax.And(List.copyOf(operands), tokens.spanFrom(start));
    }

    private ExpressionSyntax unary() {
        Span start = tokens.span();
        if (tokens.atWord("not") && !words.isOperand(0)) {
            tokens.advance();
            if (tokens.atWord("not") && !words.isOperand(0)) {
                throw tokens.fail(tokens.span(), "`not not`", "leave both out, or put the inner one in brackets");
            }
            return new ExpressionSyntax.Not(comparison(), tokens.spanFrom(start));
        }
        return comparison();
    }

    private ExpressionSyntax comparison() {
        Span start = tokens.span();
        ExpressionSyntax left = sum();
        ComparisonOperator operator = comparisonOperator(tokens.kind());
        if (operator != null) {
            tokens.advance();
            ExpressionSyntax right = sum();
            rejectSecondComparison();
            return new ExpressionSyntax.Compare(operator, left, right, tokens.spanFrom(start));
        }
        if (!tokens.at(TokenKind.NAME) || tokens.kind(1) == TokenKind.COLON) {
            return left;
        }
        TextOperator textOperator = TEXT_OPERATORS.get(tokens.tokenText());
        if (textOperator != null) {
            tokens.advance();
            ExpressionSyntax right = sum();
            rejectSecondComparison();
            return new ExpressionSyntax.TextTest(textOperator, left, right, tokens.spanFrom(start));
        }
        String foreign = ForeignWords.operator(tokens);
        if (foreign != null) {
            throw tokens.fail(tokens.span(), "there is no operator `" + tokens.tokenText() + "`", foreign);
        }
        if (tokens.acceptWord("in")) {
            return new ExpressionSyntax.In(left, false, list(), tokens.spanFrom(start));
        }
        if (tokens.atWord("not") && tokens.wordAhead(1, "in")) {
            tokens.advance();
            tokens.advance();
            return new ExpressionSyntax.In(left, true, list(), tokens.spanFrom(start));
        }
        if (tokens.acceptWord("is")) {
            boolean negated = tokens.acceptWord("not");
            tokens.expectWord("null", "after `is`");
            return new ExpressionSyntax.IsNull(left, negated, tokens.spanFrom(start));
        }
        return left;
    }

    private void rejectSecondComparison() {
        if (comparisonOperator(tokens.kind()) != null) {
            throw tokens.fail(
                    tokens.span(),
                    "comparisons do not chain",
                    "write both and join them with `and`: `1 < $x.n and $x.n < 9`");
        }
    }

    static @Nullable ComparisonOperator comparisonOperator(TokenKind kind) {
        return switch (kind) {
            case EQUAL -> ComparisonOperator.EQUAL;
            case NOT_EQUAL -> ComparisonOperator.NOT_EQUAL;
            case LESS -> ComparisonOperator.LESS;
            case LESS_OR_EQUAL -> ComparisonOperator.LESS_OR_EQUAL;
            case GREATER -> ComparisonOperator.GREATER;
            case GREATER_OR_EQUAL -> ComparisonOperator.GREATER_OR_EQUAL;
            default -> null;
        };
    }

    private ExpressionSyntax list() {
        if (tokens.at(TokenKind.LEFT_BRACKET)) {
            return atom();
        }
        if (tokens.at(TokenKind.VARIABLE) && tokens.kind(1) != TokenKind.DOT) {
            return atom();
        }
        throw tokens.expected(
                "a list or a list parameter after `in`",
                "write `in [\"a\", \"b\"]` or `in $names`; whether a stored list holds a value is asked with"
                        + " `$x.tags contains \"a\"`");
    }

    private ExpressionSyntax sum() {
        Span start = tokens.span();
        ExpressionSyntax left = product();
        while (true) {
            ArithmeticOperator operator = switch (tokens.kind()) {
                case PLUS -> ArithmeticOperator.ADD;
                case MINUS -> ArithmeticOperator.SUBTRACT;
                default -> null;
            };
            if (tokens.at(TokenKind.BAR) && tokens.kind(1) == TokenKind.BAR) {
                throw tokens.fail(tokens.span(), "there is no operator `||`", ForeignWords.JOINED);
            }
            if (operator == null) {
                return left;
            }
            countArithmetic();
            tokens.advance();
            left = new ExpressionSyntax.Arithmetic(operator, left, product(), tokens.spanFrom(start));
        }
    }

    private ExpressionSyntax product() {
        Span start = tokens.span();
        ExpressionSyntax left = atom();
        while (true) {
            ArithmeticOperator operator = switch (tokens.kind()) {
                case STAR -> ArithmeticOperator.MULTIPLY;
                case SLASH -> ArithmeticOperator.DIVIDE;
                case PERCENT -> ArithmeticOperator.REMAINDER;
                default -> null;
            };
            if (operator == null) {
                return left;
            }
            countArithmetic();
            tokens.advance();
            left = new ExpressionSyntax.Arithmetic(operator, left, atom(), tokens.spanFrom(start));
        }
    }

    private void countArithmetic() {
        if (++arithmetic > ARITHMETIC_MAX) {
            throw tokens.fail(
                    tokens.span(),
                    "the expression holds more than " + ARITHMETIC_MAX + " arithmetic operators",
                    "compute part of it beforehand and pass it as a parameter");
        }
    }

    private ExpressionSyntax atom() {
        if (nesting >= NESTING_MAX) {
            throw tokens.fail(
                    tokens.span(),
                    "the expression nests deeper than " + NESTING_MAX + " levels",
                    "remove brackets that are not needed, or split it");
        }
        nesting++;
        ExpressionSyntax atom = atomAtDepth();
        nesting--;
        return atom;
    }

    private ExpressionSyntax atomAtDepth() {
        Span start = tokens.span();
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
                ExpressionSyntax inner = or();
                tokens.expect(TokenKind.RIGHT_PAREN, "`)`");
                yield inner;
            }
            case LEFT_BRACKET -> {
                tokens.advance();
                List<ExpressionSyntax> items = items(TokenKind.RIGHT_BRACKET, this::or);
                yield new ExpressionSyntax.ListOf(items, tokens.spanFrom(start));
            }
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
        ExpressionSyntax operand = atom();
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
                            : "such as `$" + subject.name() + ".name` or `$" + subject.name() + ".@id`");
        }
        String name = tokens.tokenText();
        tokens.advance();
        return new ExpressionSyntax.Property(subject, name, nameSpan, tokens.spanFrom(start));
    }

    private MetaField meta() {
        MetaField field = META_FIELDS.get(tokens.tokenText());
        if (field == null) {
            throw tokens.fail(
                    tokens.span(),
                    "`" + tokens.tokenText() + "` is not known",
                    "there are `@id`, `@type`, and for edges `@src` and `@dst`");
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
            return call(name, start);
        }
        if (name.equals("case") && tokens.kind(1) != TokenKind.RIGHT_BRACE && ForeignWords.isCase(tokens)) {
            throw tokens.fail(start, "there is no `case`", ForeignWords.CASE);
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

    private ExpressionSyntax call(String name, Span start) {
        AggregateFunction aggregate = FunctionNames.AGGREGATES.get(name);
        if (aggregate != null) {
            tokens.advance();
            tokens.advance();
            boolean distinct = tokens.atWord("distinct") && tokens.kind(1) != TokenKind.RIGHT_PAREN;
            if (distinct) {
                tokens.advance();
            }
            ExpressionSyntax operand;
            if (aggregate == AggregateFunction.COUNT
                    && !distinct
                    && tokens.at(TokenKind.STAR)
                    && tokens.kind(1) == TokenKind.RIGHT_PAREN) {
                operand = new ExpressionSyntax.Literal(new Value.Bool(true), tokens.span());
                tokens.advance();
            } else {
                rejectEmptyAggregate(name);
                operand = or();
            }
            tokens.expect(TokenKind.RIGHT_PAREN, "`)` after the argument of `" + name + "`");
            return new ExpressionSyntax.Aggregate(aggregate, distinct, operand, tokens.spanFrom(start));
        }
        Function function = Function.named(name);
        SearchFunction search = FunctionNames.SEARCHES.get(name);
        if (function == null && search == null) {
            throw tokens.fail(start, "there is no function `" + name + "`", FunctionNames.hint(name));
        }
        tokens.advance();
        tokens.advance();
        List<ExpressionSyntax> arguments = items(TokenKind.RIGHT_PAREN, this::or);
        Span span = tokens.spanFrom(start);
        if (search != null) {
            return new ExpressionSyntax.Search(search, arguments, span);
        }
        boolean calendar = function == Function.DATE || function == Function.DATETIME;
        if (calendar
                && arguments.size() == 1
                && arguments.getFirst() instanceof ExpressionSyntax.Literal literal
                && literal.value() instanceof Value.Text text) {
            boolean withTime = function == Function.DATETIME;
            return new ExpressionSyntax.Literal(literals.calendar(withTime, text.value(), literal.span()), span);
        }
        return new ExpressionSyntax.Call(Objects.requireNonNull(function), arguments, span);
    }

    private void rejectEmptyAggregate(String name) {
        boolean star = tokens.at(TokenKind.STAR);
        if (star || tokens.at(TokenKind.RIGHT_PAREN)) {
            String hint = star && name.equals("count")
                    ? "`count(*)` counts rows, `count(distinct $x)` different entities or values"
                    : "name a variable or a property: `" + name + "($x)` counts or folds over its rows";
            throw tokens.expected("what `" + name + "` runs over", hint);
        }
    }

    private List<ExpressionSyntax> items(TokenKind close, Supplier<ExpressionSyntax> rule) {
        List<ExpressionSyntax> items = new ArrayList<>();
        while (!tokens.accept(close)) {
            if (!items.isEmpty()) {
                tokens.expect(TokenKind.COMMA, "`,` or `" + close.sign() + "`");
                if (tokens.accept(close)) {
                    break;
                }
            }
            items.add(rule.get());
        }
        return List.copyOf(items);
    }

    /** Takes a joining word, unless it is the name of the next field in a list of assignments. */
    private boolean acceptOperator(String word) {
        return tokens.kind(1) != TokenKind.COLON && tokens.acceptWord(word);
    }
}
