package service.projection.view;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;
import service.core.batch.Column;
import service.core.batch.EntityColumn;
import service.core.port.GraphView;
import service.core.value.ValueOrder;
import service.log.lmdb.KeyBuffer;
import service.projection.table.IdCursor;
import service.projection.table.IdTable;
import service.projection.table.TableAccess;

/**
 * Walks the ids of a type in order and returns the live ones. Costs a look-up for each id that the type ever had.
 *
 * <p>The table stores a long id as its first {@link IdTable#ID_BYTES_WHOLE} bytes and a digest. Ids with such a common
 * prefix are adjacent, so this class collects and sorts them.
 */
final class IdScan implements GraphView.Scan {
    private static final int KEY_WHOLE = Integer.BYTES + IdTable.ID_BYTES_WHOLE;

    private record LongId(String id, int ordinal) {}

    private final ProjectionView view;
    private final int type;
    private final IdCursor ids;
    private final ArrayDeque<Integer> gathered = new ArrayDeque<>();
    private boolean found;
    private boolean closed;

    IdScan(TableAccess access, ProjectionView view, int type, @Nullable String after) {
        this.view = view;
        this.type = type;
        this.ids = new IdCursor(access);
        try {
            begin(access, after);
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    private void begin(TableAccess access, @Nullable String after) {
        KeyBuffer from = access.key().putInt(type);
        if (after == null) {
            seek(from);
            return;
        }
        byte[] id = after.getBytes(StandardCharsets.UTF_8);
        from.putBytes(id, 0, Math.min(id.length, IdTable.ID_BYTES_WHOLE));
        boolean isLong = id.length > IdTable.ID_BYTES_WHOLE;
        seek(isLong ? from.putByte(0) : from);
        if (isLong && found && begins(beginning(from.key()))) {
            gather(after);
        } else if (found && isAt(id)) {
            advance();
        }
    }

    private void seek(KeyBuffer from) {
        found = ids.seek(from) && ids.type() == type;
    }

    private boolean isAt(byte[] id) {
        DirectBuffer key = ids.key();
        if (key.capacity() != Integer.BYTES + id.length) {
            return false;
        }
        for (int i = 0; i < id.length; i++) {
            if (key.getByte(Integer.BYTES + i) != id[i]) {
                return false;
            }
        }
        return true;
    }

    private void advance() {
        found = ids.next() && ids.type() == type;
    }

    @Override
    public int next(EntityColumn into) {
        into.reset(0);
        int size = 0;
        while (size < Column.CAPACITY && (found || !gathered.isEmpty())) {
            int ordinal;
            if (!gathered.isEmpty()) {
                ordinal = gathered.removeFirst();
            } else if (ids.keyLength() > KEY_WHOLE) {
                gather(null);
                continue;
            } else {
                ordinal = ids.ordinal();
                advance();
            }
            if (view.isLive(type, ordinal)) {
                into.set(size++, type, ordinal, EntityColumn.NO_RECORD);
            }
        }
        return size;
    }

    private static byte[] beginning(DirectBuffer key) {
        byte[] beginning = new byte[KEY_WHOLE];
        key.getBytes(0, beginning);
        return beginning;
    }

    /** Collects the long ids with the prefix of the current one, from the first id after the given one. */
    private void gather(@Nullable String after) {
        byte[] beginning = beginning(ids.key());
        List<LongId> run = new ArrayList<>();
        while (found && ids.keyLength() > KEY_WHOLE && begins(beginning)) {
            int ordinal = ids.ordinal();
            String id = view.id(type, ordinal);
            if (after == null || ValueOrder.compareText(id, after) > 0) {
                run.add(new LongId(id, ordinal));
            }
            advance();
        }
        run.sort((left, right) -> ValueOrder.compareText(left.id, right.id));
        run.forEach(entry -> gathered.addLast(entry.ordinal));
    }

    private boolean begins(byte[] beginning) {
        DirectBuffer key = ids.key();
        for (int i = 0; i < beginning.length; i++) {
            if (key.getByte(i) != beginning[i]) {
                return false;
            }
        }
        return true;
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            ids.close();
        }
    }
}
