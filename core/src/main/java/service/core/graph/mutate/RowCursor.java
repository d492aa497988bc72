package service.core.graph.mutate;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import service.core.event.Image;
import service.core.gq.eval.EntityRow;
import service.core.gq.eval.VariableRow;
import service.core.port.GraphView;
import service.core.schema.EntityType;
import service.core.value.Value;

/** The variables of one row after another, as they are between two statements. One thread. */
final class RowCursor implements VariableRow {
    private final GraphView view;
    private final PendingChanges pending;

    /** The entities of the current row that were asked for, by slot. */
    private final @Nullable EntityRow[] known;

    private Rows rows;
    private int row;

    /** @param variables the number of slots */
    RowCursor(GraphView view, PendingChanges pending, int variables) {
        this.view = view;
        this.pending = pending;
        this.known = new EntityRow[variables];
        this.rows = Rows.one(variables);
    }

    /** Begins a statement over rows, at the first one. */
    void over(Rows rows) {
        this.rows = rows;
        to(0);
    }

    /** Goes to a row, and sees what changed since. */
    void to(int row) {
        this.row = row;
        Arrays.fill(known, null);
    }

    /** The entity of a slot, which may be deleted; null for none. */
    Rows.@Nullable Key key(int slot) {
        return rows.key(view, slot, row);
    }

    @Override
    public @Nullable EntityRow entity(int slot) {
        EntityRow entity = known[slot];
        if (entity == null) {
            Rows.Key key = key(slot);
            entity = key == null ? null : entity(key);
            known[slot] = entity;
        }
        return entity;
    }

    @Override
    public @Nullable EntityRow entity(Value.Entity value) {
        return entity(new Rows.Key(value.type(), view.id(value.type(), value.ordinal())));
    }

    private @Nullable EntityRow entity(Rows.Key key) {
        EntityType type = view.catalog().requireType(key.type());
        Image image = pending.current(type, key.id());
        return image == null ? null : EntityRow.of(type, key.id(), image);
    }

    @Override
    public Value value(int slot) {
        return rows.value(slot, row);
    }
}
