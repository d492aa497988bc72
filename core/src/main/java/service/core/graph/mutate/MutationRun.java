package service.core.graph.mutate;

import java.util.HashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import service.core.error.ErrorCode;
import service.core.error.ErrorDetail;
import service.core.error.Reason;
import service.core.error.ServiceException;
import service.core.event.ChangeBlock;
import service.core.event.EntityChange;
import service.core.event.Image;
import service.core.gq.eval.EntityRow;
import service.core.gq.eval.Evaluator;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Plan;
import service.core.graph.check.ConstraintChecks;
import service.core.graph.check.EdgeImages;
import service.core.graph.check.EntityIds;
import service.core.port.GraphView;
import service.core.port.QueryExecutor;
import service.core.schema.Catalog;
import service.core.schema.EdgeEnd;
import service.core.schema.EntityType;
import service.core.schema.Property;
import service.core.value.KeyText;
import service.core.value.PropertyRow;
import service.core.value.Value;

/**
 * One run of a mutation's statements over one view, in order; each sees the effects of those before it
 * ({@code docs/gq-grammar.md}, Mutations). One thread.
 */
final class MutationRun {
    /** What an entity costs besides the evaluation of expressions: some microseconds. */
    private static final int STEPS_AN_ENTITY = 16;

    private final Plan.Mutation plan;
    private final GraphView view;
    private final Catalog catalog;
    private final Selections selections;
    private final MutationWork work;
    private final Evaluator evaluator;
    private final Supplier<String> newIds;
    private final PendingChanges pending;
    private final Set<PendingChanges.Node> keyed = new HashSet<>();
    private @Nullable ServiceException orphan;

    /**
     * Prepares a run.
     *
     * @param selections the entities that the predicates find in the view
     */
    MutationRun(MutationContext context, GraphView view, Selections selections) {
        QueryExecutor.Limits limits = context.limits();
        this.plan = context.compiled().plan();
        this.view = view;
        this.catalog = view.catalog();
        this.selections = selections;
        this.work = new MutationWork(limits, limits.budget());
        this.evaluator = new Evaluator(context.compiled().arguments(), limits.nowMicros(), work);
        this.newIds = context.newIds();
        this.pending = new PendingChanges(view, limits.budget(), context.entitiesMax());
    }

    /** Runs every statement and returns the net changes, not yet checked against constraints. */
    ChangeBlock run() {
        for (int place = 0; place < plan.statements().size(); place++) {
            step();
            switch (plan.statements().get(place)) {
                case Plan.Statement.InsertNode insert -> insertNode(insert);
                case Plan.Statement.InsertEdge insert -> insertEdge(insert);
                case Plan.Statement.Update update -> update(place, update);
                case Plan.Statement.Delete delete -> delete(place, delete);
            }
        }
        return pending.toChangeBlock();
    }

    /**
     * The first edge that was inserted when its end did not exist, or null. It is found during the statements, but a
     * wrong value in any of them is reported first ({@code docs/writes.md}).
     */
    @Nullable
    ServiceException orphan() {
        return orphan;
    }

    /** The nodes that inserts have named by their keys. Those that existed with the same values are no changes. */
    Set<PendingChanges.Node> keyed() {
        return keyed;
    }

    /** The nodes that statements have deleted, with all edges at them, and inserted again. */
    Set<PendingChanges.Node> insertedAgain() {
        return pending.insertedAgain();
    }

    /** The position at which the statements first named the entity. */
    int place(EntityChange change) {
        return pending.place(change);
    }

    private void insertNode(Plan.Statement.InsertNode insert) {
        EntityType.NodeType type = (EntityType.NodeType) catalog.requireType(insert.type());
        NavigableMap<Integer, Value> given = evaluate(type, insert.assignments(), null);
        if (type.key().isEmpty()) {
            pending.put(type, newIds.get(), Image.ofNode(withDefaults(type, given)));
            return;
        }
        PropertyRow fresh = withDefaults(type, given);
        String id = EntityIds.derive(type, fresh);
        String fault = KeyText.fault(id);
        if (fault != null) {
            throw new ServiceException(
                    ErrorCode.BAD_REQUEST,
                    "the id that the key of a " + type.name() + " gives " + fault,
                    ConstraintChecks.valueViolation(type, KeyText.isShort(id) ? id : null));
        }
        keyed.add(new PendingChanges.Node(type.identity(), id));
        Image existing = pending.current(type, id);
        pending.put(type, id, Image.ofNode(existing == null ? fresh : overlay(existing.properties(), given)));
    }

    private void insertEdge(Plan.Statement.InsertEdge insert) {
        EntityType.EdgeType type = (EntityType.EdgeType) catalog.requireType(insert.type());
        String id = newIds.get();
        Node from = end(type, id, "from", type.source(), insert.from());
        Node to = end(type, id, "to", type.destination(), insert.to());
        PropertyRow row = withDefaults(type, evaluate(type, insert.assignments(), null));
        if (orphan == null) {
            pending.put(type, id, new Image(row, from.id, to.id, from.storedType, to.storedType));
        }
    }

