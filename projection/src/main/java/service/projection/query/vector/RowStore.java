package service.projection.query.vector;

import java.util.ArrayList;
import java.util.List;
import service.core.batch.Column;
import service.core.batch.ColumnOwner;

/** Keeps rows in memory, by column, in chunks of {@link Column#CAPACITY} rows. Row numbers start at 0. */
public final class RowStore implements ColumnOwner {
    private static final int SHIFT = Integer.numberOfTrailingZeros(Column.CAPACITY);
    private static final int MASK = Column.CAPACITY - 1;

    private final ExecutionBudget budget;
    private final int[] slots;
    private final List<Column[]> chunks = new ArrayList<>();
    private int size;
    private long charged;

    /** @param slots slots to keep, before the computed columns */
    public RowStore(ExecutionBudget budget, int[] slots) {
        this.budget = budget;
        this.slots = slots;
    }

    public int size() {
        return size;
    }

    /** The bytes that the rows are charged for. */
    public long bytes() {
        return charged;
    }

    public void append(Batch batch) {
        for (int row = 0; row < batch.size; row++) {
            append(batch, row);
        }
    }

    public void append(Batch batch, int row) {
        int at = size & MASK;
        if (at == 0) {
            chunks.add(chunk(batch));
        }
        Column[] chunk = chunks.getLast();
        long before = charged;
        for (int i = 0; i < slots.length; i++) {
            chunk[i].copy(batch.column(slots[i]), row, at);
        }
        for (int i = 0; i < batch.computed.length; i++) {
            chunk[slots.length + i].copy(batch.computed[i], row, at);
        }
        budget.bytes((int) (charged - before));
        size++;
    }

    private Column[] chunk(Batch like) {
        Column[] chunk = new Column[slots.length + like.computed.length];
        for (int i = 0; i < chunk.length; i++) {
            Column of = i < slots.length ? like.column(slots[i]) : like.computed[i - slots.length];
            chunk[i] = of.sibling(this);
        }
        return chunk;
    }

    @Override
    public void charge(long bytes) {
        budget.charge(bytes);
        charged += bytes;
    }

    @Override
    public void release(long bytes) {
        budget.release(bytes);
        charged -= bytes;
    }

    @Override
    public void fills(int rows) {
        budget.fills(rows);
    }

    /** The column of a chunk that holds the row: index counts slots first, then computed columns. */
    public Column column(int index, int row) {
        return chunks.get(row >>> SHIFT)[index];
    }

    /** The place of the row within {@link #column}. */
    public static int place(int row) {
        return row & MASK;
    }

    /** Copies one row into a batch's own columns; they are filled in ascending order. */
    public void copyTo(int row, Batch into, int at) {
        Column[] chunk = chunks.get(row >>> SHIFT);
        int place = row & MASK;
        for (int i = 0; i < slots.length; i++) {
            into.own(slots[i], chunk[i]).copy(chunk[i], place, at);
        }
        for (int i = 0; i < into.computed.length; i++) {
            into.computed[i].copy(chunk[slots.length + i], place, at);
        }
    }

    /** Empty columns for the computed part of a batch that {@link #copyTo} fills. */
    public Column[] computedSiblings() {
        if (chunks.isEmpty()) {
            return new Column[0];
        }
        Column[] chunk = chunks.getFirst();
        Column[] columns = new Column[chunk.length - slots.length];
        for (int i = 0; i < columns.length; i++) {
            columns[i] = ColumnValues.forCopies(budget, chunk[slots.length + i]);
        }
        return columns;
    }

    /** Releases the memory. */
    public void clear() {
        budget.release(charged);
        charged = 0;
        chunks.clear();
        size = 0;
    }
}
