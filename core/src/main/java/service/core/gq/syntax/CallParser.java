package service.core.gq.syntax;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import service.core.gq.function.Function;
import service.core.gq.plan.Expression.AggregateFunction;
import service.core.gq.plan.SearchFunction;
import service.core.text.Span;
import service.core.text.TokenKind;
import service.core.text.TokenStream;
import service.core.value.Value;

/** Parses calls of functions, of aggregates and of search. */
final class CallParser {
    private final TokenStream tokens;
    private final Literals literals;
    private final ExpressionParser expressions;
    private final RefinementParser refinements;

    CallParser(TokenStream tokens, Literals literals, ExpressionParser expressions) {
        this.tokens = tokens;
        this.literals = literals;
        this.expressions = expressions;
        this.refinements = new RefinementParser(tokens, expressions::or, expressions::sum);
    }

    /** The call of a function or an aggregate; its name is the current word. */
    ExpressionSyntax call(String name, Span start) {
        AggregateFunction aggregate = FunctionNames.AGGREGATES.get(name);
        if (aggregate != null) {
            return aggregate(aggregate, name, start);
        }
        Function function = Function.named(name);
        SearchFunction search = FunctionNames.SEARCHES.get(name);
        if (function == null && search == null) {
            throw tokens.fail(start, "there is no function `" + name + "`", FunctionNames.hint(name));
        }
        tokens.advance();
        tokens.advance();
        List<ExpressionSyntax> arguments = items(TokenKind.RIGHT_PAREN);
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

    private ExpressionSyntax aggregate(AggregateFunction aggregate, String name, Span start) {
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
                && (tokens.kind(1) == TokenKind.RIGHT_PAREN || tokens.wordAhead(1, "where"))) {
            operand = new ExpressionSyntax.Literal(new Value.Bool(true), tokens.span());
            tokens.advance();
        } else {
            rejectEmptyAggregate(name);
            operand = expressions.or();
        }
        ExpressionSyntax.Refinement refinement = refinements.refinement(aggregate);
        boolean isExtreme = aggregate == AggregateFunction.MIN || aggregate == AggregateFunction.MAX;
        if (isExtreme && tokens.at(TokenKind.COMMA)) {
            throw tokens.expected(
                    "`)` after the argument of `" + name + "`",
                    "`" + name + "` is over rows; of several values write `"
                            + (aggregate == AggregateFunction.MAX ? "greatest" : "least") + "(…)`");
        }
        tokens.expect(TokenKind.RIGHT_PAREN, "`)` after the argument of `" + name + "`");
        var whole = new ExpressionSyntax.Aggregate(aggregate, distinct, operand, refinement, tokens.spanFrom(start));
        return tokens.at(TokenKind.LEFT_BRACE) ? expressions.blockValue(whole, name, start) : whole;
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

    /** Expressions up to a closing bracket, separated by commas. */
    List<ExpressionSyntax> items(TokenKind close) {
        return itemsAfter(new ArrayList<>(), close);
    }

    /** The same after the first of them. */
    List<ExpressionSyntax> itemsAfter(List<ExpressionSyntax> items, TokenKind close) {
        while (!tokens.accept(close)) {
            if (!items.isEmpty()) {
                if (!tokens.accept(TokenKind.COMMA)) {
                    throw tokens.expected(
                            "`,` or `" + close.sign() + "`",
                            close == TokenKind.RIGHT_BRACKET
                                    ? "a list of what another holds is `[$x in $list where $x > 1 | $x + 1]`"
                                    : null);
                }
                if (tokens.accept(close)) {
                    break;
                }
            }
            items.add(expressions.or());
        }
        return List.copyOf(items);
    }
}
