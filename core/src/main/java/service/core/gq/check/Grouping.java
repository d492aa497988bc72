package service.core.gq.check;

import java.util.Map;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Rewrite;

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
            case Expression.SlotRead ignored -> true;
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
        return expression instanceof Expression.Aggregate
                ? expression
                : Rewrite.operands(expression, operand -> settle(operand, columns));
    }
}
