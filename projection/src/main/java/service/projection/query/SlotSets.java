package service.projection.query;

import java.util.BitSet;
import service.projection.query.plan.Node;
import service.projection.query.plan.PlanShape;

/** Sets of slots. The arguments are left as they are. */
final class SlotSets {
    private SlotSets() {}

    /** The slots that a node and its inputs bind. */
    static BitSet bound(Node node) {
        BitSet slots = new BitSet();
        PlanShape.addBound(node, slots);
        return slots;
    }

    static BitSet copy(BitSet slots) {
        return (BitSet) slots.clone();
    }

    static BitSet union(BitSet a, BitSet b) {
        BitSet both = copy(a);
        both.or(b);
        return both;
    }

    /** @param other −1 for none */
    static BitSet with(BitSet slots, int one, int other) {
        BitSet both = copy(slots);
        both.set(one);
        if (other >= 0) {
            both.set(other);
        }
        return both;
    }
}