    /** An end as an image names it. */
    private record Node(int storedType, String id) {}

    /** The node that an end names. A missing one is recorded for {@link #orphan}. */
    private Node end(EntityType.EdgeType edge, String edgeId, String what, EdgeEnd end, Expression expression) {
        Value given = evaluator.evaluate(expression, null);
        boolean typed = given instanceof Value.ListOf;
        Value value = typed ? ((Value.ListOf) given).items().getLast() : given;
        if (!(value instanceof Value.Text id)) {
            throw ServiceException.badRequest(
                    Reason.ORPHAN_EDGE,
                    "insert " + edge.name() + ": `" + what + "` must be the id of a node, not null");
        }
        int type = typed
                ? EdgeImages.named(end, what, ((Value.ListOf) given).items().getFirst())
                : end.types().size() == 1
                        ? end.types().getFirst().identity()
                        : EdgeImages.typeOf(
                                end, what, id.value(), each -> pending.isLive(catalog.requireType(each), id.value()));
        EntityType node = catalog.requireType(type);
        if (orphan == null && !pending.isLive(node, id.value())) {
            orphan = new ServiceException(
                    ErrorCode.BAD_REQUEST,
                    "insert "
                            + edge.name()
                            + ": `"
                            + what
                            + "` names the "
                            + node.name()
                            + " `"
                            + id.value()
                            + "`, which does not exist",
                    new ErrorDetail.ConstraintViolation("orphan_edge", "edge", edge.name(), edgeId));
        }
        return new Node(end.stored(type), id.value());
    }

    private void update(int place, Plan.Statement.Update update) {
        EntityType type = catalog.requireType(update.type());
        forEachMatch(place, type, update.predicate(), entity -> {
            NavigableMap<Integer, Value> given = evaluate(type, update.assignments(), entity);
            Image old = entity.image();
            pending.put(type, entity.id(), old.with(overlay(old.properties(), given)));
        });
    }

    private void delete(int place, Plan.Statement.Delete delete) {
        EntityType type = catalog.requireType(delete.type());
        forEachMatch(place, type, delete.predicate(), entity -> pending.delete(type, entity.id()));
    }

    /**
     * Passes on the live entities for which the predicate is true before the statement: first those of the view that no
     * statement has changed, then the changed ones. A statement changes only the current entity and, for a deleted
     * node, its edges, which the predicate cannot refer to.
     */
    private void forEachMatch(int place, EntityType type, Expression predicate, Consumer<EntityRow> consumer) {
        List<PendingChanges.Delta> touched = List.copyOf(pending.touched(type));
        for (int ordinal : selections.of(place)) {
            if (view.isLive(type.identity(), ordinal)) {
                String id = view.id(type.identity(), ordinal);
                if (pending.touched(type, id) == null) {
                    consumer.accept(entity(type, id, view.image(type.identity(), ordinal)));
                }
            }
            step();
        }
        for (PendingChanges.Delta delta : touched) {
            Image now = delta.now();
            if (now != null) {
                EntityRow entity = entity(type, delta.id, now);
                Value holds = evaluator.evaluate(predicate, entity);
                if (holds instanceof Value.Bool bool && bool.value()) {
                    consumer.accept(entity);
                }
            }
            step();
        }
    }

    private void step() {
        work.steps(STEPS_AN_ENTITY);
    }

    private static EntityRow entity(EntityType type, String id, Image image) {
        return new EntityRow(type.identity(), type.name(), id, image);
    }

    /** The assigned values by property, each converted to its type, including nulls. */
    private NavigableMap<Integer, Value> evaluate(
            EntityType type, List<Plan.Assignment> assignments, @Nullable EntityRow entity) {
        NavigableMap<Integer, Value> values = new TreeMap<>();
        for (Plan.Assignment assignment : assignments) {
            Property property = type.property(assignment.property());
            if (property == null) {
                throw new IllegalStateException(type.name() + " has no property " + assignment.name());
            }
            Value value = evaluator.evaluate(assignment.value(), entity);
            values.put(property.identity(), Coercion.toProperty(property.type(), value));
        }
        return values;
    }

    private static PropertyRow withDefaults(EntityType type, NavigableMap<Integer, Value> given) {
        NavigableMap<Integer, Value> values = new TreeMap<>(given);
        for (Property property : type.properties()) {
            if (property.defaultValue() != null) {
                values.putIfAbsent(property.identity(), property.defaultValue());
            }
        }
        return PropertyRow.of(values);
    }

    private static PropertyRow overlay(PropertyRow old, NavigableMap<Integer, Value> given) {
        int[] cleared = given.entrySet().stream()
                .filter(entry -> entry.getValue() instanceof Value.Null)
                .mapToInt(java.util.Map.Entry::getKey)
                .toArray();
        return old.overlaidWith(PropertyRow.of(given), cleared);
    }
}
