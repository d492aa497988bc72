package service.projection.resident;

import service.log.lmdb.MappedBytes;
import service.projection.table.EntryCursor;
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
        try (EntryCursor entries = access.entryCursor(table)) {
            int entry = 0;
            for (boolean found = entries.seek(access.key().putInt(part.type()).putInt(at));
                    found && MappedBytes.keyIntAt(entries.key().addressOffset()) == part.type();
                    found = entries.next(), entry++) {
                long key = entries.key().addressOffset();
                int ordinal = MappedBytes.keyIntAt(key + Integer.BYTES);
                if (ordinal >= bound) {
                    return false;
                }
                if (entry >= ENTRIES && ordinal != at) {
                    at = ordinal;
                    return true;
                }
                at = ordinal;
                if (TemporalCursor.offsetBefore(key + entries.key().capacity()) > after) {
                    bits[ordinal >>> 6] |= 1L << ordinal;
                }
            }
            return false;
        }
    }

    /** A bit for each ordinal. */
    long[] bits() {
        return bits;
    }
}
