package service.projection.view;

import service.core.batch.Column;
import service.core.batch.EntityColumn;
import service.core.port.GraphView;
import service.log.lmdb.MappedBytes;
import service.projection.table.ProjectionTable;
import service.projection.table.RecordTable;
import service.projection.table.TableAccess;
import service.projection.temporal.Chain;
import service.projection.temporal.TemporalCursor;

/**
 * Walks the records of a type. The walk also yields the address of each record, so reading a property needs no look-up.
 */
public final class TypeScan implements GraphView.Scan {
    /**
     * A batch ends with the record that takes it over this number of bytes, because readers copy properties: a batch
     * must not hold a thousand records of a mebibyte.
     */
    private static final int BATCH_BYTES_MAX = 4 << 20;

    private final TableAccess access;
    private boolean closed;
    private final TemporalCursor cursor;
    private final int type;

    /**
     * Makes one.
     *
     * @param from the ordinal to begin at
     */
    public TypeScan(TableAccess access, Chain chain, int type, int from) {
        this.access = access;
        this.type = type;
        this.cursor = access.temporal(ProjectionTable.RECORDS, chain);
        try {
            cursor.seek(access.key().putInt(type).putInt(from), Integer.BYTES);
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    @Override
    public int next(EntityColumn into) {
        into.reset();
        int size = 0;
        int bytes = 0;
        while (size < Column.CAPACITY && bytes < BATCH_BYTES_MAX && cursor.next()) {
            long record = cursor.valueAddress();
            if (RecordTable.live(record)) {
                into.types[size] = type;
                into.ordinals[size] = MappedBytes.keyIntAt(cursor.memberAddress() + Integer.BYTES);
                into.records[size++] = record;
                bytes += cursor.valueLength();
            }
        }
        return size;
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        access.release(ProjectionTable.RECORDS, cursor);
    }
}
