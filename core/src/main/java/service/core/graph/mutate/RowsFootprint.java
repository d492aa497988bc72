package service.core.graph.mutate;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import service.core.error.ServiceException;
import service.core.event.ChangeReader;
import service.core.event.Image;
import service.core.gq.eval.EntityRow;
import service.core.gq.eval.Evaluator;
import service.core.gq.eval.VariableRow;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Pattern;
import service.core.gq.plan.Plan;
import service.core.gq.plan.Variable;
import service.core.gq.plan.Walk;
import service.core.schema.EntityType;
import service.core.value.PropertyType;
import service.core.value.Value;
import service.core.value.ValueType;

/**
 * What the rows of a mutation depend on: whether a later change of an entity can give its statements other rows, or
 * other values in them. Then the mutation must run again, so that its outcome is one of some order of the commits.
 *
 * <p><b>Rule.</b> An edge matters when a traversal follows its type, and a node when a variable can be bound to its
 * type and the conditions on this variable alone hold for the node before the change or after it. A change that leaves
 * an entity where it is matters only if a property differs that the query reads or assigns. The rule is stricter than
 * necessary: a needless run costs only time.
 *
 * <p>One thread at a time.
 */
final class RowsFootprint {
    private final Evaluator evaluator;

    /** A node variable where a pattern binds it, with the conditions on it alone. */
    private record Bound(Set<Integer> types, List<Expression> conditions) {}

    private final List<Variable> variables;
    private final List<Bound> bound = new ArrayList<>();
    private final Set<Integer> edges = new HashSet<>();

    /** The properties that the query reads or assigns, by type. */
    private final Map<Integer, Set<Integer>> properties = new HashMap<>();

    /** The types of entities that it answers with all their properties. */
    private final Set<Integer> whole = new HashSet<>();

    private RowsFootprint(Plan.Mutation mutation, Plan.Read rows, Evaluator evaluator) {
        this.evaluator = evaluator;
        this.variables = rows.variables();
        for (Plan.Stage stage : rows.stages()) {
            add(stage.match());
            addReads(stage.ofRows());
        }
        mutation.statements().forEach(this::add);
        Plan.Read answer = mutation.answer();
        if (answer != null) {
            addReads(answer.last().ofRows());
            for (Plan.Output output : answer.result().outputs()) {
                if (output.expression() instanceof Expression.EntityOf entity) {
                    whole.addAll(mutation.variables().get(entity.slot()).types());
                } else {
                    addWhole(output.expression().type());
                }
            }
        }
    }

    /** What the rows of a mutation depend on; null when it has no stages before its statements. */
    static @Nullable RowsFootprint of(MutationContext context) {
        Plan.Mutation mutation = context.compiled().plan();
        Plan.Read rows = mutation.rows();
        if (rows == null) {
            return null;
        }
        return new RowsFootprint(mutation, rows, context.evaluatorForWriter());
    }

    private void add(Pattern pattern) {
        for (Pattern.Traversal traversal : pattern.traversals()) {
            edges.addAll(traversal.edgeTypes());
            Walk.Rule rule = traversal.walk() == null ? null : traversal.walk().rule();
            if (rule != null) {
                addAny(variables.get(rule.source()).types());
                addAny(variables.get(rule.destination()).types());
                add(rule.where());
                if (rule.by() != null) {
                    addReads(rule.by());
                }
            }
        }
        for (int slot : pattern.bound()) {
            List<Expression> conditions = pattern.filters().stream()
                    .filter(filter -> isOf(slot, filter))
                    .toList();
            bound.add(new Bound(Set.copyOf(variables.get(slot).types()), conditions));
        }
        addReads(pattern.filters());
        for (Pattern.Block block : pattern.blocks()) {
            add(block.pattern());
            Expression over = block.over();
            if (over != null) {
                addReads(over);
            }
        }
    }

    /** Whether a condition can be evaluated for the entity of a slot alone. */
    private static boolean isOf(int slot, Expression condition) {
        boolean alone = switch (condition) {
            case Expression.EndTypeOf ignored -> false;
            case Expression.EntityOf ignored -> false;
            case Expression.ValueOf ignored -> false;
            case Expression.SlotRead of -> of.slot() == slot;
            case Expression.OutputOf ignored -> false;
            case Expression.Aggregate ignored -> false;
            default -> true;
        };
        return alone && condition.operands().stream().allMatch(operand -> isOf(slot, operand));
    }

