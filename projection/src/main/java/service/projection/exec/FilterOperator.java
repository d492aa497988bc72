package service.projection.exec;

import service.core.batch.BoolColumn;
import service.core.batch.Column;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;

/**
 * Keeps rows for which every conjunct is true, one conjunct after the other, each over the
 * survivors of those before. Small remains are gathered into fuller batches unless rows are wanted
 * early.
 */
final class FilterOperator extends Operator {
    /** Survivors that are worth a push of their own. */
    private static final int WORTHWHILE = 256;

    private final Kernel[] conjuncts;
    private final int[][] liveAfter;
    private final Batch[] kept;
    private final Batch pending;
    private final int[] liveOut;
    private final boolean early;
    private final boolean tentative;
    private final Operator next;
    private final int[] rows = new int[Column.CAPACITY];

    /**
     * @param liveAfter for each conjunct the slots that are read behind it, in later conjuncts or
     *     downstream
     * @param early push what there is at once
     * @param tentative let a batch pass on which a conjunct fails
     */
    FilterOperator(
            Kernel[] conjuncts,
            int[][] liveAfter,
            int slotCount,
            boolean early,
            boolean tentative,
            Operator next) {
        this.conjuncts = conjuncts;
        this.liveAfter = liveAfter;
        this.liveOut = liveAfter[conjuncts.length - 1];
        this.kept = new Batch[conjuncts.length];
        for (int i = 0; i < kept.length; i++) {
            kept[i] = new Batch(slotCount);
        }
        this.pending = new Batch(slotCount);
        this.early = early;
        this.tentative = tentative;
        this.next = next;
    }

    @Override
    boolean push(Batch batch) {
        Batch current = batch;
        for (int i = 0; i < conjuncts.length; i++) {
            int n = select(conjuncts[i], current);
            if (n == 0) {
                return true;
            }
            if (n < current.size) {
                kept[i].clear(liveAfter[i]);
                kept[i].append(current, rows, n, liveAfter[i]);
                current = kept[i];
            }
        }
        return emit(current);
    }

    private int select(Kernel conjunct, Batch batch) {
        if (!tentative) {
            return select(conjunct.test(batch), batch.size);
        }
        try {
            return select(conjunct.test(batch), batch.size);
        } catch (ServiceException e) {
            if (e.code() != ErrorCode.BAD_REQUEST) {
                throw e;
            }
            for (int row = 0; row < batch.size; row++) {
                rows[row] = row;
            }
            return batch.size;
        }
    }

    /**
     * The rows that are true: written at every step and advanced by the test, so without a branch.
     */
    private int select(BoolColumn mask, int size) {
        boolean[] values = mask.values;
        int n = 0;
        if (!mask.hasNulls()) {
            for (int row = 0; row < size; row++) {
                rows[n] = row;
                n += values[row] ? 1 : 0;
            }
            return n;
        }
        for (int row = 0; row < size; row++) {
            if (values[row] && !mask.isNull(row)) {
                rows[n++] = row;
            }
        }
        return n;
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
    void finish() {
        flush();
        next.finish();
    }
}
