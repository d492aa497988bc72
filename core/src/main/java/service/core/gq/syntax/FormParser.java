package service.core.gq.syntax;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import service.core.gq.plan.Expression.LoopKind;
import service.core.text.Span;
import service.core.text.TokenKind;
import service.core.text.TokenStream;

/**
 * Parses the forms that make values of other values: {@code case}, lists, records, loops over lists, and the indexes,
 * slices and fields after an atom.
 */
final class FormParser {
    private static final Map<String, LoopKind> QUANTIFIERS =
            Map.of("any", LoopKind.ANY, "all", LoopKind.ALL, "none", LoopKind.NONE);

    private final TokenStream tokens;
    private final ExpressionParser expressions;
    private final CallParser calls;
    private final AtomParser atoms;

    FormParser(TokenStream tokens, ExpressionParser expressions, CallParser calls, AtomParser atoms) {
        this.tokens = tokens;
        this.expressions = expressions;
        this.calls = calls;
        this.atoms = atoms;
    }

    /** {@code case when … then … else … end}, at the first word. */
    ExpressionSyntax choice(Span start) {
        tokens.advance();
        List<ExpressionSyntax.When> whens = new ArrayList<>();
        while (tokens.acceptWord("when")) {
            ExpressionSyntax condition = expressions.or();
            tokens.expectWord("then", "after the condition of `when`");
            whens.add(new ExpressionSyntax.When(condition, expressions.or()));
        }
        ExpressionSyntax otherwise = tokens.acceptWord("else") ? expressions.or() : null;
        if (!tokens.acceptWord("end")) {
            throw tokens.expected(
                    otherwise == null ? "`when`, `else` or `end`" : "`end`",
                    "write `case when $x.n > 9 then \"many\" else \"few\" end`");
        }
        return new ExpressionSyntax.Case(List.copyOf(whens), otherwise, tokens.spanFrom(start));
    }

    /** A list, or {@code [$x in l where e | e2]}. */
    ExpressionSyntax list(Span start) {
        tokens.advance();
        if (tokens.at(TokenKind.RIGHT_BRACKET)) {
            return new ExpressionSyntax.ListOf(calls.items(TokenKind.RIGHT_BRACKET), tokens.spanFrom(start));
        }
        ExpressionSyntax first = expressions.or();
        if (first instanceof ExpressionSyntax.In in
                && !in.negated()
                && in.left() instanceof ExpressionSyntax.Dollar each
                && (tokens.atWord("where") || tokens.at(TokenKind.BAR))) {
            ExpressionSyntax where = tokens.acceptWord("where") ? expressions.or() : null;
            ExpressionSyntax map = tokens.accept(TokenKind.BAR) ? expressions.or() : null;
            tokens.expect(TokenKind.RIGHT_BRACKET, "`]`");
            return new ExpressionSyntax.Loop(LoopKind.LIST, each, in.list(), where, map, tokens.spanFrom(start));
        }
        List<ExpressionSyntax> items = new ArrayList<>();
        items.add(first);
        List<ExpressionSyntax> all = calls.itemsAfter(items, TokenKind.RIGHT_BRACKET);
        return new ExpressionSyntax.ListOf(all, tokens.spanFrom(start));
    }

    /** Whether {@code any(}, {@code all(} or {@code none(} with a variable is at the cursor. */
    boolean isQuantifier() {
        return QUANTIFIERS.containsKey(tokens.tokenText()) && tokens.kind(1) == TokenKind.LEFT_PAREN;
    }

