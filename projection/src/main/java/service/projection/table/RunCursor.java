package service.projection.table;

import java.nio.ByteBuffer;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.lmdbjava.Cursor;
import service.log.lmdb.KeyBuffer;
import service.log.lmdb.MappedBytes;
import service.log.lmdb.PageCursor;

/** Walks the entries that runs of {@link AdjacencyTable} hold. */
final class RunCursor implements EntryCursor {
    private final TableAccess access;
    private final ProjectionTable table;
    private final Cursor<DirectBuffer> cursor;
    private final PageCursor runs;
    private final KeyBuffer runKey = new KeyBuffer();
    private final AdjacencyEntry entry = new AdjacencyEntry();
    private final UnsafeBuffer key = new UnsafeBuffer(0, 0);
    private final UnsafeBuffer value = new UnsafeBuffer(ByteBuffer.allocateDirect(1));
    private long at;
    private long end;

    RunCursor(TableAccess access, ProjectionTable table) {
        this.access = access;
        this.table = table;
        this.cursor = access.cursor(table);
        this.runs = new PageCursor(cursor, access.pageBytes());
    }

    @Override
    public boolean first() {
        runKey.clear().putByte(0);
        return seek(runKey);
    }

    @Override
    public boolean seek(KeyBuffer from) {
        KeyBuffer above = access.takeKey();
        try {
            above.copy(from, from.length()).putByte(0);
            boolean found = enters(runs.seek(above)) && next();
            while (found
                    && MappedBytes.compare(runKey.address(), runKey.length(), above.address(), above.length() - 1)
                            < 0) {
                found = next();
            }
            return found;
        } finally {
            access.give(above);
        }
    }

    private boolean enters(boolean found) {
        if (found) {
            entry.clear();
            at = runs.valueAddress();
            end = at + runs.valueLength();
        }
        return found;
    }

    @Override
    public boolean next() {
        while (at == end) {
            if (!enters(runs.next())) {
                return false;
            }
        }
        at = entry.read(at);
        if (at > end) {
            throw AdjacencyTable.damaged();
        }
        entry.putKey(runKey);
        value.putByte(0, (byte) (entry.live ? 1 : 0));
        key.wrap(runKey.address(), runKey.length());
        return true;
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
