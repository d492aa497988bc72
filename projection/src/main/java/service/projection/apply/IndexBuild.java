package service.projection.apply;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.agrona.ExpandableDirectByteBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import service.core.schema.Catalog;
import service.core.schema.EntityType;
import service.core.schema.IndexDefinition;
import service.core.schema.RowShape;
import service.core.value.EntityKind;
import service.core.value.PropertyRow;
import service.log.lmdb.KeyBuffer;
import service.log.lmdb.MappedBytes;
import service.projection.table.IndexTable;
import service.projection.table.MappedRow;
import service.projection.table.ProjectionTable;
import service.projection.table.RecordTable;
import service.projection.table.TableAccess;
import service.projection.temporal.Chain;
import service.projection.temporal.TemporalCursor;

/**
 * Makes the postings of the indexes that a migration adds, in the version of its commit: views at the commit and after
 * it find them complete, earlier views do not see them. Reads each type with a new index once, in slices; the postings
 * of a slice are flushed before the next one, so memory does not grow with the entities. One thread.
 */
final class IndexBuild {
    /** Postings whose entries wait in {@link Puts}: some megabytes. */
    private static final int POSTINGS_PER_SLICE = 65_536;

    private final TableAccess access;
    private final Puts puts;
    private final Chain chain;
    private final Catalog catalog;
    private final int incarnation;
    private final long offset;
    private final KeyBuffer from = new KeyBuffer();
    private final KeyBuffer posting = new KeyBuffer();
    private final UnsafeBuffer flag = new UnsafeBuffer(ByteBuffer.allocateDirect(1));
    private final ExpandableDirectByteBuffer shown = new ExpandableDirectByteBuffer(1_024);

    /**
     * @param chain the newest state of the branch, which has no entry of the migration yet
     * @param catalog the schema of the migration
     * @param incarnation with {@code offset}, the version of the new entries
     */
    IndexBuild(TableAccess access, Puts puts, Chain chain, Catalog catalog, int incarnation, long offset) {
        this.access = access;
        this.puts = puts;
        this.chain = chain;
        this.catalog = catalog;
        this.incarnation = incarnation;
        this.offset = offset;
    }

    /** Makes the postings of every index that the schema before does not have. */
    void run(Catalog before) {
        Set<Integer> known = new HashSet<>();
        types(before).forEach(type -> type.indexes().forEach(index -> known.add(index.identity())));
        for (EntityType type : types(catalog)) {
            List<IndexDefinition> added = type.indexes().stream()
                    .filter(index -> !known.contains(index.identity()))
                    .toList();
            if (!added.isEmpty() && before.type(type.identity()) != null) {
                build(type, added);
            }
        }
    }

    private static List<EntityType> types(Catalog catalog) {
        List<EntityType> types = new ArrayList<>(catalog.nodes());
        types.addAll(catalog.edges());
        return types;
    }

    private void build(EntityType type, List<IndexDefinition> added) {
        int next = 0;
        while (next >= 0) {
            next = slice(type, added, next);
            puts.flush();
        }
    }

    /** Makes the postings of some entities; returns the ordinal to continue with, or −1 at the end of the type. */
    private int slice(EntityType type, List<IndexDefinition> added, int first) {
        RowShape shape = catalog.shape(type.identity());
        TemporalCursor cursor = access.temporal(ProjectionTable.RECORDS, chain);
        try {
            RecordTable.member(from, type.identity(), first);
            cursor.seek(from, Integer.BYTES);
            int made = 0;
            while (cursor.next()) {
                int ordinal = MappedBytes.keyIntAt(cursor.memberAddress() + Integer.BYTES);
                if (made >= POSTINGS_PER_SLICE) {
                    return ordinal;
                }
                long record = cursor.valueAddress();
                if (RecordTable.live(record)) {
                    put(type, added, shape, ordinal, record);
                    made += added.size();
                }
            }
            return -1;
        } finally {
            access.release(ProjectionTable.RECORDS, cursor);
        }
    }

    private void put(EntityType type, List<IndexDefinition> added, RowShape shape, int ordinal, long record) {
        boolean edge = type.kind() == EntityKind.EDGE;
        long source = edge ? RecordTable.sourceKey(record, type.identity()) : -1;
        long destination = edge ? RecordTable.destinationKey(record, type.identity()) : -1;
        long row = record + (edge ? RecordTable.EDGE_ROW : RecordTable.NODE_ROW);
        if (!shape.isPlain()) {
            byte[] bytes = shape.shown(PropertyRow.wrap(MappedBytes.copy(row, MappedRow.length(row))))
                    .bytes();
            shown.putBytes(0, bytes);
            row = shown.addressOffset();
        }
        for (IndexDefinition index : added) {
            int flags = IndexTable.put(posting, index, row, source, destination);
            if (flags != IndexTable.ABSENT) {
                posting.putInt(ordinal).putInt(~incarnation).putLong(~offset);
                flag.putByte(0, (byte) (flags | IndexTable.LIVE));
                puts.put(ProjectionTable.INDEX, posting.key(), flag);
            }
        }
    }
}
