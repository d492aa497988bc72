package service.projection.query.kernel;

import service.core.batch.BoolColumn;
import service.core.batch.Column;
import service.projection.query.vector.Batch;

/**
 * An expression compiled to run over batches: columns in, a column out. The result belongs to the kernel and stands
 * until its next evaluation; receivers do not change it.
 */
public abstract class Kernel {
    public abstract Column eval(Batch batch);

    /** The result of an expression of type Bool. */
    public final BoolColumn test(Batch batch) {
        return (BoolColumn) eval(batch);
    }

    /** Whether an evaluation may end in an error, so that rows already decided must be spared. */
    boolean canFail() {
        return false;
    }
}
