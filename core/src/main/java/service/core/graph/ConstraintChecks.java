package service.core.graph;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import service.core.batch.EntityColumn;
import service.core.batch.ExpandBatch;
import service.core.error.ErrorCode;
import service.core.error.ErrorDetail;
import service.core.error.ServiceException;
import service.core.event.EntityChange;
import service.core.event.Image;
import service.core.port.GraphView;
import service.core.port.IndexRange;
import service.core.schema.Catalog;
import service.core.schema.Constraint;
import service.core.schema.EntityType;
import service.core.schema.IndexDefinition;
import service.core.schema.Property;
import service.core.value.Direction;
import service.core.value.KeyText;
import service.core.value.PropertyRow;
import service.core.value.Value;

/**
 * Decides whether the state that a change set makes of a view is allowed: the one place for it,
 * whatever made the changes. In the order of {@code data.md} §3: types and required values; ranges,
 * checks, enums; ids and endpoints; uniqueness; cardinality. The first offender of the first
 * failing check is named.
 *
 * <p>Costs in proportion to the change: each changed entity is looked at by itself, each edge's
 * ends are looked up, a deleted node's edges are walked, a changed unique tuple is sought once, and
 * the edges of each source whose edges changed are counted. Nothing else of the graph is read.
 */
final class ConstraintChecks {
    private static final String VALUE = "value_constraint_violation";
    private static final String ORPHAN = "orphan_edge";
    private static final String UNIQUE = "unique_violation";
    private static final String CARDINALITY = "cardinality_violation";

    private final ChangeSet changes;

    /** The same changes in the order in which they are looked at. */
    private final List<EntityChange> order;

    private final GraphView view;
    private final Catalog catalog;
    private final Map<Integer, TypeRules> rules;
    private final Consumer<ServiceException> violations;
    private @Nullable EntityColumn entities;
    private @Nullable ExpandBatch neighbours;
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
     * @throws ServiceException CONFLICT for uniqueness and cardinality, BAD_REQUEST for the rest,
     *     with a constraint violation as detail
     */
    static void check(
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
            ChangeSet changes,
            List<EntityChange> order,
            GraphView view,
            Map<Integer, TypeRules> rules) {
        return new ConstraintChecks(
                changes,
                order,
                view,
                rules,
                violation -> {
                    throw violation;
                });
    }

    /** What a refusal says of an entity whose values, or whose id, are not allowed. */
    static ErrorDetail valueViolation(EntityType type, @Nullable String id) {
        return new ErrorDetail.ConstraintViolation(VALUE, type.kind().wireName(), type.name(), id);
    }

    /**
     * Tells of every constraint that a change set would break.
     *
     * @param violations takes each violation
     */
    static void collect(
            ChangeSet changes,
            GraphView view,
            RulesCache cache,
            Consumer<ServiceException> violations) {
        new ConstraintChecks(changes, changes.changes(), view, cache.of(view.catalog()), violations)
                .run(null);
    }

