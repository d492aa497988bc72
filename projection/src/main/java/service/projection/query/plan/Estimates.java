package service.projection.query.plan;

import org.jspecify.annotations.Nullable;
import service.core.gq.plan.Expression;

/** Estimates the share of rows that a filter keeps, without an index. */
final class Estimates {
    static final double EQUAL = 0.1;
    static final double RANGE = 0.3;

    /** Items of a list. */
    static final double ITEMS = 5;

    static final double OTHER = 0.5;

    private Estimates() {}

    /**
     * The share of rows that a block keeps.
     *
     * @param matches expected matches of the block for one row
     */
    static double share(double matches, boolean negated) {
        double some = matches / (1 + matches);
        return negated ? 1 - some : some;
    }

    /** @param statistics of the view, null to read none */
    static double selectivity(Expression filter, @Nullable Statistics statistics) {
        return switch (filter) {
            case Expression.Compare compare ->
                switch (compare.operator()) {
                    case EQUAL -> equal(compare, statistics);
                    case NOT_EQUAL -> 1 - equal(compare, statistics);
                    case LESS, LESS_OR_EQUAL, GREATER, GREATER_OR_EQUAL -> RANGE;
                };
            case Expression.TextTest ignored -> EQUAL;
            case Expression.In ignored -> RANGE;
            case Expression.Search ignored -> EQUAL;
            default -> OTHER;
        };
    }

    private static double equal(Expression.Compare compare, @Nullable Statistics statistics) {
        if (compare.left() instanceof Expression.IdOf) {
            return 0.001;
        }
        if (statistics != null
                && compare.left() instanceof Expression.PropertyOf property
                && Expressions.slots(compare.right()).isEmpty()) {
            double distinct = statistics.distinct(property);
            return distinct > 0 ? 1 / distinct : EQUAL;
        }
        return EQUAL;
    }
}
