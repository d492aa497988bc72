package service.core.graph.check;

import java.util.AbstractList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.IntConsumer;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;
import service.core.budget.RequestBudget;
import service.core.budget.SideWork;
import service.core.error.ErrorCode;
import service.core.error.ErrorDetail;
import service.core.error.ServiceException;
import service.core.event.ChangeBlock;
import service.core.event.EntityChange;
import service.core.event.Image;
import service.core.event.ResolvedIds;
import service.core.port.Branch;
import service.core.port.GraphView;
import service.core.schema.Catalog;
import service.core.schema.EdgeEnd;
import service.core.schema.EntityType;
import service.core.value.Direction;
import service.core.value.KeyText;

/**
 * Decides whether the state after a change set is allowed, for every kind of write. The order is that of
 * {@code docs/writes.md}: types and required values; ranges, checks, enums; ids and endpoints; uniqueness
 * ({@link UniquenessCheck}); cardinality ({@link CardinalityCheck}). The first violation of the first failing check is
 * reported.
 *
 * <p>The cost is proportional to the change: each changed entity is checked, each edge's ends are looked up, a deleted
 * node's edges are walked, a changed unique tuple is looked up once, and the edges of each source whose edges changed
 * are counted. No other part of the graph is read.
 */
public final class ConstraintChecks {
    private static final String VALUE = "value_constraint_violation";
    private static final String ORPHAN = "orphan_edge";

    /** Changes between two readings of the clock: below a millisecond of work. */
    private static final int CHANGES_PER_CHECKPOINT = 256;

    /** From this number of changes on, a second thread saves more time than it costs. */
    private static final int ASIDE_MIN = 8_192;

    private static final int TYPES = 0;
    private static final int VALUES = 1;
    private static final int IDS = 2;

    private final ChangeBlock changes;

    /** The same changes in the order in which they are checked. */
    private final List<EntityChange> order;

    /** Whether the ends of edges are checked after all else: another thread does that while this one looks up ids. */
    private final boolean endsLast;

    /** Null when ids are looked up one by one. */
    private @Nullable ResolvedIds ids;

    private final GraphView view;
    private final Catalog catalog;
    private final Map<Integer, TypeRules> rules;
    private final RequestBudget budget;

    /** Receives every violation; null when the first one ends the check. */
    private final @Nullable Violations collector;

    /** The first violation of each of the first three checks, when the first one ends the check. */
    private final @Nullable ServiceException[] first = new ServiceException[IDS + 1];

    private @Nullable TypeRules lastRules;

    /** Changes, the state before them, the rules of its schema by type, and what pays for the check. */
    private record Subject(ChangeBlock changes, GraphView view, Map<Integer, TypeRules> rules, RequestBudget budget) {}

    private ConstraintChecks(
            Subject subject,
            List<EntityChange> order,
            boolean endsLast,
            @Nullable ResolvedIds ids,
            @Nullable Violations collector) {
        this.collector = collector;
        this.endsLast = endsLast;
        this.ids = ids;
        this.budget = subject.budget;
        this.changes = subject.changes;
        this.order = order;
        this.view = subject.view;
        this.catalog = view.catalog();
        this.rules = subject.rules;
    }

    /**
     * Refuses a change set that would violate a constraint.
     *
     * @param branch whose head the view shows
     * @param view the state before the changes
     * @param budget charged for the memory of the checks
     * @param orphan an edge with a missing end that is not among the changes; reported in the order of the checks
     * @param told the position at which the client named an entity; called only after a violation
     * @throws ServiceException CONFLICT for uniqueness and cardinality, BAD_REQUEST for the rest, with a constraint
     *     violation as detail
     */
    public static CheckedChanges check(
            Branch branch,
            ChangeBlock changes,
            GraphView view,
            RulesCache cache,
            RequestBudget budget,
            @Nullable ServiceException orphan,
            ToIntFunction<EntityChange> told) {
        Subject subject = new Subject(changes, view, cache.of(view.catalog()), budget);
        try {
            return inEventOrder(subject, null).run(branch, orphan);
        } catch (ServiceException violation) {
            // Of several violations the one that the client named first is reported, because a client reads its batch
            // from the top. The changes themselves are in the order of an event.
            new ConstraintChecks(subject, inOrder(changes, told), false, null, null).run(branch, orphan);
            throw violation;
        }
    }