    private void run(@Nullable ServiceException orphan) {
        checkTypes();
        checkValues();
        if (orphan != null) {
            violations.accept(orphan);
        }
        checkIdsAndEndpoints();
        checkUnique();
        checkCardinality();
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
            violations.accept(
                    violation(
                            ErrorCode.BAD_REQUEST,
                            VALUE,
                            rules(change).type,
                            change.id(),
                            describe(change) + " " + fault));
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

    private boolean endsChanged(EntityChange change) {
        Image before = change.before();
        Image after = change.after();
        return before == null
                || after == null
                || !java.util.Objects.equals(before.from(), after.from())
                || !java.util.Objects.equals(before.to(), after.to());
    }

    private void checkId(EntityType type, EntityChange change) {
        String fault = KeyText.fault(change.id());
        if (fault != null) {
            violations.accept(
                    violation(
                            ErrorCode.BAD_REQUEST,
                            VALUE,
                            type,
                            change.id(),
                            "the id of a " + type.name() + " " + fault));
        }
        if (type instanceof EntityType.NodeType node
                && !node.key().isEmpty()
                && change.after() != null) {
            PropertyRow row = change.after().properties();
            if (!EntityIds.gives(node, row, change.id())) {
                violations.accept(
                        violation(
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

    private void checkEnd(
            EntityType.EdgeType edge,
            String id,
            int nodeType,
            @Nullable String nodeId,
            String end) {
        if (nodeId == null || !isLive(nodeType, nodeId)) {
            violations.accept(
                    violation(
                            ErrorCode.BAD_REQUEST,
                            ORPHAN,
                            edge,
                            id,
                            "edge "
                                    + edge.name()
                                    + " `"
                                    + id
                                    + "`: its "
                                    + end
                                    + ", "
                                    + catalog.requireType(nodeType).name()
                                    + " `"
                                    + nodeId
                                    + "`, does not exist"));
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
            EntityType.EdgeType edge,
            Direction direction,
            EntityType node,
            String nodeId,
            int ordinal) {
        for (int edgeOrdinal : view.edgesOf(edge.identity(), direction, ordinal)) {
            String id = view.id(edge.identity(), edgeOrdinal);
            // An edge that the change set touches is deleted, or its ends are checked where it
            // stands.
            EntityChange change = changes.find(edge.identity(), id);
            boolean left =
                    change == null
                            || (change.after() != null
                                    && nodeId.equals(
                                            direction == Direction.OUT
                                                    ? change.after().from()
                                                    : change.after().to()));
            if (left) {
                violations.accept(
                        violation(
                                ErrorCode.BAD_REQUEST,
                                ORPHAN,
                                edge,
                                id,
                                "edge "
                                        + edge.name()
                                        + " `"
                                        + id
                                        + "` would be left without its end, "
                                        + node.name()
                                        + " `"
                                        + nodeId
                                        + "`"));
            }
        }
    }

    private void checkUnique() {
        Map<IndexDefinition, Map<List<Value>, String>> claims = new HashMap<>();
        Map<Integer, Boolean> populated = new HashMap<>();
        for (EntityChange change : order) {
            Image after = change.after();
            if (after == null) {
                continue;
            }
            TypeRules typeRules = rules(change);
            for (IndexDefinition index : typeRules.unique) {
                List<Value> tuple = tuple(index, after);
                if (tuple != null) {
                    String holder =
                            claims.computeIfAbsent(index, ignored -> new HashMap<>())
                                    .putIfAbsent(tuple, change.id());
                    boolean moved =
                            change.before() == null || !tuple.equals(tuple(index, change.before()));
                    if (holder == null
                            && moved
                            && populated.computeIfAbsent(
                                    change.typeIdentity(), type -> view.count(type) > 0)) {
                        holder = holderInView(index, tuple, change.typeIdentity());
                    }
                    if (holder != null) {
                        // Of two, the one that came to the tuple is at fault, not the one that had
                        // it.
                        violations.accept(
                                moved
                                        ? duplicate(typeRules.type, change.id(), index, holder)
                                        : duplicate(typeRules.type, holder, index, change.id()));
                    }
                }
            }
        }
    }

    /** The values of an index's members, or null when one of them is null. */
    private static @Nullable List<Value> tuple(IndexDefinition index, Image image) {
        List<Value> values = new ArrayList<>(index.members().size());
        for (int member : index.members()) {
            Value value =
                    switch (member) {
                        case Constraint.SRC -> text(image.from());
                        case Constraint.DST -> text(image.to());
                        default -> image.properties().get(member);
                    };
            if (value == null) {
                return null;
            }
            // 0.0 and −0.0 are one value to GQ and to the index.
            values.add(
                    value instanceof Value.Real real && real.value() == 0
                            ? new Value.Real(0.0)
                            : value);
        }
        return values;
    }

    private static @Nullable Value text(@Nullable String end) {
        return end == null ? null : new Value.Text(end);
    }

    /** The id of a live entity that holds the tuple and is not itself changed, or null. */
    private @Nullable String holderInView(IndexDefinition index, List<Value> tuple, int type) {
        List<Value> sought = sought(index, tuple);
        if (sought == null) {
            return null;
        }
        EntityColumn found = entities();
        try (GraphView.Scan scan = view.seek(IndexRange.equal(index.identity(), sought))) {
            int size;
            while ((size = scan.next(found)) > 0) {
                for (int row = 0; row < size; row++) {
                    String id = view.id(type, found.ordinals[row]);
                    if (changes.find(type, id) == null) {
                        return id;
                    }
                }
            }
        }
        return null;
    }

    /** A column to use at once; made when it is first asked for. */
    private EntityColumn entities() {
        EntityColumn column = entities;
        if (column == null) {
            column = new EntityColumn();
            entities = column;
        }
        return column;
    }

    /**
     * The tuple as the index compares it, ends as ordinals; null when an end is not in the view:
     * then nobody holds it.
     */
    private @Nullable List<Value> sought(IndexDefinition index, List<Value> tuple) {
        List<Value> sought = new ArrayList<>(tuple);
        for (int i = 0; i < tuple.size(); i++) {
            int member = index.members().get(i);
            if (member == Constraint.SRC || member == Constraint.DST) {
                EntityType.EdgeType edge =
                        (EntityType.EdgeType) catalog.requireType(index.typeIdentity());
                int ordinal =
                        view.lookup(
                                member == Constraint.SRC ? edge.source() : edge.destination(),
                                ((Value.Text) tuple.get(i)).value());
                if (ordinal < 0) {
                    return null;
                }
                sought.set(i, new Value.Int(ordinal));
            }
        }
        return sought;
    }

    private ServiceException duplicate(
            EntityType type, String id, IndexDefinition index, String holder) {
        List<String> members =
                index.members().stream().map(member -> memberName(type, member)).toList();
        return violation(
                ErrorCode.CONFLICT,
                UNIQUE,
                type,
                id,
                describe(type, id)
                        + " has the same "
                        + String.join(", ", members)
                        + " as `"
                        + holder
                        + "`; @unique allows each once");
    }

    private static String memberName(EntityType type, int member) {
        if (member == Constraint.SRC || member == Constraint.DST) {
            return member == Constraint.SRC ? "src" : "dst";
        }
        Property property = type.property(member);
        return property == null ? Integer.toString(member) : property.name();
    }

    /** How many edges a source has gained, less those it has lost. */
    private static final class Balance {
        int net;
    }

    private void checkCardinality() {
        for (EntityType.EdgeType edge : catalog.edges()) {
            boolean bounded = edge.minPerSource() > 0 || edge.maxPerSource() < Integer.MAX_VALUE;
            if (bounded && changes.touches(edge.identity())) {
                checkCardinality(edge);
            }
        }
    }

    private void checkCardinality(EntityType.EdgeType edge) {
        Map<String, Balance> balances = new LinkedHashMap<>();
        for (EntityChange change : order) {
            if (change.typeIdentity() == edge.identity() && endsChanged(change)) {
                if (change.before() != null && change.before().from() != null) {
                    balances.computeIfAbsent(change.before().from(), ignored -> new Balance())
                            .net--;
                }
                if (change.after() != null && change.after().from() != null) {
                    balances.computeIfAbsent(change.after().from(), ignored -> new Balance()).net++;
                }
            }
        }
        balances.forEach((source, balance) -> checkCardinality(edge, source, balance.net));
    }

    private void checkCardinality(EntityType.EdgeType edge, String source, int net) {
        EntityChange change = changes.find(edge.source(), source);
        if (change != null && change.after() == null) {
            return;
        }
        int ordinal = view.lookup(edge.source(), source);
        int has = (ordinal < 0 ? 0 : edges(edge, ordinal, net)) + net;
        if (has < edge.minPerSource() || has > edge.maxPerSource()) {
            String max =
                    edge.maxPerSource() == Integer.MAX_VALUE
                            ? ""
                            : Integer.toString(edge.maxPerSource());
            violations.accept(
                    violation(
                            ErrorCode.CONFLICT,
                            CARDINALITY,
                            edge,
                            source,
                            catalog.requireType(edge.source()).name()
                                    + " `"
                                    + source
                                    + "` would have "
                                    + has
                                    + " edges "
                                    + edge.name()
                                    + "; @card allows "
                                    + edge.minPerSource()
                                    + ".."
                                    + max));
        }
    }

    /**
     * The edges of a source, counted no further than the bounds tell: a hub that has enough of them
     * costs no more than others.
     *
     * @param net how many the change adds
     */
    private int edges(EntityType.EdgeType edge, int source, int net) {
        long enough = (long) edge.minPerSource() - net;
        if (edge.maxPerSource() < Integer.MAX_VALUE) {
            enough = Math.max(enough, (long) edge.maxPerSource() - net + 1);
        }
        ExpandBatch batch = neighbours;
        if (batch == null) {
            batch = new ExpandBatch();
            neighbours = batch;
        }
        EntityColumn nodes = entities();
        nodes.reset();
        nodes.set(0, edge.source(), source, EntityColumn.NO_RECORD);
        int count = 0;
        try (GraphView.Expansion expansion =
                view.expand(edge.identity(), Direction.OUT, nodes, 1)) {
            while (count < enough && expansion.next(batch)) {
                count += batch.size;
            }
        }
        return count;
    }

    private String describe(EntityChange change) {
        return describe(rules(change).type, change.id());
    }

    private static String describe(EntityType type, String id) {
        return type.kind().wireName() + " " + type.name() + " `" + id + "`";
    }

    private static ServiceException violation(
            ErrorCode code, String kind, EntityType type, String id, String message) {
        return new ServiceException(
                code,
                message,
                new ErrorDetail.ConstraintViolation(kind, type.kind().wireName(), type.name(), id));
    }
}
