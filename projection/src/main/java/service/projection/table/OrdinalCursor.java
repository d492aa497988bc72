package service.projection.table;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.lmdbjava.Cursor;
import org.lmdbjava.GetOp;
import service.core.value.Ulid;
import service.log.lmdb.KeyBuffer;
import service.log.lmdb.MappedBytes;

/** Walks {@code ordinals} as if each ordinal had a row. */
public final class OrdinalCursor implements EntryCursor {
    private final TableAccess access;
    private final Cursor<DirectBuffer> cursor;
    private final KeyBuffer key;
    private final OrdinalRow row = new OrdinalRow();
    private final KeyBuffer text;
    private final UnsafeBuffer value = new UnsafeBuffer(0, 0);
    private final byte[] ulid = new byte[Ulid.TEXT_LENGTH];
    private int ordinal;

    public OrdinalCursor(TableAccess access) {
        this.access = access;
        this.key = access.takeKey();
        this.text = access.takeKey();
        this.cursor = access.cursor(ProjectionTable.ORDINALS);
    }

    @Override
    public boolean first() {
        return cursor.first() && read();
    }

    @Override
    public boolean seek(KeyBuffer from) {
        if (from.length() == 2 * Integer.BYTES) {
            return seek(MappedBytes.keyIntAt(from.address()), MappedBytes.keyIntAt(from.address() + Integer.BYTES));
        }
        return cursor.get(from.key(), GetOp.MDB_SET_RANGE) && read();
    }

    /** Goes to an ordinal, or to the next one after it, if need be of another type; false when there is none. */
    public boolean seek(int type, int from) {
        if (row.seek(cursor, key, type, from)) {
            ordinal = from;
            return true;
        }
        IdTable.ordinalKey(key, type, from);
        return cursor.get(key.key(), GetOp.MDB_SET_RANGE) && read();
    }

    @Override
    public boolean next() {
        if (row.holds(row.type(), ordinal + 1)) {
            ordinal++;
            return true;
        }
        return cursor.next() && read();
    }

    private boolean read() {
        row.read(cursor);
        ordinal = row.first();
        return true;
    }

    /** The type of the entity that has the ordinal. */
    public int type() {
        return row.type();
    }

    /** The ordinal. */
    public int ordinal() {
        return ordinal;
    }

    @Override
    public DirectBuffer key() {
        IdTable.ordinalKey(key, row.type(), ordinal);
        return key.key();
    }

    /** The id. */
    @Override
    public DirectBuffer value() {
        row.id(ordinal, value, ulid);
        return row.hasUlids() ? text.clear().putBytes(ulid).key() : value;
    }

    @Override
    public void close() {
        access.release(ProjectionTable.ORDINALS, cursor);
        access.give(text);
        access.give(key);
    }
}
