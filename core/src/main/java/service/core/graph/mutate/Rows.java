package service.core.graph.mutate;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import service.core.port.GraphView;
import service.core.value.Value;

/**
 * The rows that statements run for, with a column for each variable, by slot from 1. Statements add columns for what
 * they bind. The rows of a loop extend others: each goes on from one of these. One thread.
 */
final class Rows {
    /** An entity by its type and id. */
    record Key(int type, String id) {}

    /** The variable of a slot in all rows. */
    sealed interface Cells {
        /** Entities of a view; an ordinal of −1 is none. */
        record Entities(int[] types, int[] ordinals) implements Cells {}

        /** Values. */
        record Values(Value[] values) implements Cells {}

        /** Entities that an insert has made; null where it made none. */
        record Inserted(int type, @Nullable String[] ids) implements Cells {}
    }

    /** What rows extend: others, with the row of those that each goes on from and the place of its element. */
    private record Extended(Rows rows, int[] row, int[] element) {}

    private final int size;
    private final @Nullable Cells[] columns;
    private final @Nullable Extended of;

    private Rows(int size, int slots, @Nullable Extended of) {
        this.size = size;
        this.columns = new Cells[slots];
        this.of = of;
    }

    /** Rows without variables; {@code slots} is the number of all slots. */
    Rows(int size, int slots) {
        this(size, slots, null);
    }

    /** One row without variables. */
    static Rows one(int slots) {
        return new Rows(1, slots);
    }

    /**
     * Rows that extend these.
     *
     * @param row of these that each goes on from
     * @param element the place of its element in the list of that row
     */
    Rows extended(int[] row, int[] element) {
        return new Rows(row.length, columns.length, new Extended(this, row, element));
    }

    int size() {
        return size;
    }

    /** Adds a variable. */
    void bind(int slot, Cells cells) {
        columns[slot] = cells;
    }

    /** The entity of a slot in a row, which may be deleted; null for none. */
    @Nullable
    Key key(GraphView view, int slot, int row) {
        return switch (columns[slot]) {
            case null -> outer().rows.key(view, slot, outer().row[row]);
            case Cells.Entities(int[] types, int[] ordinals) ->
                ordinals[row] < 0 ? null : new Key(types[row], view.id(types[row], ordinals[row]));
            case Cells.Inserted(int type, @Nullable String[] ids) -> {
                String id = ids[row];
                yield id == null ? null : new Key(type, id);
            }
            case Cells.Values ignored -> throw new IllegalStateException("slot " + slot + " holds values");
        };
    }

    /** The value of a slot in a row. */
    Value value(int slot, int row) {
        return switch (columns[slot]) {
            case null -> outer().rows.value(slot, outer().row[row]);
            case Cells.Values(Value[] values) -> values[row];
            case Cells.Entities ignored -> throw new IllegalStateException("slot " + slot + " holds entities");
            case Cells.Inserted ignored -> throw new IllegalStateException("slot " + slot + " holds entities");
        };
    }

    private Extended outer() {
        return Objects.requireNonNull(of, "the slot is not bound");
    }

    /** A row as messages name it. */
    String shown(int row) {
        if (of == null) {
            return "row " + row;
        }
        return "element " + of.element[row] + (of.rows.size == 1 ? "" : " of " + of.rows.shown(of.row[row]));
    }
}