    /** The changes by index, decoded on access. */
    private static List<EntityChange> inOrder(ChangeBlock changes, ToIntFunction<EntityChange> place) {
        long[] placed = new long[changes.count()];
        List<EntityChange> all = changes.changes();
        for (int i = 0; i < placed.length; i++) {
            placed[i] = (long) place.applyAsInt(all.get(i)) << Integer.SIZE | i;
        }
        Arrays.sort(placed);
        return new AbstractList<>() {
            @Override
            public EntityChange get(int index) {
                return all.get((int) placed[index]);
            }

            @Override
            public int size() {
                return placed.length;
            }
        };
    }

    /** The message for an entity whose values or id are not allowed. */
    public static ErrorDetail valueViolation(EntityType type, @Nullable String id) {
        return new ErrorDetail.ConstraintViolation(VALUE, type.kind().wireName(), type.name(), id);
    }

    /**
     * Reports every violation of a change set.
     *
     * @param violations receives each violation
     */
    public static CheckedChanges collect(
            Branch branch,
            ChangeBlock changes,
            GraphView view,
            RulesCache cache,
            RequestBudget budget,
            Violations violations) {
        return inEventOrder(new Subject(changes, view, cache.of(view.catalog()), budget), violations)
                .run(branch, null);
    }

    private static ConstraintChecks inEventOrder(Subject subject, @Nullable Violations collector) {
        ChangeBlock changes = subject.changes;
        // A collector receives the violations in the order of the changes.
        boolean worthwhile = IdLookup.isWorthwhile(changes);
        boolean endsLast = worthwhile
                && collector == null
                && changes.count() >= ASIDE_MIN
                && changes.counts().nodesDeleted() == 0;
        ResolvedIds ids = worthwhile && !endsLast ? IdLookup.run(changes, subject.view, subject.budget) : null;
        return new ConstraintChecks(subject, changes.changes(), endsLast, ids, collector);
    }

    /** One pass over the changes serves the first three checks: decoding a change costs more than checking it. */
    private CheckedChanges run(Branch branch, @Nullable ServiceException orphan) {
        if (endsLast) {
            try (SideWork values = SideWork.start(budget, beside -> checkEach(() -> beside.checkpoint(() -> {})))) {
                ids = IdLookup.run(changes, view, budget);
                values.await();
            }
            checkEnds();
        } else {
            checkEach(this::checkpoint);
        }
        rules.values().forEach(TypeRules::trim);
        throwFirst(VALUES);
        if (orphan != null) {
            throw orphan;
        }
        throwFirst(IDS);
        Violations last = collector != null
                ? collector
                : violation -> {
                    throw violation;
                };
        UniquenessCheck uniqueness = new UniquenessCheck(changes, order, view, rules, budget, last);
        uniqueness.run();
        new CardinalityCheck(changes, order, view, budget, last).run();
        return new CheckedChanges(branch, catalog, rules, ids == null ? changes : changes.with(ids), uniqueness);
    }

    /** Uses the view only for entities that are deleted, and for ends unless they come last. */
    private void checkEach(Runnable checkpoint) {
        Steps steps = new Steps(checkpoint);
        for (int place = 0; place < order.size(); place++) {
            checkOne(place, steps);
            if (place % CHANGES_PER_CHECKPOINT == 0) {
                checkpoint.run();
            }
        }
    }

    /** Calls a checkpoint in the midst of one change when the regular expressions of its checks take long. */
    private static final class Steps implements IntConsumer {
        private static final int STEPS_PER_CHECKPOINT = 20_000;

        private final Runnable checkpoint;
        private int steps;

