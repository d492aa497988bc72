package service.projection.query.kernel;

import service.core.batch.BoolColumn;
import service.core.batch.Column;
import service.projection.query.vector.Batch;

/**
 * An expression compiled to run over batches: it reads columns and fills one. The kernel owns the result column, which
 * is valid until the next evaluation; receivers must not change it.
 */
public abstract class Kernel {
    private final boolean operandCanFail;

    /** @param operands the kernels that it evaluates */
    Kernel(Kernel... operands) {
        this.operandCanFail = anyCanFail(operands);
    }

    /** A loop, because a point read makes a dozen kernels and streams were two percent of its time. */
    private static boolean anyCanFail(Kernel[] kernels) {
        for (Kernel kernel : kernels) {
            if (kernel.canFail()) {
                return true;
            }
        }
        return false;
    }

    public abstract Column eval(Batch batch);

    /** The result of an expression of type Bool. */
    public final BoolColumn test(Batch batch) {
        return (BoolColumn) eval(batch);
    }

    /**
     * Whether an evaluation may fail, so that it must not see rows that other operands have decided: whether that of an
     * operand may, unless the kernel fails by itself.
     */
    boolean canFail() {
        return operandCanFail;
    }
}
