package service.projection.table;

import org.agrona.DirectBuffer;
import org.lmdbjava.Cursor;
import org.lmdbjava.GetOp;
import service.log.lmdb.KeyBuffer;

/** Walks a table whose rows are its entries. */
final class RowCursor implements EntryCursor {
    private final TableAccess access;
    private final ProjectionTable table;
    private final Cursor<DirectBuffer> cursor;

    RowCursor(TableAccess access, ProjectionTable table) {
        this.access = access;
        this.table = table;
        this.cursor = access.cursor(table);
    }

    @Override
    public boolean first() {
        return cursor.first();
    }

    @Override
    public boolean seek(KeyBuffer from) {
        return cursor.get(from.key(), GetOp.MDB_SET_RANGE);
    }

    @Override
    public boolean next() {
        return cursor.next();
    }

    @Override
    public DirectBuffer key() {
        return cursor.key();
    }

    @Override
    public DirectBuffer value() {
        return cursor.val();
    }

    @Override
    public void close() {
        access.release(table, cursor);
    }
}
