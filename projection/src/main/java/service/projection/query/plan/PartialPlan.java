package service.projection.query.plan;

import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.gq.plan.Variable;
import service.core.value.EntityKind;

/**
 * A plan for a part of a pattern: it binds some variables, follows some traversals, and applies every filter that
 * cannot fail and whose variables are bound. The sets of slots and traversals must not be changed.
 *
 * @param bound slots that its rows hold
 * @param followed traversals by their index in the pattern
 * @param driven whether its rows come from the outer rows of a block
 * @param cost of the whole plan, in entities scanned
 * @param by the slots of outer rows that it runs once for, see {@link Sharing}; null when each row is an outer row
 */
record PartialPlan(
        Node node,
        BitSet bound,
        BitSet followed,
        boolean driven,
        double cost,
        @Nullable BitSet by) {
    PartialPlan(Node node, BitSet bound, BitSet followed, boolean driven, double cost) {
        this(node, bound, followed, driven, cost, null);
    }

    double rows() {
        return node.rows();
    }

    /** The variables and traversals of a plan. Plans of equal reach can replace each other. */
    record Reach(
            BitSet bound,
            BitSet followed,
            boolean driven,
            @Nullable BitSet by) {}

    Reach reach() {
        return new Reach(bound, followed, driven, by);
    }

    /** Whether it is an edge found by an access path, whose ends must be bound first; outer rows hold them. */
    boolean isLooseEdge(List<Variable> variables) {
        return !driven
                && followed.isEmpty()
                && bound.cardinality() == 1
                && variables.get(bound.nextSetBit(0)).kind() == EntityKind.EDGE;
    }

    /** The size of the part; every step increases it, the join with the outer rows, too. */
    int size() {
        return bound.cardinality() + followed.cardinality() + (by == null ? 1 : 0);
    }

    boolean overlaps(PartialPlan other) {
        return followed.intersects(other.followed);
    }

    /**
     * Whether this part contains the other one. Outer rows are in no part without them, also when it binds the same
     * variables: a join of both finds for all outer rows what is otherwise looked for from each of them.
     */
    boolean covers(PartialPlan other) {
        return !other.driven && Conjunct.isWithin(other.bound, bound) && Conjunct.isWithin(other.followed, followed);
    }

    static BitSet union(BitSet a, BitSet b) {
        BitSet both = (BitSet) a.clone();
        both.or(b);
        return both;
    }

    static BitSet with(BitSet slots, int... more) {
        BitSet all = (BitSet) slots.clone();
        for (int slot : more) {
            all.set(slot);
        }
        return all;
    }

    /** Whether a join with another part keeps this one in memory: the one with fewer rows, but never outer rows. */
    boolean isKeptFor(PartialPlan other) {
        return other.driven || (!driven && rows() < other.rows());
    }

    /**
     * Distinct values of the key of a join with another part, on the side with more of them.
     *
     * @param all that there are at the most
     */
    double keys(PartialPlan other, double all) {
        return Math.max(1, Math.max(Math.min(all, rows()), Math.min(all, other.rows())));
    }
}