        Steps(Runnable checkpoint) {
            this.checkpoint = checkpoint;
        }

        @Override
        public void accept(int count) {
            steps += count;
            if (steps >= STEPS_PER_CHECKPOINT) {
                steps = 0;
                checkpoint.run();
            }
        }
    }

    private void checkpoint() {
        budget.checkpoint(() -> {});
    }

    /** Checks the ends of all edges, which are inserted. */
    private void checkEnds() {
        ResolvedIds resolved = ids;
        for (int place = changes.count() - changes.counts().edgesInserted(); place < changes.count(); place++) {
            if (resolved == null || !isLive(resolved.source(place)) || !isLive(resolved.destination(place))) {
                EntityChange change = order.get(place);
                checkEnds((EntityType.EdgeType) rules(change).type, change, place);
            }
            if (place % CHANGES_PER_CHECKPOINT == 0) {
                checkpoint();
            }
        }
    }

    private void throwFirst(int check) {
        ServiceException violation = first[check];
        if (violation != null) {
            throw violation;
        }
    }

    /** Takes a violation. The first of the first check is thrown at once, because no other can precede it. */
    private void violated(int check, ServiceException violation) {
        if (collector != null) {
            collector.accept(violation);
        } else if (check == TYPES) {
            throw violation;
        } else if (first[check] == null) {
            first[check] = violation;
        }
    }

    private void checkOne(int place, IntConsumer steps) {
        EntityChange change = order.get(place);
        TypeRules typeRules = rules(change);
        EntityType type = typeRules.type;
        Image after = change.after();
        if (after == null) {
            if (type instanceof EntityType.NodeType) {
                checkNoEdgeLeft(type, change.id());
            }
            return;
        }
        String typeFault = typeRules.typeFault(after);
        String valueFault = typeFault == null ? typeRules.valueFault(after, steps) : null;
        if (collector != null && (typeFault != null || valueFault != null)) {
            List<String> faults = typeRules.faults(after, steps);
            for (String fault :
                    faults.isEmpty() ? List.of(Objects.requireNonNullElse(typeFault, valueFault)) : faults) {
                collector.accept(valueViolation(type, change, fault));
            }
        } else if (typeFault != null) {
            violated(TYPES, valueViolation(type, change, typeFault));
        } else if (valueFault != null) {
            violated(VALUES, valueViolation(type, change, valueFault));
        }
        if (typeFault == null) {
            checkId(type, change, after);
        }
        if (!endsLast && type instanceof EntityType.EdgeType edge && endsChanged(change)) {
            checkEnds(edge, change, place);
        }
    }

    private void checkEnds(EntityType.EdgeType edge, EntityChange change, int place) {
        Image after = Objects.requireNonNull(change.after());
        int source = ids == null ? ResolvedIds.NONE : ids.source(place);
        int destination = ids == null ? ResolvedIds.NONE : ids.destination(place);
        int from = edge.source().type(after.fromType());
        int to = edge.destination().type(after.toType());
        if (!edge.source().has(from) || !isLive(source, from, after.from())) {
            refuseOrphan(edge, change.id(), edge.source(), from, after.from(), "source");
        }
        if (!edge.destination().has(to) || !isLive(destination, to, after.to())) {
            refuseOrphan(edge, change.id(), edge.destination(), to, after.to(), "destination");
        }
    }

    private static ServiceException valueViolation(EntityType type, EntityChange change, String fault) {
        return violation(ErrorCode.BAD_REQUEST, VALUE, type, change.id(), describe(type, change.id()) + " " + fault);
    }

    /** Changes of one type are adjacent, so the type is usually that of the change before. */
    private TypeRules rules(EntityChange change) {
        TypeRules found = lastRules;
        if (found != null && found.type.identity() == change.typeIdentity()) {
            return found;
        }
        found = rules.get(change.typeIdentity());
        lastRules = found;
        if (found == null) {
            throw new IllegalStateException("no type has the identity " + change.typeIdentity());
        }
        return found;
    }

