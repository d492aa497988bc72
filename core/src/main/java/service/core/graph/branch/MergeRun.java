package service.core.graph.branch;

import java.util.BitSet;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import service.core.error.ErrorDetail;
import service.core.error.ServiceException;
import service.core.event.ChangeBlock;
import service.core.event.ChangeBlockWriter;
import service.core.event.ChangeReader;
import service.core.event.EntityChange;
import service.core.event.Image;
import service.core.graph.check.CheckedChanges;
import service.core.graph.check.ConstraintChecks;
import service.core.graph.check.RulesCache;
import service.core.graph.request.TimeBudget;
import service.core.port.Branch;
import service.core.port.GraphSession;
import service.core.port.GraphView;
import service.core.schema.Catalog;
import service.core.schema.EntityType;
import service.core.schema.Property;
import service.core.value.Direction;
import service.core.value.EntityKind;

/**
 * Applies the changes of the source since the merge base to the target's head.
 *
 * <p>Entities that only the target has changed stay as they are and are not read. The cost is one look-up in the target
 * for each entity that the source has changed, the edges of nodes that it has deleted, and the constraint checks of the
 * outcome. One thread, one use.
 */
final class MergeRun {
    static final int CONFLICTS_MAX = 1_000;

    /** Heap bytes of an entity's name in a hash set, without the id's characters. */
    private static final int NAME_BYTES = 140;

    private static final Comparator<MergeConflict> ORDER = Comparator.comparing(
                    (MergeConflict conflict) -> conflict.type().kind())
            .thenComparingInt(conflict -> conflict.type().identity())
            .thenComparing(MergeConflict::entityId, service.core.value.ValueOrder::compareText)
            .thenComparing(MergeConflict::kind);

    /**
     * The outcome of a merge.
     *
     * @param checked the changes to the target's head, without entities in conflict
     * @param conflicts up to {@link #CONFLICTS_MAX}, nodes before edges, then by type and id
     * @param resolved the resolutions, all used
     */
    record Merged(
            CheckedChanges checked, List<MergeConflict> conflicts, int conflictCount, MergeResult.Resolved resolved) {
        ChangeBlock changes() {
            return checked.changes();
        }
    }

    private record Name(MergeConflict.Kind kind, int type, String id) {}

    private final GraphSession session;
    private final MergeInput input;
    private final ChangeBlock source;
    private final Branch branch;
    private final GraphView target;
    private final Catalog catalog;
    private final Resolutions resolutions;
    private final TimeBudget time;

    /** The first conflicts in their order; the last one is dropped when there are more than {@link #CONFLICTS_MAX}. */
    private final TreeSet<MergeConflict> conflicts = new TreeSet<>(ORDER);

    private int count;
    private final Set<Name> named = new HashSet<>();

    /** Indexes in the source's changes of the entities that the two sides have changed differently. */
    private final BitSet disputed = new BitSet();

    /**
     * Prepares the merge.
     *
     * @param branch the target
     * @param target view of the target's head
     */
    MergeRun(GraphSession session, MergeInput input, Branch branch, GraphView target, TimeBudget time) {
        this.session = session;
        this.input = input;
        this.source = input.source();
        this.branch = branch;
        this.target = target;
        this.catalog = target.catalog();
        this.resolutions = new Resolutions(input.resolutions(), catalog);
        this.time = time;
    }

    Merged run(RulesCache rules) {
        ChangeBlock merged = decideEach();
        resolutions.refuseNeedless();
        findOrphans(merged);
        CheckedChanges checked =
                ConstraintChecks.collect(branch, merged, target, rules, input.budget(), this::violated);
        return new Merged(checked, List.copyOf(conflicts), count, resolutions.counts());
    }

    private ChangeBlock decideEach() {
        ChangeBlockWriter taken = new ChangeBlockWriter(input.budget());
        ChangeReader reader = source.reader();
        for (int index = 0; reader.next(); index++) {
            time.step();
            decide(reader.change(), index, taken);
        }
        return taken.finish();
    }

