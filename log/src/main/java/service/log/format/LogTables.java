package service.log.format;

import java.util.List;
import service.log.lmdb.Table;

/**
 * The tables of a log.
 *
 * <pre>
 * events   i64 offset, big-endian → the event, as {@code EventCodec} draws it
 * meta     "format"        u32 version of this layout
 *          "graph"         16 bytes, the graph's own ULID
 *          "secret"        32 random bytes: what change cursors are signed with
 *          "genesis"       32 bytes, hash of event 0: a log put in another's place does not fit
 *          "incarnations"  i32 how many branch incarnations there ever were: the next one's number
 *          "retention"     what cleanup has taken, as {@code Retention} draws it; absent until then
 *          "reclaimed"     i64 the first offset whose images are still there; 0 until cleanup
 * blobs    see {@link BlobTable}
 * </pre>
 *
 * Numbers in values are little-endian.
 */
final class LogTables {
    static final int FORMAT_VERSION = 1;

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

    private LogTables() {}
}
