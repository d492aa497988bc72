package service.projection.view;

import java.util.HashMap;
import java.util.Map;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import service.core.event.ChangeBlock;
import service.core.event.ChangeReader;
import service.core.event.ResolvedIds;
import service.core.schema.Catalog;
import service.core.schema.EntityType;
import service.log.lmdb.KeyBuffer;
import service.projection.table.AppliedTable;
import service.projection.table.IdReferences;
import service.projection.table.IdSearch;
import service.projection.table.IdTable;
import service.projection.table.TableAccess;

/**
 * Looks up the entities of a change set and the ends of its new edges. Both are sought in key order: the entities are
 * sorted already, and the ends are collected for a window of edges, where each node is looked up once. One thread.
 */
final class IdResolution {
    private static final long WINDOW_BYTES = 4 << 20;
    private static final int CHANGES_PER_CHECKPOINT = 4_096;

    private final TableAccess access;
    private final ProjectionView view;
    private final Catalog catalog;
    private final ChangeBlock changes;
    private final Runnable checkpoint;
    private final int[] entities;
    private final int firstEdge;
    private final int[] sources;
    private final int[] destinations;
    private final Map<Integer, Boolean> eachLive = new HashMap<>();
    private final UnsafeBuffer id = new UnsafeBuffer(0, 0);

    /** @param changes without updates and deletions of edges */
    IdResolution(TableAccess access, ProjectionView view, ChangeBlock changes, Runnable checkpoint) {
        this.access = access;
        this.view = view;
        this.catalog = view.catalog();
        this.changes = changes;
        this.checkpoint = checkpoint;
        int edges = changes.counts().edgesInserted();
        this.entities = new int[changes.count()];
        this.firstEdge = changes.count() - edges;
        this.sources = new int[edges];
        this.destinations = new int[edges];
    }

    ResolvedIds run() {
        findEntities();
        if (sources.length > 0) {
            findEnds();
        }
        return new ResolvedIds(AppliedTable.offset(access), entities, firstEdge, sources, destinations);
    }

    private void findEntities() {
        KeyBuffer key = access.takeKey();
        ChangeReader reader = changes.reader();
        try (IdSearch search = new IdSearch(access)) {
            for (int i = 0; reader.next(); i++) {
                IdTable.idKey(key, reader.type(), reader.buffer(), reader.idPosition(), reader.idLength());
                entities[i] = search.ordinal(key);
                checkpointAt(i);
            }
        } finally {
            access.give(key);
        }
    }

    private void findEnds() {
        ChangeReader reader = changes.reader();
        changes.moveTo(reader, firstEdge);
        try (IdReferences nodes = new IdReferences()) {
            int first = 0;
            for (int edge = 0; edge < sources.length; edge++) {
                EntityType.EdgeType type = edgeType(reader.type());
                int source = type.source().type(reader.afterFromType());
                int destination = type.destination().type(reader.afterToType());
                DirectBuffer bytes = reader.buffer();
                sources[edge] = nodes.reference(source, bytes, reader.afterFromPosition(), reader.afterFromLength());
                destinations[edge] =
                        nodes.reference(destination, bytes, reader.afterToPosition(), reader.afterToLength());
                boolean last = !reader.next();
                if (last || edge + 1 - first == ResolvedIds.WINDOW_EDGES || nodes.bytes() > WINDOW_BYTES) {
                    resolve(nodes, first, edge + 1);
                    first = edge + 1;
                }
                checkpointAt(edge);
            }
        }
    }

    /** Replaces the references of the edges from {@code from}, inclusive, to {@code to}, exclusive. */
    private void resolve(IdReferences nodes, int from, int to) {
        nodes.resolve(access);
        for (int node = 0; node < nodes.size(); node++) {
            nodes.assign(node, end(nodes, node));
        }
        for (int edge = from; edge < to; edge++) {
            sources[edge] = nodes.ordinal(sources[edge]);
            destinations[edge] = nodes.ordinal(destinations[edge]);
        }
        nodes.clear();
    }

    private int end(IdReferences nodes, int node) {
        int type = nodes.type(node);
        if (changes.touches(type)) {
            nodes.id(node, id);
            int change = changes.indexOf(type, id.getStringWithoutLengthUtf8(0, id.capacity()));
            if (change >= 0) {
                return ResolvedIds.ofChange(change);
            }
        }
        int ordinal = nodes.ordinal(node);
        boolean live = ordinal >= 0 && (eachLive.computeIfAbsent(type, view::isEachLive) || view.isLive(type, ordinal));
        return live ? ordinal : ResolvedIds.NONE;
    }

    private void checkpointAt(int done) {
        if (done % CHANGES_PER_CHECKPOINT == 0) {
            checkpoint.run();
        }
    }

    private EntityType.EdgeType edgeType(int identity) {
        return (EntityType.EdgeType) catalog.requireType(identity);
    }
}
