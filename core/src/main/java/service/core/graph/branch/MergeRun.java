package service.core.graph.branch;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import service.core.error.ErrorDetail;
import service.core.error.ServiceException;
import service.core.event.EntityChange;
import service.core.event.Image;
import service.core.graph.check.ChangeSet;
import service.core.graph.check.ConstraintChecks;
import service.core.graph.check.RulesCache;
import service.core.graph.request.TimeBudget;
import service.core.port.GraphSession;
import service.core.port.GraphView;
import service.core.port.ReadPoint;
import service.core.schema.Catalog;
import service.core.schema.EntityType;
import service.core.schema.Property;
import service.core.value.Direction;
import service.core.value.EntityKind;

/**
 * Puts what the source has changed since the merge base on top of the target's head.
 *
 * <p>What only the target has changed stays as it is, so it is never looked at: the cost is a look at the target for
 * each entity that the source has changed, the edges of nodes that it has deleted, and the constraint checks of the
 * outcome. One thread, one use.
 */
final class MergeRun {
    static final int CONFLICTS_MAX = 1_000;

    private static final Comparator<MergeConflict> ORDER = Comparator.comparing(
                    (MergeConflict conflict) -> conflict.type().kind())
            .thenComparingInt(conflict -> conflict.type().identity())
            .thenComparing(MergeConflict::entityId, service.core.value.ValueOrder::compareText)
            .thenComparing(MergeConflict::kind);

    /**
     * What a merge comes to.
     *
     * @param changes what the target's head would change in; those in conflict are not among them
     * @param conflicts up to {@link #CONFLICTS_MAX}, nodes before edges, then by type and id
     */
    record Merged(ChangeSet changes, List<MergeConflict> conflicts, int conflictCount) {}

    private record Name(MergeConflict.Kind kind, int type, String id) {}

    private record Entity(int type, String id) {}

    private final GraphSession session;
    private final ReadPoint base;
    private final ChangeSet source;
    private final GraphView target;
    private final Catalog catalog;
    private final boolean byProperty;
    private final TimeBudget time;
    private final List<MergeConflict> conflicts = new ArrayList<>();
    private final Set<Name> named = new HashSet<>();
    private final Set<Entity> disputed = new HashSet<>();

    /**
     * Prepares the merge.
     *
     * @param source net changes from the base to the source's head
     * @param target view of the target's head
     */
    MergeRun(
            GraphSession session,
            ReadPoint base,
            ChangeSet source,
            GraphView target,
            boolean byProperty,
            TimeBudget time) {
        this.session = session;
        this.base = base;
        this.source = source;
        this.target = target;
        this.catalog = target.catalog();
        this.byProperty = byProperty;
        this.time = time;
    }

    Merged run(RulesCache rules) {
        ChangeSet merged = decideEach();
        findOrphans(merged);
        ConstraintChecks.collect(merged, target, rules, this::violated);
        conflicts.sort(ORDER);
        List<MergeConflict> first =
                conflicts.size() <= CONFLICTS_MAX ? conflicts : List.copyOf(conflicts.subList(0, CONFLICTS_MAX));
        return new Merged(merged, first, conflicts.size());
    }

    private ChangeSet decideEach() {
        List<EntityChange> taken = new ArrayList<>();
        for (EntityChange change : source.changes()) {
            time.check();
            int type = change.typeIdentity();
            Image current = target.find(type, change.id());
            switch (ThreeWay.decide(change.before(), change.after(), current, byProperty)) {
                case ThreeWay.Kept ignored -> {}
                case ThreeWay.Taken(Image image) ->
                    taken.add(new EntityChange(change.kind(), type, change.id(), current, image));
                case ThreeWay.Disputed(MergeConflict.Kind kind, List<Integer> properties) -> {
                    EntityType entityType = catalog.requireType(type);
                    disputed.add(new Entity(type, change.id()));
                    add(new MergeConflict(
                            entityType,
                            change.id(),
                            kind,
                            describe(entityType, change.id()) + ": " + explain(entityType, kind, change, properties),
                            change.before(),
                            change.after(),
                            current));
                }
            }
        }
        return ChangeSet.ofSorted(taken);
    }

    private static String explain(
            EntityType type, MergeConflict.Kind kind, EntityChange change, List<Integer> properties) {
        return switch (kind) {
            case DIVERGENT_INSERT -> "both sides inserted it with different content";
            case DELETE_VS_UPDATE ->
                change.after() == null
                        ? "the source deleted it, the target changed it"
                        : "the source changed it, the target deleted it";
            default ->
                properties.isEmpty()
                        ? "both sides changed it"
                        : "both sides changed its "
                                + String.join(
                                        ", ",
                                        properties.stream()
                                                .map(property -> name(type, property))
                                                .toList());
        };
    }

