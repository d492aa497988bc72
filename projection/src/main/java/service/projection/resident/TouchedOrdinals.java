package service.projection.resident;

import org.agrona.DirectBuffer;
import org.lmdbjava.Cursor;
import service.log.lmdb.MappedBytes;
import service.log.lmdb.PageCursor;
import service.projection.table.ProjectionTable;
import service.projection.table.TableAccess;
import service.projection.temporal.TemporalCursor;

/**
 * The ordinals of a part that events after an offset have touched, on any branch. Every event leaves an entry with its
 * offset in the table of the part, so a walk over all entries finds them, whatever branch they belong to. One thread.
 */
final class TouchedOrdinals {
    /** Entries that are read in one transaction, at least; the entries of an ordinal are read in one. */
    private static final int ENTRIES = 50_000;

    private final Part part;
    private final ProjectionTable table;
    private final long after;
    private final int bound;
    private final long[] bits;
    private int at;

    /** @param bound ordinals at or above it are not looked for */
    TouchedOrdinals(Part part, long after, int bound) {
        this.part = part;
        this.table = switch (part.kind()) {
            case OUT -> ProjectionTable.OUT;
            case IN -> ProjectionTable.IN;
            case LIVE, COLUMN -> ProjectionTable.RECORDS;
        };
        this.after = after;
        this.bound = bound;
        this.bits = new long[(bound + Long.SIZE - 1) / Long.SIZE];
    }

    /** Reads the next piece; false when there is none. */
    boolean read(TableAccess access) {
        Cursor<DirectBuffer> cursor = access.cursor(table);
        try {
            PageCursor entries = new PageCursor(cursor, access.pageBytes());
            int entry = 0;
            for (boolean found = entries.seek(access.key().putInt(part.type()).putInt(at));
                    found && MappedBytes.keyIntAt(entries.keyAddress()) == part.type();
                    found = entries.next(), entry++) {
                int ordinal = MappedBytes.keyIntAt(entries.keyAddress() + Integer.BYTES);
                if (ordinal >= bound) {
                    return false;
                }
                if (entry >= ENTRIES && ordinal != at) {
                    at = ordinal;
                    return true;
                }
                at = ordinal;
                long end = entries.keyAddress() + entries.keyLength();
                if (TemporalCursor.offsetBefore(end) > after) {
                    bits[ordinal >>> 6] |= 1L << ordinal;
                }
            }
            return false;
        } finally {
            access.release(table, cursor);
        }
    }

    /** A bit for each ordinal. */
    long[] bits() {
        return bits;
    }
}
