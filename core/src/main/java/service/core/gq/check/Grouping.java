package service.core.gq.check;

import java.util.List;
import java.util.Map;
import service.core.gq.plan.Expression;

/** Checks the expressions of a grouped result and replaces references to the columns of the group. */
final class Grouping {
    private Grouping() {}

    static boolean holdsAggregate(Expression expression) {
        return expression instanceof Expression.Aggregate
                || expression.operands().stream().anyMatch(Grouping::holdsAggregate);
    }

    /** Whether the expression reads from a row outside all aggregates. A group has no single row. */
    static boolean readsRow(Expression expression) {
        return switch (expression) {
            case Expression.Aggregate ignored -> false;
            case Expression.PropertyOf ignored -> true;
            case Expression.IdOf ignored -> true;
            case Expression.TypeOf ignored -> true;
            case Expression.EndOf ignored -> true;
            case Expression.EntityOf ignored -> true;
            case Expression.ValueOf ignored -> true;
            default -> expression.operands().stream().anyMatch(Grouping::readsRow);
        };
    }

    /**
     * The expression with each part that equals a column replaced by a reference to that column, outermost parts first.
     */
    static Expression settle(Expression expression, Map<Expression, Integer> columns) {
        if (expression instanceof Expression.Literal || expression instanceof Expression.Argument) {
            return expression;
        }
        Integer column = columns.get(expression);
        if (column != null) {
            return new Expression.OutputOf(column, expression.type());
        }
        return switch (expression) {
            case Expression.Not e -> new Expression.Not(settle(e.operand(), columns));
            case Expression.And e -> new Expression.And(settle(e.operands(), columns));
            case Expression.Or e -> new Expression.Or(settle(e.operands(), columns));
            case Expression.Compare e ->
                new Expression.Compare(e.operator(), settle(e.left(), columns), settle(e.right(), columns));
            case Expression.TextTest e ->
                new Expression.TextTest(e.operator(), settle(e.left(), columns), settle(e.right(), columns));
            case Expression.In e -> new Expression.In(settle(e.left(), columns), settle(e.list(), columns));
            case Expression.ListOf e -> new Expression.ListOf(settle(e.items(), columns), e.type());
            case Expression.IsNull e -> new Expression.IsNull(settle(e.operand(), columns), e.negated());
            case Expression.Arithmetic e ->
                new Expression.Arithmetic(
                        e.operator(), settle(e.left(), columns), settle(e.right(), columns), e.type(), e.origin());
            case Expression.Negate e -> new Expression.Negate(settle(e.operand(), columns), e.type(), e.origin());
            case Expression.Call e ->
                new Expression.Call(e.function(), settle(e.arguments(), columns), e.type(), e.origin());
            default -> expression;
        };
    }

    private static List<Expression> settle(List<Expression> expressions, Map<Expression, Integer> columns) {
        return expressions.stream()
                .map(expression -> settle(expression, columns))
                .toList();
    }
}