    /** {@code any($x in l where e)}, at the word. */
    ExpressionSyntax quantified(Span start) {
        LoopKind kind = QUANTIFIERS.get(tokens.tokenText());
        String word = tokens.tokenText();
        tokens.advance();
        tokens.advance();
        String remedy = "write `" + word + "($x in $list where $x > 0)`";
        if (!tokens.at(TokenKind.VARIABLE)) {
            throw tokens.expected("a variable after `" + word + "(`", remedy);
        }
        ExpressionSyntax.Dollar each =
                new ExpressionSyntax.Dollar(tokens.tokenText().substring(1), tokens.span());
        tokens.advance();
        if (!tokens.acceptWord("in")) {
            throw tokens.expected("`in` after the variable", remedy);
        }
        ExpressionSyntax list = expressions.sum();
        if (!tokens.acceptWord("where")) {
            throw tokens.expected("`where` after the list", remedy);
        }
        ExpressionSyntax where = expressions.or();
        tokens.expect(TokenKind.RIGHT_PAREN, "`)`");
        return new ExpressionSyntax.Loop(
                kind == null ? LoopKind.ANY : kind, each, list, where, null, tokens.spanFrom(start));
    }

    /** {@code { name: value, … }}. */
    ExpressionSyntax record(Span start) {
        tokens.advance();
        List<ExpressionSyntax.RecordField> fields = new ArrayList<>();
        while (!tokens.accept(TokenKind.RIGHT_BRACE)) {
            if (!fields.isEmpty()) {
                tokens.expect(TokenKind.COMMA, "`,` or `}` after the field");
                if (tokens.accept(TokenKind.RIGHT_BRACE)) {
                    break;
                }
            }
            Span nameSpan = tokens.span();
            if (tokens.at(TokenKind.STRING)) {
                throw tokens.expected("the name of a field", "names stand without quotes: `{name: $x.name}`");
            }
            String name = tokens.expect(TokenKind.NAME, "the name of a field, such as `{name: $x.name}`");
            if (!tokens.accept(TokenKind.COLON)) {
                throw tokens.expected("`:` after `" + name + "`", "write `{" + name + ": $x.name}`");
            }
            fields.add(new ExpressionSyntax.RecordField(name, nameSpan, expressions.or()));
        }
        if (fields.isEmpty()) {
            throw tokens.fail(start, "a record without fields", "write `{name: $x.name}`");
        }
        return new ExpressionSyntax.Struct(List.copyOf(fields), tokens.spanFrom(start));
    }

    /** What may follow an atom: {@code [i]}, {@code [a..b]}, {@code .name}, {@code .@id}. */
    ExpressionSyntax withParts(ExpressionSyntax atom, Span start) {
        ExpressionSyntax whole = atom;
        while (!(whole instanceof ExpressionSyntax.Literal)) {
            if (tokens.at(TokenKind.LEFT_BRACKET)) {
                expressions.countOperator();
                whole = element(whole, start);
            } else if (tokens.at(TokenKind.DOT) && !(whole instanceof ExpressionSyntax.Word)) {
                expressions.countOperator();
                whole = field(whole, start);
            } else {
                break;
            }
        }
        return whole;
    }

    private ExpressionSyntax element(ExpressionSyntax list, Span start) {
        tokens.advance();
        ExpressionSyntax from = tokens.at(TokenKind.RANGE) ? null : expressions.or();
        if (from != null && tokens.accept(TokenKind.RIGHT_BRACKET)) {
            return new ExpressionSyntax.Element(list, from, tokens.spanFrom(start));
        }
        if (!tokens.accept(TokenKind.RANGE)) {
            throw tokens.expected("`]` or `..`", "write `$list[0]` or `$list[0..3]`");
        }
        ExpressionSyntax to = tokens.at(TokenKind.RIGHT_BRACKET) ? null : expressions.or();
        tokens.expect(TokenKind.RIGHT_BRACKET, "`]`");
        return new ExpressionSyntax.Slice(list, from, to, tokens.spanFrom(start));
    }

    private ExpressionSyntax field(ExpressionSyntax subject, Span start) {
        tokens.advance();
        Span nameSpan = tokens.span();
        if (tokens.at(TokenKind.AT_NAME)) {
            ExpressionSyntax.MetaField meta = atoms.meta();
            return new ExpressionSyntax.MetaOf(subject, meta, tokens.spanFrom(start));
        }
        String name = tokens.expect(TokenKind.NAME, "the name of a field after `.`");
        return new ExpressionSyntax.FieldOf(subject, name, nameSpan, tokens.spanFrom(start));
    }
}
