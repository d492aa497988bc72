package service.projection.query.plan;

import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.gq.plan.Expression;

/**
 * What filters say of the order of an entity's id. Filters beyond the first of each side are left to their evaluation.
 *
 * @param low the least id; null when open
 * @param high the greatest id; null when open
 */
record IdBounds(Seek.@Nullable Limit low, Seek.@Nullable Limit high) {
    static IdBounds of(int slot, List<Expression> filters) {
        Seek.Limit low = null;
        Seek.Limit high = null;
        for (Expression filter : filters) {
            ConstantComparison comparison = ConstantComparison.of(filter);
            if (comparison == null || !(comparison.left() instanceof Expression.IdOf id) || id.slot() != slot) {
                continue;
            }
            switch (comparison.operator()) {
                case GREATER -> low = low == null ? limit(comparison, false) : low;
                case GREATER_OR_EQUAL -> low = low == null ? limit(comparison, true) : low;
                case LESS -> high = high == null ? limit(comparison, false) : high;
                case LESS_OR_EQUAL -> high = high == null ? limit(comparison, true) : high;
                case EQUAL, NOT_EQUAL -> {}
            }
        }
        return new IdBounds(low, high);
    }

    private static Seek.Limit limit(ConstantComparison comparison, boolean inclusive) {
        return new Seek.Limit(comparison.constant(), inclusive, null);
    }

    /** How many of the ends are given. */
    int ends() {
        return (low == null ? 0 : 1) + (high == null ? 0 : 1);
    }

    Node.IdRange range(int slot, int type, boolean ordered, int idsMax, double rows) {
        return new Node.IdRange(slot, type, low, high, ordered, idsMax, rows);
    }
}