    static boolean endsChanged(EntityChange change) {
        Image before = change.before();
        Image after = change.after();
        return before == null || after == null || !before.hasSameSource(after) || !before.hasSameDestination(after);
    }

    private void checkId(EntityType type, EntityChange change, Image after) {
        String fault = change.before() == null ? KeyText.fault(change.id()) : null;
        if (fault != null) {
            violated(
                    IDS,
                    violation(
                            ErrorCode.BAD_REQUEST,
                            VALUE,
                            type,
                            change.id(),
                            "the id of a " + type.name() + " " + fault));
        }
        // A change of an entity, too, can break its key: a revert or a merge brings what the type had without the key.
        if (!type.key().isEmpty() && !EntityIds.gives(type, after, change.id())) {
            violated(
                    IDS,
                    valueViolation(
                            type,
                            change,
                            "must have the id `" + EntityIds.derive(type, after) + "`, which its key gives"));
        }
    }

    /** @param resolved what {@link #ids} say of the node */
    private boolean isLive(int resolved, int type, @Nullable String id) {
        if (isLive(resolved)) {
            return true;
        }
        if (id == null) {
            return false;
        }
        int index = ResolvedIds.isChange(resolved) ? ResolvedIds.changeOf(resolved) : changes.indexOf(type, id);
        return index >= 0 ? changes.change(index).after() != null : view.lookup(type, id) >= 0;
    }

    /** Whether a resolved end is known to be live without reading the change that it may be. */
    private boolean isLive(int resolved) {
        return resolved >= 0
                || (ResolvedIds.isChange(resolved) && changes.counts().nodesDeleted() == 0);
    }

    private void refuseOrphan(
            EntityType.EdgeType edge, String id, EdgeEnd end, int nodeType, @Nullable String nodeId, String what) {
        EntityType node = catalog.type(nodeType);
        refuseOrphan(
                edge,
                id,
                ": its " + what + ", " + (node == null ? "a node of a dropped type" : node.name()) + " `" + nodeId
                        + "`, " + (end.has(nodeType) ? "does not exist" : "is no " + end.names()));
    }

    private void checkNoEdgeLeft(EntityType node, String nodeId) {
        int ordinal = view.lookup(node.identity(), nodeId);
        if (ordinal < 0) {
            return;
        }
        for (EntityType.EdgeType edge : catalog.edges()) {
            checkNoEdgeLeft(edge, Direction.OUT, node, nodeId, ordinal);
            checkNoEdgeLeft(edge, Direction.IN, node, nodeId, ordinal);
        }
    }

    private void checkNoEdgeLeft(
            EntityType.EdgeType edge, Direction direction, EntityType node, String nodeId, int ordinal) {
        for (int edgeOrdinal : view.edgesOf(edge.identity(), direction, node.identity(), ordinal)) {
            String id = view.id(edge.identity(), edgeOrdinal);
            // An edge among the changes is deleted, or the check of that change covers its ends.
            EntityChange change = changes.find(edge.identity(), id);
            boolean left = change == null
                    || (change.after() != null
                            && EdgeImages.isAt(edge, change.after(), direction, node.identity(), nodeId));
            if (left) {
                refuseOrphan(edge, id, " would be left without its end, " + node.name() + " `" + nodeId + "`");
            }
        }
    }

    /** @param why written after the edge's name */
    private void refuseOrphan(EntityType.EdgeType edge, String id, String why) {
        violated(IDS, violation(ErrorCode.BAD_REQUEST, ORPHAN, edge, id, describe(edge, id) + why));
    }

    static String describe(EntityType type, String id) {
        return type.kind().wireName() + " " + type.name() + " `" + id + "`";
    }

    /** A refusal that names its entity. */
    static ServiceException violation(ErrorCode code, String kind, EntityType type, String id, String message) {
        return new ServiceException(
                code,
                message,
                new ErrorDetail.ConstraintViolation(kind, type.kind().wireName(), type.name(), id));
    }
}
