package service.core.graph.mutate;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import service.core.budget.RequestBudget;
import service.core.error.ErrorCode;
import service.core.error.ErrorDetail;
import service.core.error.ServiceException;
import service.core.event.ChangeBlock;
import service.core.event.ChangeBlockWriter;
import service.core.event.EntityChange;
import service.core.event.Image;
import service.core.graph.check.EdgeImages;
import service.core.port.GraphView;
import service.core.schema.EntityType;
import service.core.value.Direction;
import service.core.value.EntityKind;

/**
 * The state during a mutation: a view with a layer of changed entities, so that each statement sees the effects of
 * those before it. {@link #toChangeBlock} leaves out entities that end as they began. One thread.
 */
final class PendingChanges {
    /** The resource that {@code entitiesMax} bounds, as a refusal names it. */
    static final String ENTITIES = "mutation_entities";

    /** A changed entity: its image in the view and its current image. Null means that it does not exist. */
    static final class Delta {
        final EntityType type;
        final String id;
        final @Nullable Image before;
        private final int place;
        private @Nullable Image now;
        private boolean wasDeleted;

        private Delta(EntityType type, String id, @Nullable Image before, int place) {
            this.place = place;
            this.type = type;
            this.id = id;
            this.before = before;
            this.now = before;
        }

        @Nullable
        Image now() {
            return now;
        }
    }

    /** Heap bytes of a delta and its entry in a map, without the bytes of id and images. */
    private static final int DELTA_BYTES = 300;

    private final GraphView view;
    private final RequestBudget budget;
    private final int entitiesMax;
    private final Map<Integer, Map<String, Delta>> byType = new LinkedHashMap<>();

    /** The number of changed entities. */
    private int size;

    /** Live changed edges by type: a cascade must search them in addition to the view. */
    private int liveEdgeDeltas;

    /**
     * A layer without changes.
     *
     * @param budget charged for the changed entities
     * @param entitiesMax maximum number of changed entities
     */
    PendingChanges(GraphView view, RequestBudget budget, int entitiesMax) {
        this.view = view;
        this.budget = budget;
        this.entitiesMax = entitiesMax;
    }

    /** The current image of the entity; null when it does not exist. */
    @Nullable
    Image current(EntityType type, String id) {
        Delta delta = touched(type, id);
        return delta == null ? view.find(type.identity(), id) : delta.now;
    }

    boolean isLive(EntityType type, String id) {
        Delta delta = touched(type, id);
        return delta == null ? view.lookup(type.identity(), id) >= 0 : delta.now != null;
    }

    @Nullable
    Delta touched(EntityType type, String id) {
        Map<String, Delta> deltas = byType.get(type.identity());
        return deltas == null ? null : deltas.get(id);
    }

    /** The changed entities of a type, in the order in which they were first changed. */
    Collection<Delta> touched(EntityType type) {
        Map<String, Delta> deltas = byType.get(type.identity());
        return deltas == null ? List.of() : deltas.values();
    }

    void put(EntityType type, String id, Image image) {
        set(type, id, image);
    }

    /** Deletes an entity and, for a node, its live edges. */
    void delete(EntityType type, String id) {
        set(type, id, null);
        if (type instanceof EntityType.NodeType) {
            for (EntityType.EdgeType edge : view.catalog().edges()) {
                for (Direction direction : Direction.values()) {
                    if (edge.near(direction).has(type.identity())) {
                        deleteEdges(edge, direction, type, id);
                    }
                }
            }
        }
    }

    private void deleteEdges(EntityType.EdgeType edge, Direction direction, EntityType node, String nodeId) {
        int ordinal = view.lookup(node.identity(), nodeId);
        if (ordinal >= 0) {
            for (int edgeOrdinal : view.edgesOf(edge.identity(), direction, node.identity(), ordinal)) {
                String id = view.id(edge.identity(), edgeOrdinal);
                Image now = current(edge, id);
                if (now != null && EdgeImages.isAt(edge, now, direction, node.identity(), nodeId)) {
                    set(edge, id, null);
                }
            }
        }
        if (liveEdgeDeltas > 0) {
            for (Delta delta : List.copyOf(touched(edge))) {
                if (delta.now != null && EdgeImages.isAt(edge, delta.now, direction, node.identity(), nodeId)) {
                    set(edge, delta.id, null);
                }
            }
        }
    }

    private void set(EntityType type, String id, @Nullable Image image) {
        Map<String, Delta> deltas = byType.computeIfAbsent(type.identity(), ignored -> new LinkedHashMap<>());
        Delta delta = deltas.get(id);
        if (delta == null) {
            requireRoom(size + 1);
            delta = new Delta(type, id, view.find(type.identity(), id), size++);
            budget.memory()
                    .charge(
                            DELTA_BYTES + id.length() + bytes(delta.before) + bytes(image),
                            "the mutation",
                            "change fewer entities at a time");
            deltas.put(id, delta);
        } else if (type.kind() == EntityKind.EDGE && delta.now != null) {
            liveEdgeDeltas--;
        }
        delta.now = image;
        delta.wasDeleted |= image == null;
        if (type.kind() == EntityKind.EDGE && image != null) {
            liveEdgeDeltas++;
        }
    }

    /** Refuses more changed entities than one mutation may have. */
    void requireRoom(int entities) {
        if (entities > entitiesMax) {
            throw new ServiceException(
                    ErrorCode.RESOURCE_LIMIT,
                    "one mutation changes at most " + entitiesMax + " entities: narrow its predicates and repeat it",
                    new ErrorDetail.ResourceLimit(ENTITIES, entitiesMax, null));
        }
    }

    private static long bytes(@Nullable Image image) {
        return image == null ? 0 : image.properties().bytes().length;
    }

    /** The nodes that were deleted with their edges and then inserted again. */
    Set<Rows.Key> insertedAgain() {
        Set<Rows.Key> nodes = new HashSet<>();
        for (Map<String, Delta> deltas : byType.values()) {
            for (Delta delta : deltas.values()) {
                if (delta.wasDeleted && delta.now != null) {
                    nodes.add(new Rows.Key(delta.type.identity(), delta.id));
                }
            }
        }
        return nodes;
    }

    /** The position at which an entity was first changed. */
    int place(EntityChange change) {
        Map<String, Delta> deltas = byType.get(change.typeIdentity());
        Delta delta = deltas == null ? null : deltas.get(change.id());
        return delta == null ? Integer.MAX_VALUE : delta.place;
    }

    /** The net changes, in the order of an event. */
    ChangeBlock toChangeBlock() {
        List<EntityChange> changes = new ArrayList<>();
        for (Map<String, Delta> deltas : byType.values()) {
            for (Delta delta : deltas.values()) {
                Image before = delta.before;
                Image now = delta.now;
                if (before == null ? now != null : !before.equals(now)) {
                    changes.add(new EntityChange(delta.type.kind(), delta.type.identity(), delta.id, before, now));
                }
            }
        }
        changes.sort(ChangeBlock.ORDER);
        ChangeBlockWriter writer = new ChangeBlockWriter(budget);
        changes.forEach(writer::add);
        return writer.finish();
    }
}