    private void add(Plan.Statement statement) {
        switch (statement) {
            case Plan.Statement.InsertNode insert -> addAssigned(insert.assignments());
            case Plan.Statement.InsertEdge insert -> {
                addReads(insert.from());
                addReads(insert.to());
                addAssigned(insert.assignments());
            }
            case Plan.Statement.Update update -> addAssigned(update.assignments());
            case Plan.Statement.Delete ignored -> {}
            case Plan.Statement.UpdateBound update ->
                update.assignments().forEach((type, assignments) -> {
                    addAssigned(assignments);
                    assignments.forEach(assignment -> of(type).add(assignment.property()));
                });
            case Plan.Statement.DeleteBound ignored -> {}
            case Plan.Statement.ForEach each -> {
                addReads(each.list());
                each.statements().forEach(this::add);
            }
        }
    }

    private void addAssigned(List<Plan.Assignment> assignments) {
        assignments.forEach(assignment -> addReads(assignment.value()));
    }

    private void addReads(Collection<Expression> expressions) {
        expressions.forEach(this::addReads);
    }

    private void addReads(Expression expression) {
        if (expression instanceof Expression.PropertyOf property) {
            property.identityByType().forEach((type, identity) -> of(type).add(identity));
        }
        if (expression instanceof Expression.PropertyOfValue property) {
            property.identityByType().forEach((type, identity) -> of(type).add(identity));
            addAny(property.identityByType().keySet());
        }
        addReads(expression.operands());
    }

    /** Any entity of these types may be read. */
    private void addAny(Collection<Integer> types) {
        bound.add(new Bound(Set.copyOf(types), List.of()));
    }

    /** Entities within values of this type are answered with all their properties. */
    private void addWhole(@Nullable ValueType type) {
        switch (type) {
            case ValueType.Entity entity -> {
                whole.addAll(entity.types());
                addAny(entity.types());
            }
            case ValueType.ListOf list -> addWhole(list.item());
            case ValueType.Struct record -> record.fields().forEach(field -> addWhole(field.type()));
            case ValueType.Path path -> {
                addWhole(path.nodes());
                addWhole(path.edges());
            }
            case PropertyType ignored -> {}
            case null -> {}
        }
    }

    private Set<Integer> of(int type) {
        return properties.computeIfAbsent(type, ignored -> new HashSet<>());
    }

    /** Whether the reader's current change can give the mutation other rows, or other values in them. */
    boolean concerns(EntityType type, ChangeReader change) {
        boolean isEdge = type instanceof EntityType.EdgeType;
        if (isEdge && !edges.contains(type.identity())) {
            return false;
        }
        if (!isEdge && bound.stream().noneMatch(each -> each.types.contains(type.identity()))) {
            return false;
        }
        Image before = change.before();
        Image after = change.after();
        if (before != null && after != null && !differs(type, before, after)) {
            return false;
        }
        return isEdge || binds(type, change.id(), before) || binds(type, change.id(), after);
    }

    /** Whether an entity has other ends, or another value of a property that the query reads or assigns. */
    private boolean differs(EntityType type, Image before, Image after) {
        if (!Objects.equals(before.from(), after.from())
                || !Objects.equals(before.to(), after.to())
                || before.fromType() != after.fromType()
                || before.toType() != after.toType()) {
            return true;
        }
        if (whole.contains(type.identity())) {
            return !before.equals(after);
        }
        for (int property : properties.getOrDefault(type.identity(), Set.of())) {
            Value old = before.properties().get(property);
            Value now = after.properties().get(property);
            if (!Objects.equals(old, now)) {
                return true;
            }
        }
        return false;
    }

    /** Whether a variable can be bound to a node. */
    private boolean binds(EntityType type, String id, @Nullable Image image) {
        if (image == null) {
            return false;
        }
        EntityRow entity = EntityRow.of(type, id, image);
        evaluator.over(new Only(entity));
        return bound.stream()
                .filter(each -> each.types.contains(type.identity()))
                .anyMatch(each -> each.conditions.stream().allMatch(condition -> mayHold(condition, entity)));
    }

    private boolean mayHold(Expression condition, EntityRow entity) {
        try {
            return evaluator.holds(condition, entity);
        } catch (ServiceException e) {
            // A division by zero, say: the mutation runs again and reports it.
            return true;
        }
    }

    /** A row whose every slot holds one entity. */
    private record Only(EntityRow held) implements VariableRow {
        @Override
        public EntityRow entity(int slot) {
            return held;
        }

        @Override
        public EntityRow entity(Value.Entity value) {
            throw new IllegalStateException("a condition on an entity reads no other");
        }

        @Override
        public Value value(int slot) {
            throw new IllegalStateException("a condition on an entity reads no value");
        }
    }
}
