package service.core.gq.plan;

import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * How a traversal with bounds of hops walks: which paths there are, and what is bound of them.
 *
 * @param minHops at least 0
 * @param maxHops at most 64, or {@link #ANY_HOPS}
 * @param rule null when every edge is there
 * @param origin the traversal in the source, for errors
 */
public record Walk(
        int minHops,
        int maxHops,
        Mode mode,
        Slots slots,
        @Nullable Rule rule,
        Expression.Origin origin) {
    /** As many hops as there are. */
    public static final int ANY_HOPS = Integer.MAX_VALUE;

    /** Whether a path shows its cost. */
    public boolean isCosted() {
        return mode == Mode.CHEAPEST || (rule != null && rule.by() != null);
    }

    /** Which paths there are. */
    public enum Mode {
        /** One a pair of ends, with the fewest edges. */
        SHORTEST,
        /** All with the fewest edges. */
        ALL_SHORTEST,
        /** All that repeat no edge. */
        TRAIL,
        /** All that repeat no node. */
        ACYCLIC,
        /** One a pair of ends, of the smallest cost. */
        CHEAPEST;

        /** Whether a pair of ends has one row. */
        public boolean isOneAPair() {
            return this == SHORTEST || this == CHEAPEST;
        }
    }

    /**
     * Where a path is put; −1 for what is not asked for.
     *
     * @param path slot of the whole path
     * @param length slot of the number of its edges, an I64
     * @param cost slot of its cost, an F64
     */
    public record Slots(int path, int length, int cost) {
        /** Of a traversal that binds no path. */
        public static final Slots NONE = new Slots(-1, -1, -1);

        /** Those that are asked for. */
        public List<Integer> asked() {
            return Stream.of(path, length, cost).filter(slot -> slot >= 0).toList();
        }
    }

    /**
     * What makes an edge a step, and what it costs. The three variables are bound for each step in the direction of the
     * path.
     *
     * @param where conditions and blocks over one step; it binds no variable and follows no edge
     * @param by a number; null where each step costs 1. A step whose cost is null or infinite is not there
     */
    public record Rule(
            int source,
            int edge,
            int destination,
            Pattern where,
            @Nullable Expression by) {}
}
