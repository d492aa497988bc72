package service.projection.table;

import org.agrona.DirectBuffer;
import org.lmdbjava.Cursor;
import org.lmdbjava.GetOp;
import org.lmdbjava.SeekOp;
import service.core.value.Ulid;
import service.log.lmdb.KeyBuffer;
import service.log.lmdb.MappedBytes;

/** Walks {@code ids} as if each id had a row. */
public final class IdCursor implements EntryCursor {
    private final TableAccess access;
    private final Cursor<DirectBuffer> cursor;
    private final IdRun run;
    private final KeyBuffer value;
    private int type;
    private int first;
    private int count;

    /** The place of the current id in its row. */
    private int at;

    public IdCursor(TableAccess access) {
        this.access = access;
        this.run = new IdRun(access);
        this.value = access.takeKey();
        this.cursor = access.cursor(ProjectionTable.IDS);
    }

    @Override
    public boolean first() {
        return cursor.first() && read();
    }

    @Override
    public boolean seek(KeyBuffer from) {
        long address = from.address();
        int length = from.length();
        boolean found = cursor.get(from.key(), GetOp.MDB_SET_RANGE);
        boolean isThere = found
                && cursor.key().capacity() == length
                && MappedBytes.same(cursor.key().addressOffset(), address, length);
        if (isThere || !UlidText.canStart(address + Integer.BYTES, length - Integer.BYTES)) {
            return found && read();
        }
        // It may be within the run of the row before.
        if (cursor.seek(found ? SeekOp.MDB_PREV : SeekOp.MDB_LAST)) {
            read();
            if (count > 1 && type == MappedBytes.keyIntAt(address)) {
                at = run.below(type, first, count, address, length);
                if (at < count) {
                    return true;
                }
            }
        }
        return found && cursor.get(from.key(), GetOp.MDB_SET_RANGE) && read();
    }

    /** Reads the row of the cursor. */
    private boolean read() {
        type = MappedBytes.keyIntAt(cursor.key().addressOffset());
        first = MappedBytes.intAt(cursor.val().addressOffset());
        count = IdRun.count(cursor.val());
        at = 0;
        return true;
    }

    @Override
    public boolean next() {
        if (at + 1 < count) {
            at++;
            return true;
        }
        return cursor.next() && read();
    }

    /** The type of the entity that has the id. */
    public int type() {
        return type;
    }

    /** The ordinal of the id. */
    public int ordinal() {
        return first + at;
    }

    @Override
    public DirectBuffer key() {
        return at == 0 ? cursor.key() : run.idKey(type, first + at).key();
    }

    /** The length of {@link #key}. */
    public int keyLength() {
        return at == 0 ? cursor.key().capacity() : Integer.BYTES + Ulid.TEXT_LENGTH;
    }

    /** The ordinal. */
    @Override
    public DirectBuffer value() {
        return value.clear().putInt(Integer.reverseBytes(first + at)).key();
    }

    @Override
    public void close() {
        access.release(ProjectionTable.IDS, cursor);
        access.give(value);
        run.close();
    }
}
