package service.projection.query.operator;

import service.core.batch.Column;
import service.core.value.HeapBytes;
import service.projection.query.kernel.Kernel;
import service.projection.query.vector.Batch;
import service.projection.query.vector.ExecutionBudget;

/**
 * Before a TopN: drops the rows or groups that its first key alone puts after those needed, so that the other keys and
 * the outputs of groups, which may be texts in the tables, are computed for few rows. Rows that are equal to the last
 * one needed are kept.
 *
 * <p>A heap has the first keys of the best rows so far as 64-bit prefixes ({@link SortOperator#prefix}), the last one
 * on top. A row whose prefix is greater comes after as many rows as are needed. The heap takes a whole batch before a
 * row of it is tested: the first rows of a plan are no better than others, and would all be kept.
 */
public final class FirstKeyOperator extends Operator implements Cutoff {
    /** Rows needed at most; with more, the heap costs more than it saves. */
    public static final int KEEP_MAX = 1024;

    private final ExecutionBudget budget;
    private final Kernel key;
    private final long flip;
    private final int[] live;
    private final Operator next;
    private final OutputOperators.Slice slice;
    private final long[] heap;
    private final int[] rows;
    private final long[] prefixes = new long[Column.CAPACITY];
    private int size;

    /** @param keep rows that are needed, from 1 to {@link #KEEP_MAX} */
    public FirstKeyOperator(Kernel key, boolean descending, int keep, Downstream down) {
        this.budget = down.budget();
        this.rows = budget.rowNumbers();
        this.key = key;
        this.flip = descending ? -1 : 0;
        budget.charge(HeapBytes.array(keep, Long.BYTES) + HeapBytes.array(prefixes.length, Long.BYTES));
        this.heap = new long[keep];
        this.live = down.slots();
        this.next = down.next();
        this.slice = new OutputOperators.Slice(down);
    }

    @Override
    public boolean push(Batch batch) {
        budget.check();
        Column keys = key.eval(batch);
        for (int row = 0; row < batch.size; row++) {
            // A null has the least prefix, because it is the first in ascending order.
            long prefix = (keys.isNull(row) ? 0 : SortOperator.prefix(keys, row)) ^ flip;
            prefixes[row] = prefix;
            if (size < heap.length) {
                rise(prefix);
            } else if (Long.compareUnsigned(prefix, heap[0]) < 0) {
                sink(prefix);
            }
        }
        int n = 0;
        for (int row = 0; row < batch.size; row++) {
            if (size < heap.length || Long.compareUnsigned(prefixes[row], heap[0]) <= 0) {
                rows[n++] = row;
            }
        }
        return n == 0 || next.push(slice.of(batch, rows, n, live));
    }

    @Override
    public boolean isBeyond(double number) {
        return size == heap.length && Long.compareUnsigned(SortOperator.prefix(number) ^ flip, heap[0]) > 0;
    }

    private void rise(long prefix) {
        int at = size++;
        while (at > 0 && Long.compareUnsigned(heap[(at - 1) / 2], prefix) < 0) {
            heap[at] = heap[(at - 1) / 2];
            at = (at - 1) / 2;
        }
        heap[at] = prefix;
    }

    /** Replaces the top. */
    private void sink(long prefix) {
        int at = 0;
        for (int child = 1; child < size; child = 2 * at + 1) {
            if (child + 1 < size && Long.compareUnsigned(heap[child + 1], heap[child]) > 0) {
                child++;
            }
            if (Long.compareUnsigned(heap[child], prefix) <= 0) {
                break;
            }
            heap[at] = heap[child];
            at = child;
        }
        heap[at] = prefix;
    }

    @Override
    public void finish() {
        next.finish();
    }
}
