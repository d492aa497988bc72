package service.projection.retain;

import java.nio.ByteBuffer;
import java.util.List;
import org.agrona.DirectBuffer;
import org.agrona.collections.Int2ObjectHashMap;
import org.agrona.collections.LongHashSet;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.Cursor;
import org.lmdbjava.GetOp;
import service.core.event.ChangeReader;
import service.core.schema.Catalog;
import service.core.schema.EntityType;
import service.core.value.EntityKind;
import service.core.value.PropertyRow;
import service.core.value.Value;
import service.log.format.EventLog;
import service.log.format.EventReader;
import service.log.format.LogCleanup;
import service.log.lmdb.KeyBuffer;
import service.log.lmdb.MappedBytes;
import service.log.lmdb.ReadTransaction;
import service.log.retain.Retention;
import service.projection.table.AppliedTable;
import service.projection.table.CatalogSource;
import service.projection.table.ProjectionEnvironment;
import service.projection.table.ProjectionTable;
import service.projection.table.RecordTable;
import service.projection.table.SchemaTable;
import service.projection.table.TableAccess;

/**
 * Finds the managed blobs that no readable state refers to. It walks the records that readable states need, collects
 * the digests they refer to, then walks the blobs. Before each deletion it reads newer commits ({@link #catchUp}),
 * because an event may refer to blobs that are stored already.
 *
 * <p>Keeps eight bytes of each digest; a collision only keeps a blob longer than needed. One thread at a time.
 */
public final class BlobSweep {
    private static final int BATCH_ENTRIES = 100_000;
    private static final int BATCH_BLOBS = 256;

    private final EventLog log;
    private final ProjectionEnvironment environment;
    private final Retention retention;
    private final LongHashSet referenced = new LongHashSet();
    private final Int2ObjectHashMap<EntityKind> kinds = new Int2ObjectHashMap<>();
    private final UnsafeBuffer row = new UnsafeBuffer(0, 0);
    private final KeyBuffer from = new KeyBuffer();
    private final ChangeReader changes = new ChangeReader();
    private byte @Nullable [] last;
    private long seen;
    private long bytes;

    private BlobSweep(EventLog log, ProjectionEnvironment environment, Retention retention) {
        this.log = log;
        this.environment = environment;
        this.retention = retention;
    }

    /** Walks the records; null when there are no blobs. */
    public static @Nullable BlobSweep begin(
            EventLog log, ProjectionEnvironment environment, CatalogSource catalogs, Retention retention) {
        if (LogCleanup.blobs(log, null, 1).isEmpty()) {
            return null;
        }
        BlobSweep sweep = new BlobSweep(log, environment, retention);
        sweep.learnKinds(catalogs);
        sweep.walkRecords();
        return sweep;
    }

    private void learnKinds(CatalogSource catalogs) {
        try (ReadTransaction read = environment.environment().read()) {
            TableAccess access = environment.access(read);
            seen = AppliedTable.offset(access);
            for (SchemaTable.Stored stored : SchemaTable.all(access)) {
                Catalog catalog = catalogs.catalog(stored.source(), stored.identities());
                for (EntityType type : catalog.nodes()) {
                    kinds.put(type.identity(), type.kind());
                }
                for (EntityType type : catalog.edges()) {
                    kinds.put(type.identity(), type.kind());
                }
            }
            access.end();
        }
    }

    private void walkRecords() {
        EntryNeed need = new EntryNeed(ProjectionTable.RECORDS, retention);
        boolean more = true;
        while (more) {
            try (ReadTransaction read = environment.environment().read()) {
                TableAccess access = environment.access(read);
                more = walkRecords(access, need);
                access.end();
            }
        }
    }

    private boolean walkRecords(TableAccess access, EntryNeed need) {
        Cursor<DirectBuffer> cursor = access.cursor(ProjectionTable.RECORDS);
        try {
            boolean found = from.length() == 0 ? cursor.first() : cursor.get(from.key(), GetOp.MDB_SET_RANGE);
            for (int looked = 0; found && looked < BATCH_ENTRIES; looked++) {
                if (need.test(cursor.key(), cursor.val())) {
                    takeRecord(cursor.key(), cursor.val());
                }
                found = cursor.next();
            }
            if (found) {
                from.clear()
                        .putMemory(cursor.key().addressOffset(), cursor.key().capacity());
            }
            return found;
        } finally {
            access.release(ProjectionTable.RECORDS, cursor);
        }
    }

    private void takeRecord(DirectBuffer key, DirectBuffer value) {
        if (!RecordTable.live(value.addressOffset())) {
            return;
        }
        int type = MappedBytes.keyIntAt(key.addressOffset());
        int at = kinds.get(type) == EntityKind.EDGE ? RecordTable.EDGE_ROW : RecordTable.NODE_ROW;
        row.wrap(value, at, value.capacity() - at);
        PropertyRow.blobs(row, 0, this::remember);
    }

    private void remember(Value.ManagedBlob blob) {
        referenced.add(prefix(blob.sha256()));
    }

    /** Adds the references of commits up to an offset. */
    public void catchUp(long offset) {
        if (offset <= seen) {
            return;
        }
        try (EventReader reader = log.read()) {
            reader.scan(seen + 1, (at, event) -> {
                if (at > offset) {
                    return false;
                }
                reader.codec().changes(event, at, changes);
                while (changes.next()) {
                    if (changes.hasAfter()) {
                        PropertyRow.blobs(changes.buffer(), changes.afterPosition(), this::remember);
                    }
                }
                return true;
            });
        }
        seen = offset;
    }

    /** The unreferenced blobs among the next ones; null at the end. */
    public @Nullable List<byte[]> next() {
        List<LogCleanup.Blob> heads = LogCleanup.blobs(log, last, BATCH_BLOBS);
        if (heads.isEmpty()) {
            return null;
        }
        last = heads.getLast().sha256();
        List<LogCleanup.Blob> lost =
                heads.stream().filter(head -> !isReferenced(head.sha256())).toList();
        bytes += lost.stream().mapToLong(LogCleanup.Blob::size).sum();
        return lost.stream().map(LogCleanup.Blob::sha256).toList();
    }

    public boolean isReferenced(byte[] sha256) {
        return referenced.contains(prefix(sha256));
    }

    /** Bytes of all blobs returned by {@link #next}. */
    public long bytes() {
        return bytes;
    }

    private static long prefix(byte[] sha256) {
        return ByteBuffer.wrap(sha256).getLong();
    }
}
