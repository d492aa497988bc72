package service.projection.query.operator;

import service.core.batch.BoolColumn;
import service.core.batch.Column;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.projection.query.kernel.Kernel;
import service.projection.query.vector.Batch;

/**
 * Keeps rows for which every conjunct is true. Conjuncts are evaluated in order, each over the rows that the previous
 * ones kept. Few surviving rows are gathered into fuller batches, unless downstream needs rows early.
 *
 * <p>A row on which a conjunct fails, for example by a division by zero, is an error only if no other conjunct drops
 * it. Only batches with such a row are evaluated row by row.
 */
public final class FilterOperator extends Operator {
    /** Number of surviving rows from which a batch is pushed without gathering. */
    private static final int WORTHWHILE = 256;

    private final Kernel[] conjuncts;
    private final int[][] liveAfter;

    /** Hold the rows that a conjunct keeps, in turn. */
    private final Batch[] kept;

    private final Batch pending;
    private final Downstream down;
    private final int[] liveIn;
    private final int[] liveOut;
    private final boolean early;
    private final boolean tentative;
    private final Operator next;
    private final int[] rows;

    /**
     * @param liveIn slots that are read here or downstream
     * @param liveAfter for each conjunct the slots that later conjuncts or downstream operators read
     * @param early whether to push surviving rows without gathering
     * @param tentative whether to keep the rows of a batch on which a conjunct fails
     */
    public FilterOperator(
            Kernel[] conjuncts, int[] liveIn, int[][] liveAfter, boolean early, boolean tentative, Downstream down) {
        this.rows = down.budget().rowNumbers();
        this.conjuncts = conjuncts;
        this.liveIn = liveIn;
        this.down = down;
        this.liveAfter = liveAfter;
        this.liveOut = liveAfter[conjuncts.length - 1];
        this.kept = new Batch[] {down.batch(), down.batch()};
        this.pending = down.batch();
        this.early = early;
        this.tentative = tentative;
        this.next = down.next();
    }

    @Override
    public boolean push(Batch batch) {
        try {
            return pushWhole(batch);
        } catch (Failed e) {
            return pushSingly(batch);
        }
    }

    private boolean pushWhole(Batch batch) throws Failed {
        Batch current = batch;
        for (int i = 0; i < conjuncts.length; i++) {
            int n = select(conjuncts[i], current);
            if (n == 0) {
                return true;
            }
            if (n < current.size) {
                Batch next = current == kept[0] ? kept[1] : kept[0];
                next.clear(liveAfter[i]);
                next.append(current, rows, n, liveAfter[i]);
                current = next;
            }
        }
        return emit(current);
    }

    private int select(Kernel conjunct, Batch batch) throws Failed {
        try {
            return conjunct.test(batch).trueRows(batch.size, rows);
        } catch (ServiceException e) {
            if (e.code() != ErrorCode.BAD_REQUEST) {
                throw e;
            }
            if (!tentative) {
                throw new Failed();
            }
            for (int row = 0; row < batch.size; row++) {
                rows[row] = row;
            }
            return batch.size;
        }
    }

    /** Signals that a conjunct failed on some row of a batch. */
    private static final class Failed extends Exception {
        private static final long serialVersionUID = 1L;

        Failed() {
            super(null, null, false, false);
        }
    }

    /** Evaluates row by row after a conjunct failed: another conjunct may be false for the failing row. */
    private boolean pushSingly(Batch batch) {
        Batch one = down.batch();
        int[] kept = new int[batch.size];
        int n = 0;
        for (int row = 0; row < batch.size; row++) {
            rows[0] = row;
            one.clear(liveIn);
            one.append(batch, rows, 1, liveIn);
            if (isTrue(one)) {
                kept[n++] = row;
            }
        }
        if (n == 0) {
            return true;
        }
        Batch all = down.batch();
        all.clear(liveOut);
        all.append(batch, kept, n, liveOut);
        return emit(all);
    }

    private boolean isTrue(Batch one) {
        ServiceException failure = null;
        for (Kernel conjunct : conjuncts) {
            try {
                BoolColumn mask = conjunct.test(one);
                if (!mask.isTrue(0)) {
                    return false;
                }
            } catch (ServiceException e) {
                if (e.code() != ErrorCode.BAD_REQUEST) {
                    throw e;
                }
                failure = failure == null ? e : failure;
            }
        }
        if (failure != null) {
            throw failure;
        }
        return true;
    }

    private boolean emit(Batch batch) {
        if (early || (pending.size == 0 && batch.size >= WORTHWHILE)) {
            return next.push(batch);
        }
        if (pending.size + batch.size > Column.CAPACITY && !flush()) {
            return false;
        }
        if (pending.size == 0) {
            pending.clear(liveOut);
        }
        for (int i = 0; i < batch.size; i++) {
            rows[i] = i;
        }
        pending.append(batch, rows, batch.size, liveOut);
        return true;
    }

    private boolean flush() {
        boolean more = pending.size == 0 || next.push(pending);
        pending.size = 0;
        return more;
    }

    @Override
    public void finish() {
        flush();
        next.finish();
    }
}
