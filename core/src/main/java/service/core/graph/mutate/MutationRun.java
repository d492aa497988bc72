package service.core.graph.mutate;

import java.util.HashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import service.core.budget.RequestBudget;
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
import service.core.gq.plan.Variable;
import service.core.graph.check.ConstraintChecks;
import service.core.graph.check.EdgeImages;
import service.core.graph.check.EntityIds;
import service.core.graph.request.AnsweredRows;
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

    private final MutationContext context;
    private final Plan.Mutation plan;
    private final GraphView view;
    private final Catalog catalog;
    private final Selections selections;

    /** What the current statement runs for. */
    private Rows rows;

    private final MutationWork work;
    private final Evaluator evaluator;
    private final Supplier<String> newIds;
    private final RequestBudget budget;
    private final PendingChanges pending;
    private final RowCursor cursor;
    private final Set<Rows.Key> keyed = new HashSet<>();
    private @Nullable ServiceException orphan;

    /**
     * Prepares a run.
     *
     * @param selections the entities that the predicates find in the view
     * @param rows of the stages before the statements, over the view
     */
    MutationRun(MutationContext context, GraphView view, Selections selections, Rows rows) {
        QueryExecutor.Limits limits = context.limits();
        this.context = context;
        this.plan = context.compiled().plan();
        this.view = view;
        this.catalog = view.catalog();
        this.selections = selections;
        this.rows = rows;
        this.budget = limits.budget();
        this.work = new MutationWork(limits, budget);
        this.evaluator = new Evaluator(context.compiled().arguments(), limits.nowMicros(), work);
        this.newIds = context.newIds();
        this.pending = new PendingChanges(view, budget, context.entitiesMax());
        this.cursor = new RowCursor(view, pending, plan.variables().size());
        evaluator.over(cursor);
    }

    /** Runs every statement and returns the net changes, not yet checked against constraints. */
    ChangeBlock run() {
        run(plan.statements());
        return pending.toChangeBlock();
    }

    private void run(List<Plan.Statement> statements) {
        for (int place = 0; place < statements.size(); place++) {
            step();
            cursor.over(rows);
            switch (statements.get(place)) {
                case Plan.Statement.InsertNode insert -> insertNode(insert);
                case Plan.Statement.InsertEdge insert -> insertEdge(insert);
                case Plan.Statement.Update update -> update(place, update);
                case Plan.Statement.Delete delete -> delete(place, delete);
                case Plan.Statement.UpdateBound update -> updateBound(update);
                case Plan.Statement.DeleteBound delete -> deleteBound(delete);
                case Plan.Statement.ForEach each -> forEach(each);
            }
        }
    }

    private void forEach(Plan.Statement.ForEach each) {
        Rows outer = rows;
        try (LoopRows loop = new LoopRows(each, context)) {
            for (int row = 0; row < outer.size(); row++) {
                to(row);
                loop.add(row, evaluator.evaluate(each.list(), null));
            }
            rows = loop.over(outer);
            run(each.statements());
        }
        rows = outer;
    }

    /** What the mutation answers, after {@link #run}; null where it answers nothing. */
    @Nullable
    AnsweredRows answer() {
        Plan.Read answer = plan.answer();
        return answer == null
                ? null
                : new AnswerRows(catalog, answer, rows, cursor, evaluator, pending).run(context, view);
    }

    /**
     * The first edge that was inserted when its end did not exist, or null. It is found during the statements, but a
     * wrong value in any of them is reported first ({@code docs/writes.md}).
     */
    @Nullable
    ServiceException orphan() {
        return orphan;
    }

    /** The entities that inserts have named by their keys. Those that existed with the same values are no changes. */
    Set<Rows.Key> keyed() {
        return keyed;
    }

    /** The nodes that statements have deleted, with all edges at them, and inserted again. */
    Set<Rows.Key> insertedAgain() {
        return pending.insertedAgain();
    }

    /** The position at which the statements first named the entity. */
    int place(EntityChange change) {
        return pending.place(change);
    }

    private void insertNode(Plan.Statement.InsertNode insert) {
        EntityType.NodeType type = (EntityType.NodeType) catalog.requireType(insert.type());
        StatementWrites writes = new StatementWrites(pending, budget);
        @Nullable String[] ids = new String[insert.slot() < 0 ? 0 : rows.size()];
        for (int row = 0; row < rows.size(); row++) {
            to(row);
            NavigableMap<Integer, Value> given = evaluate(type, insert.assignments(), null);
            Image fresh = Image.ofNode(withDefaults(type, given));
            String id = idOf(type, fresh);
            write(writes, type, id, upserted(type, id, fresh, given), row, insert.origin());
            if (ids.length > 0) {
                ids[row] = id;
            }
        }
        writes.apply();
        bind(insert.slot(), type, ids);
    }

    /** The image of an entity that is inserted: an entity that has the key already takes the given properties. */
    private Image upserted(EntityType type, String id, Image fresh, NavigableMap<Integer, Value> given) {
        Image existing = type.key().isEmpty() ? null : pending.current(type, id);
        return existing == null ? fresh : fresh.with(overlay(existing.properties(), given));
    }

    private void write(
            StatementWrites writes,
            EntityType type,
            String id,
            Image image,
            int row,
            Expression.@Nullable Origin origin) {
        StatementWrites.Write earlier = writes.add(type, id, image, row);
        if (earlier != null && !image.equals(earlier.image())) {
            throw twoValues(Objects.requireNonNull(origin), earlier, image, row, "inserts");
        }
    }

    /** The id that the key of a new entity gives; a new one for a type without a key. */
    private String idOf(EntityType type, Image fresh) {
        if (type.key().isEmpty()) {
            return newIds.get();
        }
        String id = EntityIds.derive(type, fresh);
        String fault = KeyText.fault(id);
        if (fault != null) {
            throw new ServiceException(
                    ErrorCode.BAD_REQUEST,
                    "the id that the key of a " + type.name() + " gives " + fault,
                    ConstraintChecks.valueViolation(type, KeyText.isShort(id) ? id : null));
        }
        keyed.add(new Rows.Key(type.identity(), id));
        return id;
    }

    private void bind(int slot, EntityType type, @Nullable String[] ids) {
        if (slot >= 0) {
            rows.bind(slot, new Rows.Cells.Inserted(type.identity(), ids));
        }
    }

    private void to(int row) {
        cursor.to(row);
        step();
    }

    private void insertEdge(Plan.Statement.InsertEdge insert) {
        EntityType.EdgeType type = (EntityType.EdgeType) catalog.requireType(insert.type());
        StatementWrites writes = new StatementWrites(pending, budget);
        @Nullable String[] ids = new String[insert.slot() < 0 ? 0 : rows.size()];
        for (int row = 0; row < rows.size(); row++) {
            to(row);
            if (isNone(insert.from()) || isNone(insert.to())) {
                continue;
            }
            Node from = end(type, "from", type.source(), insert.from());
            Node to = end(type, "to", type.destination(), insert.to());
            NavigableMap<Integer, Value> given = evaluate(type, insert.assignments(), null);
            PropertyRow properties = withDefaults(type, given);
            Image fresh = new Image(
                    properties,
                    from.id,
                    to.id,
                    type.source().stored(from.type),
                    type.destination().stored(to.type));
            String id = idOf(type, fresh);
            noteMissing(type, id, "from", from);
            noteMissing(type, id, "to", to);
            if (orphan == null) {
                write(writes, type, id, upserted(type, id, fresh, given), row, insert.origin());
            }
            if (ids.length > 0) {
                ids[row] = id;
            }
        }
        writes.apply();
        bind(insert.slot(), type, ids);
    }

    /** Whether an end is a variable that is bound to nothing in the current row, which the row is skipped for. */
    private boolean isNone(Expression end) {
        return end instanceof Expression.EntityOf entity && cursor.key(entity.slot()) == null;
    }

    /** A node that an end names. */
    private record Node(int type, String id) {}

    private Node end(EntityType.EdgeType edge, String what, EdgeEnd end, Expression expression) {
        Rows.Key bound = expression instanceof Expression.EntityOf entity ? cursor.key(entity.slot()) : null;
        Value given = bound != null ? new Value.Text(bound.id()) : evaluator.evaluate(expression, null);
        boolean typed = given instanceof Value.ListOf;
        Value value = typed ? ((Value.ListOf) given).items().getLast() : given;
        if (!(value instanceof Value.Text id)) {
            throw ServiceException.badRequest(
                    Reason.ORPHAN_EDGE,
                    "insert " + edge.name() + ": `" + what + "` must be the id of a node, not null");
        }
        int type = bound != null
                ? bound.type()
                : typed
                        ? EdgeImages.named(
                                end, what, ((Value.ListOf) given).items().getFirst())
                        : end.types().size() == 1
                                ? end.types().getFirst().identity()
                                : EdgeImages.typeOf(
                                        end,
                                        what,
                                        id.value(),
                                        each -> pending.isLive(catalog.requireType(each), id.value()),
                                        EdgeImages.IN_QUERIES);
        return new Node(type, id.value());
    }

    /** Records a node that does not exist for {@link #orphan}. */
    private void noteMissing(EntityType.EdgeType edge, String edgeId, String what, Node end) {
        EntityType node = catalog.requireType(end.type);
        if (orphan == null && !pending.isLive(node, end.id)) {
            orphan = new ServiceException(
                    ErrorCode.BAD_REQUEST,
                    "insert " + edge.name() + ": `" + what + "` names the " + node.name() + " `" + end.id
                            + "`, which does not exist",
                    new ErrorDetail.ConstraintViolation("orphan_edge", "edge", edge.name(), edgeId));
        }
    }

    private void updateBound(Plan.Statement.UpdateBound update) {
        StatementWrites writes = new StatementWrites(pending, budget);
        for (int row = 0; row < rows.size(); row++) {
            to(row);
            EntityRow entity = cursor.entity(update.variable().slot());
            List<Plan.Assignment> assignments =
                    entity == null ? null : update.assignments().get(entity.type());
            if (entity != null && assignments != null) {
                EntityType type = catalog.requireType(entity.type());
                Image old = entity.image();
                Image image = old.with(overlay(old.properties(), evaluate(type, assignments, entity)));
                StatementWrites.Write earlier = writes.add(type, entity.id(), image, row);
                if (earlier != null && !image.equals(earlier.image())) {
                    throw twoValues(update.origin(), earlier, image, row, "updates");
                }
            }
        }
        writes.apply();
    }

    private void deleteBound(Plan.Statement.DeleteBound delete) {
        StatementWrites writes = new StatementWrites(pending, budget);
        for (int row = 0; row < rows.size(); row++) {
            to(row);
            for (Variable variable : delete.variables()) {
                EntityRow entity = cursor.entity(variable.slot());
                if (entity != null) {
                    writes.add(catalog.requireType(entity.type()), entity.id(), null, row);
                }
            }
        }
        writes.apply();
    }

    /** The error R5. */
    private ServiceException twoValues(
            Expression.Origin origin, StatementWrites.Write earlier, Image image, int row, String what) {
        EntityType type = earlier.type();
        Image other = Objects.requireNonNull(earlier.image());
        String property = type.properties().stream()
                .filter(each -> !Objects.equals(
                        image.properties().get(each.identity()),
                        other.properties().get(each.identity())))
                .map(Property::name)
                .findFirst()
                .orElse("it");
        return origin.fault(
                "R5",
                rows.shown(earlier.row()) + " and " + rows.shown(row) + " give " + type.name() + " `" + earlier.id()
                        + "` different values of `" + property + "`",
                "one query " + what + " an entity to one value; choose it before, as in"
                        + " `with { $x, max($y.n) as $n }`");
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
                    consumer.accept(EntityRow.of(type, id, view.image(type.identity(), ordinal)));
                }
            }
            step();
        }
        for (PendingChanges.Delta delta : touched) {
            Image now = delta.now();
            if (now != null) {
                EntityRow entity = EntityRow.of(type, delta.id, now);
                if (evaluator.holds(predicate, entity)) {
                    consumer.accept(entity);
                }
            }
            step();
        }
    }

    private void step() {
        work.steps(STEPS_AN_ENTITY);
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
