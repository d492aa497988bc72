package service.projection.query.plan;

import java.util.BitSet;

/**
 * A plan for a part of a pattern: some of its variables bound, some of its traversals followed, and every infallible
 * filter applied whose variables are bound. Sets of slots and traversals are never changed.
 *
 * @param bound slots that its rows hold
 * @param followed traversals by their place in the pattern
 * @param driven whether its rows stem from the outer rows of a block
 * @param cost of all that runs in it, in entities scanned
 */
record PartialPlan(Node node, BitSet bound, BitSet followed, boolean driven, double cost) {
    double rows() {
        return node.rows();
    }

    /** What two plans must agree in to stand for each other. */
    record Reach(BitSet bound, BitSet followed, boolean driven) {}

    Reach reach() {
        return new Reach(bound, followed, driven);
    }

    /** How far the part is: grows with every step. */
    int size() {
        return bound.cardinality() + followed.cardinality();
    }

    boolean overlaps(PartialPlan other) {
        return followed.intersects(other.followed);
    }

    /** Whether the other part holds nothing that this one lacks. */
    boolean covers(PartialPlan other) {
        return Conjunct.isWithin(other.bound, bound) && Conjunct.isWithin(other.followed, followed);
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
}
