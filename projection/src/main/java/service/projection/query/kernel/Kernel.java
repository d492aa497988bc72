package service.projection.query.kernel;

import service.core.batch.BoolColumn;
import service.core.batch.Column;
import service.projection.query.vector.Batch;

/**
 * An expression compiled to run over batches: it reads columns and fills one. The kernel owns the result column, which
 * is valid until the next evaluation; receivers must not change it.
 */
public abstract class Kernel {
    public abstract Column eval(Batch batch);

    /** The result of an expression of type Bool. */
    public final BoolColumn test(Batch batch) {
        return (BoolColumn) eval(batch);
    }

    /** Whether an evaluation may fail, so that it must not see rows that other operands have decided. */
    boolean canFail() {
        return false;
    }
}
