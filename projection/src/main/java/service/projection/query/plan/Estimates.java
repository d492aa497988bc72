package service.projection.query.plan;

import service.core.gq.plan.Expression;

/** Estimates the share of rows that a filter keeps, without an index. */
final class Estimates {
    static final double EQUAL = 0.1;
    static final double RANGE = 0.3;
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

    static double selectivity(Expression filter) {
        return switch (filter) {
            case Expression.Compare compare ->
                switch (compare.operator()) {
                    case EQUAL -> compare.left() instanceof Expression.IdOf ? 0.001 : EQUAL;
                    case NOT_EQUAL -> 1 - EQUAL;
                    case LESS, LESS_OR_EQUAL, GREATER, GREATER_OR_EQUAL -> RANGE;
                };
            case Expression.TextTest ignored -> EQUAL;
            case Expression.In ignored -> RANGE;
            default -> OTHER;
        };
    }
}