    private void decide(EntityChange change, int index, ChangeBlockWriter taken) {
        int type = change.typeIdentity();
        Image current = target.find(type, change.id());
        switch (ThreeWay.decide(change.before(), change.after(), current, input.byProperty())) {
            case ThreeWay.Kept ignored -> {}
            case ThreeWay.Taken(Image image) -> taken.add(change.kind(), type, change.id(), current, image);
            case ThreeWay.Disputed(MergeConflict.Kind kind, List<Integer> properties) -> {
                Resolution.Side side = resolutions.use(type, change.id());
                if (side != null) {
                    if (side == Resolution.Side.SOURCE) {
                        taken.add(change.kind(), type, change.id(), current, change.after());
                    }
                    return;
                }
                EntityType entityType = catalog.requireType(type);
                disputed.set(index);
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

    private boolean isDisputed(int type, String id) {
        int index = source.indexOf(type, id);
        return index >= 0 && disputed.get(index);
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

    /** Adds a conflict that can be found only once. */
    private void add(MergeConflict conflict) {
        count++;
        conflicts.add(conflict);
        if (conflicts.size() > CONFLICTS_MAX) {
            conflicts.pollLast();
        }
    }

    /** Adds a conflict that may have been found before. */
    private void addOnce(MergeConflict conflict) {
        if (named.add(new Name(conflict.kind(), conflict.type().identity(), conflict.entityId()))) {
            input.budget()
                    .memory()
                    .charge(
                            NAME_BYTES + conflict.entityId().length(),
                            "the list of conflicts",
                            "merge in smaller steps, such as an older commit of the source first");
            add(conflict);
        }
    }

    /** Finds edges of one side that end in a node that the other side deleted. */
    private void findOrphans(ChangeBlock merged) {
        ChangeReader taken = merged.reader();
        while (taken.next()) {
            if (taken.isEdge() && taken.hasAfter()) {
                time.step();
                EntityType.EdgeType edge = (EntityType.EdgeType) catalog.requireType(taken.type());
                Image after = Objects.requireNonNull(taken.after());
                checkEnd(merged, edge, taken.id(), edge.source(), after.from());
                checkEnd(merged, edge, taken.id(), edge.destination(), after.to());
            }
        }
        ChangeReader reader = source.reader();
        while (reader.next()) {
            if (!reader.isEdge() && !reader.hasAfter() && !resolutions.keepsTarget(reader.type(), reader.id())) {
                time.step();
                checkEdgesOf(merged, reader.type(), reader.id());
            }
        }
    }

    private void checkEnd(
            ChangeBlock merged, EntityType.EdgeType edge, String id, int nodeType, @Nullable String node) {
        if (node == null) {
            return;
        }
        EntityChange change = source.find(nodeType, node);
        boolean bySource = change != null && change.after() == null && !resolutions.keepsTarget(nodeType, node);
        boolean known = change == null || change.before() != null;
        if (bySource || (known && target.lookup(nodeType, node) < 0 && merged.indexOf(nodeType, node) < 0)) {
            orphan(edge, id, nodeType, node, bySource ? "source" : "target");
        }
    }

    /** Finds edges of the target that end in a node that the source deleted. */
    private void checkEdgesOf(ChangeBlock merged, int node, String id) {
        int ordinal = target.lookup(node, id);
        if (ordinal < 0) {
            return;
        }
        for (EntityType.EdgeType edge : catalog.edges()) {
            if (edge.source() == node) {
                checkEdges(merged, edge, Direction.OUT, node, id, ordinal);
            }
            if (edge.destination() == node) {
                checkEdges(merged, edge, Direction.IN, node, id, ordinal);
            }
        }
    }

    private void checkEdges(
            ChangeBlock merged, EntityType.EdgeType edge, Direction direction, int node, String nodeId, int ordinal) {
        for (int edgeOrdinal : target.edgesOf(edge.identity(), direction, ordinal)) {
            time.step();
            String id = target.id(edge.identity(), edgeOrdinal);
            // The entities that the merge changes were checked with their own ends.
            if (merged.indexOf(edge.identity(), id) < 0 && !isDisputed(edge.identity(), id)) {
                orphan(edge, id, node, nodeId, "source");
            }
        }
    }

    private void orphan(EntityType.EdgeType edge, String id, int nodeType, String node, String deletedBy) {
        EntityChange change = source.find(edge.identity(), id);
        Image was = change == null ? atBase(edge.identity(), id) : change.before();
        addOnce(new MergeConflict(
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
        try (GraphView view = session.view(input.base())) {
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
        if (kind != MergeConflict.Kind.CARDINALITY_VIOLATION && isDisputed(type.identity(), id)) {
            // It is in conflict already, and its outcome is not decided.
            return;
        }
        // For a cardinality violation the id is that of the node at the edges' source.
        boolean ofEdges = kind == MergeConflict.Kind.CARDINALITY_VIOLATION;
        EntityChange change = ofEdges ? null : source.find(type.identity(), id);
        addOnce(new MergeConflict(
                type,
                id,
                kind,
                violation.getMessage(),
                change == null ? null : change.before(),
                change == null ? null : change.after(),
                ofEdges ? null : target.find(type.identity(), id)));
    }
}
