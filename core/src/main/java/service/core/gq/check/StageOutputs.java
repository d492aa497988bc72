package service.core.gq.check;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import service.core.gq.function.Family;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Pattern;
import service.core.gq.plan.Plan;
import service.core.value.PropertyType;
import service.core.value.Value;
import service.core.value.ValueType;

/** The lists of stages that no source has written. */
final class StageOutputs {
    private StageOutputs() {}

    /**
     * The stage before the statements of a mutation: its outputs are its variables that have a name.
     *
     * @param order of the rows, before that of their ids
     * @param blocks the values of blocks in the statements
     */
    static Plan.Stage rows(Pattern match, Scope scope, List<Plan.SortKey> order, Collection<Plan.Output> blocks) {
        List<Plan.Output> outputs = new ArrayList<>();
        List<Plan.SortKey> keys = new ArrayList<>(order);
        for (Scope.Variable variable : scope.visible().values()) {
            if (isNamed(variable)) {
                outputs.add(new Plan.Output(variable.slot.name, PatternEnvironment.read(variable)));
            }
        }
        outputs.addAll(blocks);
        if (outputs.isEmpty()) {
            outputs.add(new Plan.Output("#row", new Expression.Literal(new Value.Bool(true), PropertyType.BOOL)));
        }
        scope.visible().values().stream()
                .map(variable -> variable.slot)
                .filter(slot -> keys.isEmpty()
                        && (slot.value == null || Family.of(slot.value).ordered()))
                .min(Comparator.comparing((Scope.Slot slot) -> slot.value != null)
                        .thenComparingInt(slot -> slot.number))
                .ifPresent(slot -> keys.add(new Plan.SortKey(
                        slot.value != null
                                ? new Expression.ValueOf(slot.number, slot.value)
                                : new Expression.IdOf(slot.number),
                        false)));
        return new Plan.Stage(
                match,
                new Plan.Result(List.copyOf(outputs), false, false),
                List.of(),
                List.copyOf(keys),
                Plan.Window.OPEN);
    }

    /** Whether statements can name a variable, whose type is known. */
    static boolean isNamed(Scope.Variable variable) {
        return !variable.slot.name.startsWith("#") && (variable.types != null || variable.slot.value != null);
    }

    /** What a stage has left, with the values of blocks. */
    static List<Plan.Output> same(List<Plan.Output> left, BlockValues values) {
        List<Plan.Output> outputs = new ArrayList<>();
        for (Plan.Output output : left) {
            ValueType type = Objects.requireNonNull(output.expression().type());
            Expression same = type instanceof ValueType.Entity entity
                    ? new Expression.EntityOf(output.slot(), entity)
                    : new Expression.ValueOf(output.slot(), type);
            outputs.add(new Plan.Output(output.column(), same, output.slot()));
        }
        for (Pattern.Block.Value value : values.blocks()) {
            Expression.Aggregate aggregate = value.aggregate();
            ValueType type = aggregate == null ? PropertyType.BOOL : aggregate.type();
            outputs.add(new Plan.Output("#", new Expression.ValueOf(value.slot(), type), value.slot()));
        }
        return outputs;
    }
}
