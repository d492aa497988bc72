package service.core.graph.check;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import service.core.error.ErrorCode;
import service.core.error.ErrorDetail;
import service.core.error.ServiceException;
import service.core.event.EntityChange;
import service.core.event.Image;
import service.core.port.GraphView;
import service.core.schema.Catalog;
import service.core.schema.EntityType;
import service.core.value.Direction;
import service.core.value.KeyText;
import service.core.value.PropertyRow;

/**
 * Decides whether the state that a change set makes of a view is allowed: the one place for it, whatever made the
 * changes; {@link UniquenessCheck} and {@link CardinalityCheck} are its last two checks. In the order of
 * {@code data.md} §3: types and required values; ranges, checks, enums; ids and endpoints; uniqueness; cardinality. The
 * first offender of the first failing check is named.
 *
 * <p>Costs in proportion to the change: each changed entity is looked at by itself, each edge's ends are looked up, a
 * deleted node's edges are walked, a changed unique tuple is sought once, and the edges of each source whose edges
 * changed are counted. Nothing else of the graph is read.
 */
public final class ConstraintChecks {
    private static final String VALUE = "value_constraint_violation";
    private static final String ORPHAN = "orphan_edge";

    private final ChangeSet changes;

    /** The same changes in the order in which they are looked at. */
    private final List<EntityChange> order;

    private final GraphView view;
    private final Catalog catalog;
    private final Map<Integer, TypeRules> rules;
    private final Consumer<ServiceException> violations;
    private @Nullable TypeRules lastRules;

    private ConstraintChecks(
            ChangeSet changes,
            List<EntityChange> order,
            GraphView view,
            Map<Integer, TypeRules> rules,
            Consumer<ServiceException> violations) {
        this.violations = violations;
        this.changes = changes;
        this.order = order;
        this.view = view;
        this.catalog = view.catalog();
        this.rules = rules;
    }

    /**
     * Refuses a change set that would break a constraint.
     *
     * @param view the state before the changes
     * @param orphan an edge without an end that is not among the changes; told when it is its turn
     * @param told the order in which the client told of the changes; asked only after a violation
     * @throws ServiceException CONFLICT for uniqueness and cardinality, BAD_REQUEST for the rest, with a constraint
     *     violation as detail
     */
    public static void check(
            ChangeSet changes,
            GraphView view,
            RulesCache cache,
            @Nullable ServiceException orphan,
            Supplier<Comparator<EntityChange>> told) {
        Map<Integer, TypeRules> rules = cache.of(view.catalog());
        try {
            refusing(changes, changes.changes(), view, rules).run(orphan);
        } catch (ServiceException violation) {
            // Of several offenders the one that the client told of first is named: it reads its
            // batch from the top. The event's order, in which the changes lie, is not the client's.
            List<EntityChange> asTold = new ArrayList<>(changes.changes());
            asTold.sort(told.get());
            refusing(changes, asTold, view, rules).run(orphan);
            throw violation;
        }
    }

    private static ConstraintChecks refusing(
            ChangeSet changes, List<EntityChange> order, GraphView view, Map<Integer, TypeRules> rules) {
        return new ConstraintChecks(changes, order, view, rules, violation -> {
            throw violation;
        });
    }

    /** What a refusal says of an entity whose values, or whose id, are not allowed. */
    public static ErrorDetail valueViolation(EntityType type, @Nullable String id) {
        return new ErrorDetail.ConstraintViolation(VALUE, type.kind().wireName(), type.name(), id);
    }

    /**
     * Tells of every constraint that a change set would break.
     *
     * @param violations takes each violation
     */
    public static void collect(
            ChangeSet changes, GraphView view, RulesCache cache, Consumer<ServiceException> violations) {
        new ConstraintChecks(changes, changes.changes(), view, cache.of(view.catalog()), violations).run(null);
    }

    private void run(@Nullable ServiceException orphan) {
        checkTypes();
        checkValues();
        if (orphan != null) {
            violations.accept(orphan);
        }
        checkIdsAndEndpoints();
        new UniquenessCheck(changes, order, view, rules, violations).run();
        new CardinalityCheck(changes, order, view, violations).run();
    }

    /** Changes of one type stand together, so that mostly it is the type of the change before. */
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

    private void checkTypes() {
        for (EntityChange change : order) {
            if (change.after() != null) {
                refuseValue(change, rules(change).typeFault(change.after()));
            }
        }
    }

