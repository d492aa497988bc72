package service.projection.query.vector;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import service.core.batch.Column;
import service.core.batch.EntityColumn;
import service.core.value.HeapBytes;

/**
 * Rows that one operator pushes to the next: the entities and values of the slots that downstream operators read, and
 * computed columns if there are any. The receiver may read a batch during the call and must not change it.
 */
public final class Batch {
    private static final Column[] NONE = {};
    private static final long FIXED_BYTES = HeapBytes.object(5 * HeapBytes.REFERENCE + Integer.BYTES + Long.BYTES);

    private final ExecutionBudget budget;
    private final @Nullable Column[] slots;
    public Column[] computed = NONE;

    /** The items that the loops of an expression are at, the outermost first. Only kernels see such batches. */
    public Column[] locals = NONE;

    private static final int[] UNTAGGED = {};

    /** In a block, the row of the outer batch that each row belongs to; empty outside of blocks. */
    public int[] tags = UNTAGGED;

    /** The number of equal rows that each row is; empty when each is one. */
    public int[] weights = UNTAGGED;

    public int size;

    /** Changes whenever the content does. Kernels that keep a result compare it. */
    public long version;

    /** The number of rows, each counted by its weight. */
    public long rows() {
        if (weights.length == 0) {
            return size;
        }
        long sum = 0;
        for (int i = 0; i < size; i++) {
            sum += weights[i];
        }
        return sum;
    }

    /** An empty batch, whose own columns belong to the execution. */
    public Batch(ExecutionBudget budget, int slotCount) {
        budget.charge(FIXED_BYTES + HeapBytes.references(slotCount));
        this.budget = budget;
        slots = new Column[slotCount];
    }

    /** The entities of a slot. Throws when the slot is not filled, which is a fault of the planner. */
    public EntityColumn slot(int slot) {
        return (EntityColumn) column(slot);
    }

    /** The entities or the values of a slot. Throws as {@link #slot}. */
    public Column column(int slot) {
        return Objects.requireNonNull(slots[slot], "the slot is not in the batch");
    }

    public boolean has(int slot) {
        return slots[slot] != null;
    }

    public void put(int slot, Column column) {
        slots[slot] = column;
    }

    /** The operator's own column of entities of a slot, made on first use. */
    public EntityColumn own(int slot) {
        Column column = slots[slot];
        if (column == null) {
            column = budget.own(new EntityColumn());
            slots[slot] = column;
        }
        return (EntityColumn) column;
    }

    /** The operator's own column of a slot for copies of rows of another column, made on first use. */
    public Column own(int slot, Column of) {
        Column column = slots[slot];
        if (column == null) {
            column = ColumnValues.forCopies(budget, of);
            slots[slot] = column;
        }
        return column;
    }

    /**
     * Makes the rows of this batch those of another one: the given slots share its columns, and the tags are the same.
     */
    public void share(Batch from, int[] live) {
        for (int slot : live) {
            slots[slot] = from.column(slot);
        }
        tags = from.tags;
        size = from.size;
        version++;
    }

    /** Makes the batch empty. */
    public void clear(int[] live) {
        size = 0;
        version++;
        for (int slot : live) {
            Column column = slots[slot];
            if (column != null) {
                column.reset(0);
            }
        }
    }

    /** Appends rows of another batch: the given slots, and the tags. */
    public void append(Batch from, int[] rows, int count, int[] live) {
        for (int slot : live) {
            gather(from, slot, rows, count);
        }
        tag(from.tags, rows, count);
        size += count;
        version++;
    }

    /**
     * Makes the rows of this batch some of another one, with all that a kernel may read of them.
     *
     * @param live the slots that it reads
     */
    public void take(Batch from, int[] rows, int count, int[] live) {
        clear(live);
        append(from, rows, count, live);
        computed = gathered(from.computed, rows, count, computed);
        locals = gathered(from.locals, rows, count, locals);
    }

    private Column[] gathered(Column[] from, int[] rows, int count, Column[] own) {
        Column[] into = own;
        if (into.length != from.length) {
            into = new Column[from.length];
            for (int c = 0; c < from.length; c++) {
                into[c] = ColumnValues.forCopies(budget, from[c]);
            }
        }
        for (int c = 0; c < from.length; c++) {
            into[c].reset(count);
            gather(from[c], rows, count, into[c], 0);
        }
        return into;
    }

    /** Gives the next rows the tags of the rows they come from, if those have any. */
    public void tag(int[] from, int[] rows, int count) {
        if (from.length == 0) {
            return;
        }
        if (tags.length == 0) {
            tags = budget.rowNumbers();
        }
        for (int i = 0; i < count; i++) {
            tags[size + i] = from[rows[i]];
        }
    }

    /** Appends rows of a slot of another batch after the rows that are counted. */
    public void gather(Batch from, int slot, int[] rows, int count) {
        Column source = from.column(slot);
        gather(source, rows, count, own(slot, source), size);
    }

    /** Copies rows of a column to consecutive rows, from {@code at} on, of another one of the same class. */
    public static void gather(Column from, int[] rows, int count, Column into, int at) {
        if (from instanceof EntityColumn entities) {
            gather(entities, rows, count, (EntityColumn) into, at);
            return;
        }
        into.makeRoom(at + count);
        for (int i = 0; i < count; i++) {
            into.copy(from, rows[i], at + i);
        }
    }

    private static void gather(EntityColumn from, int[] rows, int count, EntityColumn into, int at) {
        boolean nulls = from.hasNulls();
        into.makeRoom(at + count);
        for (int i = 0; i < count; i++) {
            int row = rows[i];
            into.types[at + i] = from.types[row];
            into.ordinals[at + i] = from.ordinals[row];
            into.records[at + i] = from.records[row];
            if (nulls && from.isNull(row)) {
                into.setNull(at + i);
            }
        }
    }
}
