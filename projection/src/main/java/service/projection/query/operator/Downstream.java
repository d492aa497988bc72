package service.projection.query.operator;

import java.util.BitSet;
import service.projection.query.plan.Expressions;
import service.projection.query.vector.Batch;
import service.projection.query.vector.Batches;
import service.projection.query.vector.ExecutionBudget;

/**
 * What comes after an operator in its pipeline.
 *
 * @param batches makes the batches that the operator pushes
 * @param read the slots that later operators read; the operator fills no others
 * @param next takes the operator's batches
 */
public record Downstream(Batches batches, BitSet read, Operator next) {
    public ExecutionBudget budget() {
        return batches.budget();
    }

    /** An empty batch for the operator's rows. */
    public Batch batch() {
        return batches.make();
    }

    /** Whether a later operator reads a slot; false for −1, which is none. */
    public boolean reads(int slot) {
        return slot >= 0 && read.get(slot);
    }

    /** The slots to carry over from the input: those that are read, but for the ones that the operator fills itself. */
    public BitSet carried(int... filled) {
        BitSet carried = (BitSet) read.clone();
        for (int slot : filled) {
            if (slot >= 0) {
                carried.clear(slot);
            }
        }
        return carried;
    }

    int[] slots() {
        return Expressions.array(read);
    }

    public int[] carriedSlots(int... filled) {
        return Expressions.array(carried(filled));
    }
}
