package service.core.graph.branch;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import service.core.error.ErrorDetail;
import service.core.error.ServiceException;
import service.core.event.ChangeBlock;
import service.core.event.ChangeBlockWriter;
import service.core.event.ChangeReader;
import service.core.event.ChangeSorter;
import service.core.event.EntityChange;
import service.core.event.Image;
import service.core.graph.check.CheckedChanges;
import service.core.graph.check.ConstraintChecks;
import service.core.graph.check.EdgeImages;
import service.core.graph.check.RulesCache;
import service.core.graph.check.Violations;
import service.core.graph.request.TimeBudget;
import service.core.port.Branch;
import service.core.port.GraphSession;
import service.core.port.GraphView;
import service.core.schema.Catalog;
import service.core.schema.EntityType;
import service.core.schema.IndexDefinition;
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
    /**
     * The outcome of a merge.
     *
     * @param checked the changes to the target's head, without entities in conflict
     * @param conflicts up to {@link ConflictList#CONFLICTS_MAX}, nodes before edges, then by type and id
     * @param resolved the resolutions, all used
     */
    record Merged(
            CheckedChanges checked, List<MergeConflict> conflicts, int conflictCount, MergeResult.Resolved resolved) {
        ChangeBlock changes() {
            return checked.changes();
        }
    }

    /** An entity by its type and its id. */
    record Entity(int type, String id) {}

    private final GraphSession session;
    private final MergeInput input;
    private final ChangeBlock source;
    private final Branch branch;
    private final GraphView target;
    private final Catalog catalog;
    private final Resolutions resolutions;
    private final TimeBudget time;
    private final ConflictList conflicts;

    /** Null when the source has the schema of the target. */
    private final @Nullable SchemaConflicts schemas;

    /** Indexes in the source's changes of the entities that the two sides have changed differently. */
    private final BitSet disputed = new BitSet();

    /** The same of the entities that the source has as at the base, but not as at another base. */
    private final Set<Entity> ambiguous = new HashSet<>();

    /**
     * Prepares the merge.
     *
     * @param branch the target
     * @param target view of the target's head
     * @param kept see {@link SchemaConflicts}
     */
    MergeRun(
            GraphSession session,
            MergeInput input,
            Branch branch,
            GraphView target,
            Map<Entity, Entity> kept,
            TimeBudget time) {
        this.session = session;
        this.input = input;
        this.source = input.source();
        this.branch = branch;
        this.target = target;
        this.catalog = target.catalog();
        MergeInput.Written written = input.written();
        this.resolutions = new Resolutions(
                input.asked().resolutions(),
                catalog,
                written == null ? null : written.schema(),
                input.byProperty() ? null : input.sides().granularity);
        this.time = time;
        this.conflicts = new ConflictList(input.budget(), input.sides(), branch.name());
        this.schemas = written == null
                ? null
                : new SchemaConflicts(
                        input,
                        written,
                        branch.name(),
                        target,
                        new SchemaConflicts.Decisions(resolutions, conflicts),
                        kept);
    }

    Merged run(RulesCache rules) {
        if (schemas != null) {
            schemas.find(time);
        }
        ChangeBlock merged = decideEach();
        findOrphans(merged);
        CheckedChanges checked =
                ConstraintChecks.collect(branch, merged, target, rules, input.budget(), new Violations() {
                    @Override
                    public void accept(ServiceException violation) {
                        violated(violation, null);
                    }

                    @Override
                    public void ofIndex(IndexDefinition unique, ServiceException violation) {
                        violated(violation, unique);
                    }
                });
        if (schemas == null || !schemas.keepsMore()) {
            resolutions.refuseNeedless();
        }
        return new Merged(checked, conflicts.first(), conflicts.count(), resolutions.counts());
    }

    /** Receives a change of the target. */
    @FunctionalInterface
    private interface Changes {
        void add(EntityKind kind, int type, String id, @Nullable Image before, @Nullable Image after);
    }

    private ChangeBlock decideEach() {
        ChangeBlockWriter taken = new ChangeBlockWriter(input.budget());
        if (input.others().isEmpty()) {
            decideChanged(taken::add);
            return taken.finish();
        }
        try (ChangeSorter sorter = new ChangeSorter(input.budget())) {
            decideChanged(sorter::add);
            decideUnchanged(sorter::add);
            sorter.merge(taken::addNet);
        }
        return taken.finish();
    }

    private void decideChanged(Changes taken) {
        ChangeReader reader = source.reader();
        for (int index = 0; reader.next(); index++) {
            time.step();
            EntityChange change = reader.change();
            if (!decide(change, change.after(), taken)) {
                disputed.set(index);
            }
        }
    }

    /** Decides the entities that the source has as at the base, but not as at another base. */
    private void decideUnchanged(Changes taken) {
        Set<Entity> seen = new HashSet<>();
        for (ChangeBlock other : input.others()) {
            ChangeReader reader = other.reader();
            while (reader.next()) {
                time.step();
                if (source.indexOf(reader.type(), reader.id()) < 0) {
                    EntityChange change = reader.change();
                    Entity entity = new Entity(change.typeIdentity(), change.id());
                    conflicts.charge(entity.id);
                    if (seen.add(entity) && !decide(change, change.before(), taken)) {
                        ambiguous.add(entity);
                    }
                }
            }
        }
    }

    /**
     * Decides one entity; false when it is in conflict.
     *
     * @param change has the state at the base as its state before
     * @param after the state at the source's head
     */
    private boolean decide(EntityChange change, @Nullable Image after, Changes taken) {
        int type = change.typeIdentity();
        if (schemas != null && schemas.isKept(type, change.id())) {
            return true;
        }
        if (schemas != null && schemas.isOpen(type, change.id())) {
            return false;
        }
        Image current = target.find(type, change.id());
        switch (ThreeWay.decide(bases(change), after, current, input.byProperty())) {
            case ThreeWay.Kept ignored -> {
                return true;
            }
            case ThreeWay.Taken(Image image) -> {
                taken.add(change.kind(), type, change.id(), current, image);
                return true;
            }
            case ThreeWay.Disputed found -> {
                Resolutions.@Nullable Outcome outcome = resolved(type, change.id(), found, after, current);
                if (outcome == null || !outcome.open().isEmpty()) {
                    conflicts.add(
                            conflicts.divergent(catalog.requireType(type), change, after, current, found, outcome));
                    return false;
                }
                if (!Objects.equals(outcome.image(), current)) {
                    taken.add(change.kind(), type, change.id(), current, outcome.image());
                }
                return true;
            }
        }
    }

    /** What the resolutions make of an entity in conflict; null when none takes a side of it as a whole. */
    private Resolutions.@Nullable Outcome resolved(
            int type, String id, ThreeWay.Disputed found, @Nullable Image after, @Nullable Image current) {
        if (found.combined() != null && after != null && current != null) {
            return resolutions.takeEach(type, id, found, after, current);
        }
        Resolution.Side side = resolutions.takeWhole(type, id);
        return side == null
                ? null
                : new Resolutions.Outcome(side == Resolution.Side.SOURCE ? after : current, List.of());
    }

    /** The states of an entity at the merge bases. */
    private List<@Nullable Image> bases(EntityChange change) {
        List<@Nullable Image> bases = new ArrayList<>(1);
        bases.add(change.before());
        for (ChangeBlock other : input.others()) {
            EntityChange there = other.find(change.typeIdentity(), change.id());
            bases.add(there == null ? change.before() : there.after());
        }
        return bases;
    }

    /** Whether the entity was live at a merge base other than the newest one. */
    private boolean isOfOtherBase(int type, String id) {
        return input.ofOthers(type, id).anyMatch(there -> there.after() != null);
    }

    private boolean isDisputed(int type, String id) {
        int index = source.indexOf(type, id);
        return index >= 0 ? disputed.get(index) : ambiguous.contains(new Entity(type, id));
    }

    /** Finds edges of one side that end in a node that the other side deleted. */
    private void findOrphans(ChangeBlock merged) {
        ChangeReader taken = merged.reader();
        while (taken.next()) {
            if (taken.isEdge() && taken.hasAfter()) {
                time.step();
                EntityType.EdgeType edge = (EntityType.EdgeType) catalog.requireType(taken.type());
                Image after = Objects.requireNonNull(taken.after());
                checkEnd(merged, edge, taken.id(), EdgeImages.type(edge, after, Direction.OUT), after.from());
                checkEnd(merged, edge, taken.id(), EdgeImages.type(edge, after, Direction.IN), after.to());
            }
        }
        ChangeReader reader = source.reader();
        while (reader.next()) {
            if (!reader.isEdge() && !reader.hasAfter() && !resolutions.keepsTarget(reader.type(), reader.id())) {
                time.step();
                checkEdgesOf(merged, reader.type(), reader.id());
            }
        }
        for (ChangeBlock other : input.others()) {
            ChangeReader there = other.reader();
            while (there.next()) {
                if (!there.isEdge() && source.indexOf(there.type(), there.id()) < 0) {
                    time.step();
                    if (isDeletedBySource(there.type(), there.id())) {
                        checkEdgesOf(merged, there.type(), there.id());
                    }
                }
            }
        }
    }

    /** Whether the source has deleted a node that was live at a merge base. */
    private boolean isDeletedBySource(int type, String id) {
        if (resolutions.keepsTarget(type, id)) {
            return false;
        }
        EntityChange change = source.find(type, id);
        if (change != null) {
            return change.after() == null;
        }
        EntityChange other = ofOtherBase(type, id);
        return other != null && other.before() == null;
    }

    /** An entity in which a base differs from the newest one, whose state is the one before; null for any other one. */
    private @Nullable EntityChange ofOtherBase(int type, String id) {
        return input.ofOthers(type, id).findFirst().orElse(null);
    }

    private void checkEnd(
            ChangeBlock merged, EntityType.EdgeType edge, String id, int nodeType, @Nullable String node) {
        if (node == null) {
            return;
        }
        EntityChange change = source.find(nodeType, node);
        boolean bySource = isDeletedBySource(nodeType, node);
        boolean known = change == null || change.before() != null || isOfOtherBase(nodeType, node);
        if (bySource || (known && target.lookup(nodeType, node) < 0 && merged.indexOf(nodeType, node) < 0)) {
            orphan(edge, id, nodeType, node, bySource);
        }
    }

    /** Finds edges of the target that end in a node that the source deleted. */
    private void checkEdgesOf(ChangeBlock merged, int node, String id) {
        int ordinal = target.lookup(node, id);
        if (ordinal < 0) {
            return;
        }
        for (EntityType.EdgeType edge : catalog.edges()) {
            checkEdges(merged, edge, Direction.OUT, node, id, ordinal);
            checkEdges(merged, edge, Direction.IN, node, id, ordinal);
        }
    }

    private void checkEdges(
            ChangeBlock merged, EntityType.EdgeType edge, Direction direction, int node, String nodeId, int ordinal) {
        for (int edgeOrdinal : target.edgesOf(edge.identity(), direction, node, ordinal)) {
            time.step();
            String id = target.id(edge.identity(), edgeOrdinal);
            // The entities that the merge changes were checked with their own ends.
            if (merged.indexOf(edge.identity(), id) < 0 && !isDisputed(edge.identity(), id)) {
                orphan(edge, id, node, nodeId, true);
            }
        }
    }

    private void orphan(EntityType.EdgeType edge, String id, int nodeType, String node, boolean bySource) {
        EntityChange change = source.find(edge.identity(), id);
        Image was = change == null ? atBase(edge.identity(), id) : change.before();
        conflicts.addOnce(
                new MergeConflict(
                        edge,
                        id,
                        MergeConflict.Kind.ORPHAN_EDGE,
                        ConflictList.describe(edge, id)
                                + ": "
                                + input.sides()
                                        .orphan(
                                                ConflictList.describe(catalog.requireType(nodeType), node),
                                                bySource,
                                                branch.name()),
                        List.of(),
                        was,
                        change == null ? was : change.after(),
                        target.find(edge.identity(), id)),
                nodeType + " " + node);
    }

    private @Nullable Image atBase(int type, String id) {
        try (GraphView view = session.viewAs(input.base(), catalog)) {
            return view.find(type, id);
        }
    }

    private void violated(ServiceException violation, @Nullable IndexDefinition unique) {
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
        if (kind == MergeConflict.Kind.ORPHAN_EDGE && conflicts.isOrphan(type.identity(), id)) {
            // Each of its ends has a conflict already, which says who deleted it.
            return;
        }
        if (schemas != null && schemas.take(kind, type, id, unique, violation)) {
            return;
        }
        // For a cardinality violation the id is that of the node at the edges' source.
        boolean ofEdges = kind == MergeConflict.Kind.CARDINALITY_VIOLATION;
        EntityChange change = ofEdges ? null : source.find(type.identity(), id);
        EntityChange other = ofEdges || change != null ? null : ofOtherBase(type.identity(), id);
        Image was = change != null ? change.before() : other != null ? other.before() : null;
        String message = violation.getMessage();
        conflicts.addOnce(
                new MergeConflict(
                        type,
                        id,
                        kind,
                        message,
                        List.of(),
                        was,
                        change == null ? was : change.after(),
                        ofEdges ? null : target.find(type.identity(), id)),
                message);
    }
}