    private void checkValues() {
        for (EntityChange change : order) {
            if (change.after() != null) {
                refuseValue(change, rules(change).valueFault(change.after()));
            }
        }
    }

    private void refuseValue(EntityChange change, @Nullable String fault) {
        if (fault != null) {
            violations.accept(violation(
                    ErrorCode.BAD_REQUEST, VALUE, rules(change).type, change.id(), describe(change) + " " + fault));
        }
    }

    private void checkIdsAndEndpoints() {
        for (EntityChange change : order) {
            EntityType type = rules(change).type;
            Image after = change.after();
            if (after == null) {
                if (type instanceof EntityType.NodeType) {
                    checkNoEdgeLeft(type, change.id());
                }
                continue;
            }
            if (change.before() == null) {
                checkId(type, change);
            }
            if (type instanceof EntityType.EdgeType edge && endsChanged(change)) {
                checkEnd(edge, change.id(), edge.source(), after.from(), "source");
                checkEnd(edge, change.id(), edge.destination(), after.to(), "destination");
            }
        }
    }

    static boolean endsChanged(EntityChange change) {
        Image before = change.before();
        Image after = change.after();
        return before == null
                || after == null
                || !Objects.equals(before.from(), after.from())
                || !Objects.equals(before.to(), after.to());
    }

    private void checkId(EntityType type, EntityChange change) {
        String fault = KeyText.fault(change.id());
        if (fault != null) {
            violations.accept(violation(
                    ErrorCode.BAD_REQUEST, VALUE, type, change.id(), "the id of a " + type.name() + " " + fault));
        }
        if (type instanceof EntityType.NodeType node && !node.key().isEmpty() && change.after() != null) {
            PropertyRow row = change.after().properties();
            if (!EntityIds.gives(node, row, change.id())) {
                violations.accept(violation(
                        ErrorCode.BAD_REQUEST,
                        VALUE,
                        type,
                        change.id(),
                        describe(change)
                                + " must have the id `"
                                + EntityIds.derive(node, row)
                                + "`, which its key gives"));
            }
        }
    }

    private void checkEnd(EntityType.EdgeType edge, String id, int nodeType, @Nullable String nodeId, String end) {
        if (nodeId == null || !isLive(nodeType, nodeId)) {
            refuseOrphan(
                    edge,
                    id,
                    ": its " + end + ", " + catalog.requireType(nodeType).name() + " `" + nodeId + "`, does not exist");
        }
    }

    private boolean isLive(int type, String id) {
        EntityChange change = changes.find(type, id);
        return change == null ? view.lookup(type, id) >= 0 : change.after() != null;
    }

    private void checkNoEdgeLeft(EntityType node, String nodeId) {
        int ordinal = view.lookup(node.identity(), nodeId);
        if (ordinal < 0) {
            return;
        }
        for (EntityType.EdgeType edge : catalog.edges()) {
            if (edge.source() == node.identity()) {
                checkNoEdgeLeft(edge, Direction.OUT, node, nodeId, ordinal);
            }
            if (edge.destination() == node.identity()) {
                checkNoEdgeLeft(edge, Direction.IN, node, nodeId, ordinal);
            }
        }
    }

    private void checkNoEdgeLeft(
            EntityType.EdgeType edge, Direction direction, EntityType node, String nodeId, int ordinal) {
        for (int edgeOrdinal : view.edgesOf(edge.identity(), direction, ordinal)) {
            String id = view.id(edge.identity(), edgeOrdinal);
            // An edge that the change set touches is deleted, or its ends are checked where it
            // stands.
            EntityChange change = changes.find(edge.identity(), id);
            boolean left = change == null
                    || (change.after() != null
                            && nodeId.equals(
                                    direction == Direction.OUT
                                            ? change.after().from()
                                            : change.after().to()));
            if (left) {
                refuseOrphan(edge, id, " would be left without its end, " + node.name() + " `" + nodeId + "`");
            }
        }
    }

    /** @param why goes behind the edge's name */
    private void refuseOrphan(EntityType.EdgeType edge, String id, String why) {
        violations.accept(violation(ErrorCode.BAD_REQUEST, ORPHAN, edge, id, describe(edge, id) + why));
    }

    private String describe(EntityChange change) {
        return describe(rules(change).type, change.id());
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
