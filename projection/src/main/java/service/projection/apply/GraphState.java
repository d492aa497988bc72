package service.projection.apply;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.agrona.ExpandableDirectByteBuffer;
import org.agrona.collections.Int2IntHashMap;
import org.agrona.collections.Long2LongHashMap;
import org.agrona.concurrent.UnsafeBuffer;
import service.core.error.ErrorCode;
import service.core.error.ErrorDetail;
import service.core.error.ServiceException;
import service.core.event.SchemaChange;
import service.core.schema.Catalog;
import service.core.schema.EntityType;
import service.log.lmdb.KeyBuffer;
import service.projection.table.BranchTable;
import service.projection.table.CatalogSource;
import service.projection.table.CountTable;
import service.projection.table.IdTable;
import service.projection.table.Incarnation;
import service.projection.table.ProjectionTable;
import service.projection.table.SchemaTable;
import service.projection.table.TableAccess;
import service.projection.temporal.Chain;

/**
 * The state that applying an event needs of earlier events: heads of branches, counts, schemas and the next ordinals.
 * On the heap. It is a cache of the tables, and newer than them while entries wait in {@link Puts}; so it evicts
 * nothing before a flush.
 */
final class GraphState {
    private static final int REMEMBERED_MAX = 4_096;

    private final CatalogSource catalogs;
    private final int ordinalsMax;
    private final Map<Integer, Incarnation> incarnations = new HashMap<>();
    private final Map<Integer, Incarnation> unwritten = new LinkedHashMap<>();
    private final Map<Integer, Catalog> schemas = new HashMap<>();
    private final Map<Integer, Long2LongHashMap> counts = new HashMap<>();
    private int rememberedCounts;
    private final Int2IntHashMap nextOrdinals = new Int2IntHashMap(-1);
    private final KeyBuffer key = new KeyBuffer();
    private final ExpandableDirectByteBuffer value = new ExpandableDirectByteBuffer(512);
    private final UnsafeBuffer written = new UnsafeBuffer(0, 0);

    GraphState(CatalogSource catalogs, int ordinalsMax) {
        this.catalogs = catalogs;
        this.ordinalsMax = ordinalsMax;
    }

    Incarnation incarnation(TableAccess access, int number) {
        Incarnation known = incarnations.get(number);
        if (known == null) {
            known = BranchTable.incarnation(access, number);
            if (known == null) {
                throw new IllegalStateException("an event names the incarnation " + number + ", which was never made");
            }
            incarnations.put(number, known);
        }
        return known;
    }

    void change(Incarnation state) {
        incarnations.put(state.incarnation(), state);
        unwritten.put(state.incarnation(), state);
    }

    /**
     * Adds a branch that sees what its parent sees now. Copies the state of the parent; the cost does not depend on the
     * number of branches.
     */
    void fork(Incarnation child, Catalog catalog) {
        change(child);
        schemas.put(child.incarnation(), catalog);
        Long2LongHashMap parents = counts.get(child.parentIncarnation());
        if (parents != null) {
            Long2LongHashMap own = new Long2LongHashMap(parents);
            rememberedCounts += own.size();
            counts.put(child.incarnation(), own);
        }
    }

    Catalog catalog(TableAccess access, int incarnation) {
        Catalog known = schemas.get(incarnation);
        if (known == null) {
            SchemaTable.Stored stored = SchemaTable.read(access, chain(access, incarnation));
            if (stored == null) {
                throw new IllegalStateException("incarnation " + incarnation + " has no schema");
            }
            known = catalogs.catalog(stored.source(), stored.identities());
            schemas.put(incarnation, known);
        }
        return known;
    }

    void schema(int incarnation, SchemaChange change) {
        schemas.put(incarnation, catalogs.catalog(change.source(), change.identities()));
    }

    /** Adds to the live count of a type and returns it. */
    long count(TableAccess access, int incarnation, int type, long more) {
        Long2LongHashMap own = counts.computeIfAbsent(incarnation, any -> new Long2LongHashMap(-1));
        long known = own.get(type);
        if (known < 0) {
            known = CountTable.count(access, chain(access, incarnation), type);
            rememberedCounts++;
        }
        long count = known + more;
        if (count < 0) {
            throw new IllegalStateException("type " + type + " would count " + count + " entities");
        }
        own.put(type, count);
        return count;
    }

    /**
     * Assigns the next ordinal of a type.
     *
     * @throws ServiceException RESOURCE_LIMIT when all ordinals are assigned
     */
    int nextOrdinal(TableAccess access, EntityType entityType) {
        int type = entityType.identity();
        int next = nextOrdinals.get(type);
        if (next < 0) {
            // The bound is read from the tables only when no ordinal is free, because it does not include entries that
            // wait in Puts.
            int free = IdTable.takeFree(access, type);
            if (free >= 0) {
                return free;
            }
        }
        if (next < 0) {
            next = IdTable.ordinalBound(access, type);
        }
        if (next >= ordinalsMax) {
            throw new ServiceException(
                    ErrorCode.RESOURCE_LIMIT,
                    "type `%s` has had %d entities, deleted ones included, and takes no more: delete what is not needed, run `service cleanup --confirm`, then `service rebuild`, which makes room for new ones"
                            .formatted(entityType.name(), next),
                    new ErrorDetail.ResourceLimit("entities_of_type", ordinalsMax, (long) next + 1));
        }
        nextOrdinals.put(type, next + 1);
        return next;
    }

    /** An incarnation and those that it descends from, each before its parent. */
    int[] lineage(TableAccess access, int incarnation) {
        int length = 0;
        for (int i = incarnation; i >= 0; i = incarnation(access, i).parentIncarnation()) {
            length++;
        }
        int[] lineage = new int[length];
        int number = incarnation;
        for (int link = 0; link < length; link++) {
            lineage[link] = number;
            number = incarnation(access, number).parentIncarnation();
        }
        return lineage;
    }

    /** The chain of a branch's newest state. */
    Chain chain(TableAccess access, int incarnation) {
        int[] lineage = lineage(access, incarnation);
        long[] offsets = new long[lineage.length];
        long offset = Long.MAX_VALUE;
        for (int link = 0; link < lineage.length; link++) {
            offsets[link] = offset;
            offset = Math.min(offset, incarnation(access, lineage[link]).forkOffset());
        }
        return new Chain(lineage, offsets);
    }

    /** Writes the incarnations that changed. */
    void write(TableAccess access) {
        for (Incarnation state : unwritten.values()) {
            BranchTable.incarnationKey(key, state.incarnation());
            written.wrap(value, 0, BranchTable.encode(value, state));
            access.put(ProjectionTable.INCARNATIONS, key.key(), written);
        }
        unwritten.clear();
    }

    /** Evicts entries to bound the memory. Call only when no entry waits in {@link Puts}. */
    void trim() {
        if (incarnations.size() > REMEMBERED_MAX || rememberedCounts > REMEMBERED_MAX) {
            forget();
        }
    }

    void forget() {
        incarnations.clear();
        unwritten.clear();
        schemas.clear();
        counts.clear();
        rememberedCounts = 0;
        nextOrdinals.clear();
    }
}
