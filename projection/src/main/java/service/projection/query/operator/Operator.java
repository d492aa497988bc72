package service.projection.query.operator;

import service.projection.query.vector.Batch;

/**
 * A step of a pipeline. Batches are pushed from the source to the sink; an operator keeps its own output columns and
 * reuses them, so it allocates nothing per batch.
 */
public abstract class Operator {
    /** Takes a batch; false when no further rows are wanted. */
    public abstract boolean push(Batch batch);

    /** No more batches for now: emits what is held back. In a block, called after every outer batch. */
    public abstract void finish();
}
