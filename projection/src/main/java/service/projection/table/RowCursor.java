package service.projection.table;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.lmdbjava.Cursor;
import service.log.lmdb.KeyBuffer;
import service.log.lmdb.PageCursor;

/** Walks a table whose rows are its entries. */
final class RowCursor implements EntryCursor {
    private final TableAccess access;
    private final ProjectionTable table;
    private final Cursor<DirectBuffer> cursor;
    private final PageCursor rows;
    private final UnsafeBuffer key = new UnsafeBuffer(0, 0);
    private final UnsafeBuffer value = new UnsafeBuffer(0, 0);

    RowCursor(TableAccess access, ProjectionTable table) {
        this.access = access;
        this.table = table;
        this.cursor = access.cursor(table);
        this.rows = new PageCursor(cursor, access.pageBytes());
    }

    @Override
    public boolean first() {
        return seek(access.key().putByte(0));
    }

    @Override
    public boolean seek(KeyBuffer from) {
        return shows(rows.seek(from));
    }

    @Override
    public boolean next() {
        return shows(rows.next());
    }

    private boolean shows(boolean found) {
        if (found) {
            key.wrap(rows.keyAddress(), rows.keyLength());
            value.wrap(rows.valueAddress(), rows.valueLength());
        }
        return found;
    }

    @Override
    public DirectBuffer key() {
        return key;
    }

    @Override
    public DirectBuffer value() {
        return value;
    }

    @Override
    public void close() {
        access.release(table, cursor);
    }
}
