package service.projection.table;

import org.agrona.DirectBuffer;
import org.lmdbjava.Cursor;
import org.lmdbjava.PutFlags;
import service.log.lmdb.KeyBuffer;
import service.log.lmdb.MappedBytes;

/** Writes a table whose rows are its entries. Of equal keys the last one is kept. */
final class RowWriter implements TableWriter {
    private final TableAccess access;
    private final ProjectionTable table;
    private final Cursor<DirectBuffer> cursor;
    private final boolean append;
    private final KeyBuffer before;

    RowWriter(TableAccess access, ProjectionTable table, boolean append) {
        this.access = access;
        this.table = table;
        this.append = append;
        this.before = access.takeKey();
        this.cursor = access.cursor(table);
    }

    @Override
    public void put(DirectBuffer key, DirectBuffer value) {
        if (!append) {
            cursor.put(key, value);
            return;
        }
        int length = key.capacity();
        boolean again = length == before.length() && MappedBytes.same(key.addressOffset(), before.address(), length);
        if (again) {
            cursor.put(key, value);
        } else {
            cursor.put(key, value, PutFlags.MDB_APPEND);
            before.clear().putMemory(key.addressOffset(), length);
        }
    }

    @Override
    public void close() {
        access.release(table, cursor);
        access.give(before);
    }
}
