package service.log.format;

import java.util.List;
import service.log.lmdb.Table;

/**
 * The tables of a log.
 *
 * <pre>
 * events   i64 offset, big-endian → the event, in the layout of {@code EventCodec}
 * meta     "format"        u32 version of this layout
 *          "graph"         16 bytes, the ULID of the graph
 *          "secret"        32 random bytes: the key that signs change cursors
 *          "genesis"       32 bytes, hash of event 0: detects a log that was replaced by another one
 *          "incarnations"  i32 number of branch incarnations ever made: the number of the next one
 *          "retention"     the state of cleanup, in the layout of {@code Retention}; absent before the first cleanup
 *          "reclaimed"     i64 offset of the last event that reclaimed history; absent before the first one
 * blobs    see {@link BlobTable}
 * </pre>
 *
 * <p>Each value of meta is followed by a u32 checksum, see {@link LogMarks}. Numbers in values are little-endian.
 */
final class LogTables {
    static final int FORMAT_VERSION = 2;

    static final String EVENTS = "events";
    static final String META = "meta";
    static final String BLOBS = "blobs";
    static final List<Table> ALL = List.of(Table.of(EVENTS), Table.of(META), Table.of(BLOBS));

    static final String FORMAT = "format";
    static final String GRAPH = "graph";
    static final String SECRET = "secret";
    static final String GENESIS = "genesis";
    static final String INCARNATIONS = "incarnations";
    static final String RETENTION = "retention";
    static final String RECLAIMED = "reclaimed";

    static final int SECRET_BYTES = 32;

    private LogTables() {}
}