    private static String name(EntityType type, int property) {
        if (property == ThreeWay.FROM || property == ThreeWay.TO) {
            return property == ThreeWay.FROM ? "source node" : "destination node";
        }
        Property found = type.property(property);
        return found == null ? Integer.toString(property) : "`" + found.name() + "`";
    }

    private static String describe(EntityType type, String id) {
        return type.kind().wireName() + " " + type.name() + " `" + id + "`";
    }

    private void add(MergeConflict conflict) {
        if (named.add(new Name(conflict.kind(), conflict.type().identity(), conflict.entityId()))) {
            conflicts.add(conflict);
        }
    }

    /** Edges of one side that end in a node which the other deleted. */
    private void findOrphans(ChangeSet merged) {
        for (EntityChange change : merged.changes()) {
            Image after = change.after();
            if (after != null && catalog.requireType(change.typeIdentity()) instanceof EntityType.EdgeType edge) {
                checkEnd(edge, change.id(), edge.source(), after.from());
                checkEnd(edge, change.id(), edge.destination(), after.to());
            }
        }
        for (EntityChange change : source.changes()) {
            if (change.kind() == EntityKind.NODE && change.after() == null) {
                time.check();
                checkEdgesOf(merged, change);
            }
        }
    }

    private void checkEnd(EntityType.EdgeType edge, String id, int nodeType, @Nullable String node) {
        if (node == null) {
            return;
        }
        EntityChange change = source.find(nodeType, node);
        boolean bySource = change != null && change.after() == null;
        boolean known = change == null || change.before() != null;
        if (bySource || (known && target.lookup(nodeType, node) < 0)) {
            orphan(edge, id, nodeType, node, bySource ? "source" : "target");
        }
    }

    /** Edges of the target that end in a node which the source deleted. */
    private void checkEdgesOf(ChangeSet merged, EntityChange deleted) {
        int node = deleted.typeIdentity();
        int ordinal = target.lookup(node, deleted.id());
        if (ordinal < 0) {
            return;
        }
        for (EntityType.EdgeType edge : catalog.edges()) {
            if (edge.source() == node) {
                checkEdges(merged, edge, Direction.OUT, deleted, ordinal);
            }
            if (edge.destination() == node) {
                checkEdges(merged, edge, Direction.IN, deleted, ordinal);
            }
        }
    }

    private void checkEdges(
            ChangeSet merged, EntityType.EdgeType edge, Direction direction, EntityChange node, int ordinal) {
        for (int edgeOrdinal : target.edgesOf(edge.identity(), direction, ordinal)) {
            String id = target.id(edge.identity(), edgeOrdinal);
            // What the merge changes was looked at with its own ends.
            if (merged.find(edge.identity(), id) == null && !disputed.contains(new Entity(edge.identity(), id))) {
                orphan(edge, id, node.typeIdentity(), node.id(), "source");
            }
        }
    }

    private void orphan(EntityType.EdgeType edge, String id, int nodeType, String node, String deletedBy) {
        EntityChange change = source.find(edge.identity(), id);
        Image was = change == null ? atBase(edge.identity(), id) : change.before();
        add(new MergeConflict(
                edge,
                id,
                MergeConflict.Kind.ORPHAN_EDGE,
                describe(edge, id)
                        + ": its end, "
                        + describe(catalog.requireType(nodeType), node)
                        + ", was deleted by the "
                        + deletedBy,
                was,
                change == null ? was : change.after(),
                target.find(edge.identity(), id)));
    }

    private @Nullable Image atBase(int type, String id) {
        try (GraphView view = session.view(base)) {
            return view.find(type, id);
        }
    }

    private void violated(ServiceException violation) {
        if (!(violation.detail() instanceof ErrorDetail.ConstraintViolation found)) {
            throw violation;
        }
        MergeConflict.Kind kind = MergeConflict.Kind.valueOf(found.kind().toUpperCase(Locale.ROOT));
        EntityType type = catalog.node(found.typeName());
        if (type == null || !found.entityKind().equals(EntityKind.NODE.wireName())) {
            type = catalog.edge(found.typeName());
        }
        String id = found.entityId();
        if (type == null || id == null) {
            throw violation;
        }
        if (disputed.contains(new Entity(type.identity(), id)) && kind != MergeConflict.Kind.CARDINALITY_VIOLATION) {
            // It has its conflict already; what it will be is not decided.
            return;
        }
        // Of a cardinality the id is that of the node at the edges' source.
        boolean ofEdges = kind == MergeConflict.Kind.CARDINALITY_VIOLATION;
        EntityChange change = ofEdges ? null : source.find(type.identity(), id);
        add(new MergeConflict(
                type,
                id,
                kind,
                violation.getMessage(),
                change == null ? null : change.before(),
                change == null ? null : change.after(),
                ofEdges ? null : target.find(type.identity(), id)));
    }
}
