package service.projection.query.plan;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Plan;
import service.core.gq.plan.Rewrite;
import service.core.gq.plan.Variable;
import service.core.port.QueryExecutor.GivenRows;
import service.core.value.PropertyType;
import service.core.value.ValueType;

/** Makes a read over given rows one that reads their slots. */
public final class GivenPlan {
    private final GivenRows given;

    private GivenPlan(GivenRows given) {
        this.given = given;
    }

    /** The read with the slots of the given rows as its variables. */
    public static Plan.Read of(Plan.Read plan, GivenRows given) {
        GivenPlan over = new GivenPlan(given);
        List<Variable> variables = new ArrayList<>();
        for (int slot = 0; slot < given.expressions().size(); slot++) {
            variables.add(new Variable(slot, "#" + slot, null, List.of(), over.type(slot)));
        }
        return new Plan.Read(
                plan.name(),
                plan.parameters(),
                plan.annotations(),
                List.copyOf(variables),
                List.of(over.of(plan.last())));
    }

    private Plan.Stage of(Plan.Stage stage) {
        Plan.Result result = stage.result();
        return new Plan.Stage(
                stage.match(),
                new Plan.Result(
                        result.outputs().stream()
                                .map(output -> new Plan.Output(output.column(), of(output.expression())))
                                .toList(),
                        result.distinct(),
                        result.grouped()),
                of(stage.where()),
                stage.order().stream()
                        .map(key -> new Plan.SortKey(of(key.expression()), key.descending()))
                        .toList(),
                new Plan.Window(
                        stage.window().skip(),
                        stage.window().limit(),
                        of(stage.window().per())));
    }

    private List<Expression> of(List<Expression> expressions) {
        return expressions.stream().map(this::of).toList();
    }

    private Expression of(Expression expression) {
        int slot = given.expressions().indexOf(expression);
        return slot >= 0 ? new Expression.ValueOf(slot, type(slot)) : Rewrite.operands(expression, this::of);
    }

    private ValueType type(int slot) {
        @Nullable ValueType type = GivenRows.type(given, slot);
        return type == null ? PropertyType.STRING : type;
    }
}
