package service.projection.query.operator;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import service.core.batch.Column;
import service.projection.query.vector.Batch;
import service.projection.query.vector.BytesTable;
import service.projection.query.vector.ExecutionBudget;
import service.projection.query.vector.KeyEncoder;
import service.projection.query.vector.RowStore;

/**
 * Remembers for which entities a block has a match, or the value that it has for them, so that a block runs once for
 * outer rows that differ only in what it does not read. Friends' posts with a tag, for example, are many rows for each
 * tag, and a block that reads the tag alone has one answer for all of them.
 *
 * <p>A hash table has a key of 9 bytes for each entity that the block reads. It is given up when fewer than half of the
 * rows repeat, or when it is full. Values may hold 16 MiB.
 */
public final class KnownMatches {
    private static final int KEYS_MAX = 1 << 18;

    private static final long VALUE_BYTES_MAX = 16L << 20;

    /** Rows after which it is known how many repeat. */
    private static final int TRIAL_ROWS = 4 * Column.CAPACITY;

    private final ExecutionBudget budget;
    private final int[] slotsRead;
    private final BytesTable keys;
    private final KeyEncoder encoder = new KeyEncoder();
    private final Batch unknown;

    /** For each row of the current batch, the number of its key. Keys are numbered as they first occur. */
    private final int[] numbers;

    private final int[] firsts;
    private final boolean[] answers = new boolean[Column.CAPACITY];

    /** For each key, the value of the block. */
    private final RowStore values;

    private final Batch learned;

    /** For each key, whether the block has a match. */
    private boolean[] matched = new boolean[Column.CAPACITY];

    private int size;
    private long rows;

    /** @param slotsRead slots that the block reads */
    public KnownMatches(ExecutionBudget budget, int[] slotsRead, int slotCount) {
        this.firsts = budget.rowNumbers();
        this.numbers = budget.rowNumbers();
        this.budget = budget;
        this.slotsRead = slotsRead;
        this.keys = new BytesTable(budget);
        this.unknown = new Batch(budget, slotCount);
        this.values = new RowStore(budget, new int[0]);
        this.learned = new Batch(budget, 0);
    }

    /** The memory while enough rows repeat; else null, and it is released. */
    static @Nullable KnownMatches whileUseful(@Nullable KnownMatches known) {
        if (known == null || known.isUseful()) {
            return known;
        }
        known.release();
        return null;
    }

    private boolean isUseful() {
        return keys.size() < KEYS_MAX
                && values.bytes() < VALUE_BYTES_MAX
                && (rows < TRIAL_ROWS || 2L * keys.size() <= rows);
    }

    private void release() {
        keys.release();
        budget.release(matched.length);
        values.clear();
    }

    /** Returns one row for each key of the batch that has no answer yet; the caller runs the block for them. */
    Batch unknown(Batch outer) {
        int before = keys.size();
        int n = 0;
        for (int row = 0; row < outer.size; row++) {
            encoder.clear();
            for (int slot : slotsRead) {
                encoder.add(outer.column(slot), row);
            }
            int number = keys.add(encoder.bytes(), 0, encoder.length());
            if (number == before + n) {
                firsts[n++] = row;
            }
            numbers[row] = number;
        }
        size = outer.size;
        rows += size;
        unknown.clear(slotsRead);
        unknown.append(outer, firsts, n, slotsRead);
        return unknown;
    }

    /**
     * Takes the answers of the unknown rows.
     *
     * @return for each row of the batch, whether the block has a match; valid until the next batch
     */
    boolean[] learn(boolean[] marks) {
        int before = keys.size() - unknown.size;
        if (keys.size() > matched.length) {
            int grown = 2 * keys.size();
            budget.charge((long) grown - matched.length);
            matched = Arrays.copyOf(matched, grown);
        }
        System.arraycopy(marks, 0, matched, before, unknown.size);
        for (int row = 0; row < size; row++) {
            answers[row] = matched[numbers[row]];
        }
        return answers;
    }

    /**
     * Takes the values of the unknown rows.
     *
     * @param results of the unknown rows, in the same column each time
     * @param into receives the value of each row of the batch
     */
    void learn(Column results, Column into) {
        learned.computed = new Column[] {results};
        learned.size = unknown.size;
        values.append(learned);
        into.reset(size);
        for (int row = 0; row < size; row++) {
            into.copy(values.column(0, numbers[row]), RowStore.place(numbers[row]), row);
        }
    }
}
