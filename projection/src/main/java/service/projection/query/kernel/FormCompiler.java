package service.projection.query.kernel;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import service.core.batch.Column;
import service.core.batch.TextColumn;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Variable;
import service.core.value.Direction;
import service.core.value.PropertyType;
import service.core.value.Value;
import service.core.value.ValueType;
import service.projection.query.plan.Expressions;
import service.projection.query.vector.Batches;
import service.projection.query.vector.ColumnValues;
import service.projection.query.vector.ExecutionBudget;

/**
 * Compiles the forms whose parts see other rows than the whole does: {@code case} and loops. Each part has leaves of
 * its own, because those of the whole hold the columns of all rows.
 */
final class FormCompiler {
    private final ExecutionBudget budget;
    private final List<Variable> variables;
    private final List<Value> arguments;

    FormCompiler(ExecutionBudget budget, List<Variable> variables, List<Value> arguments) {
        this.budget = budget;
        this.variables = variables;
        this.arguments = arguments;
    }

    private KernelCompiler apart() {
        return new KernelCompiler(budget, variables, arguments);
    }

    private Batches batches() {
        return new Batches(budget, variables.size());
    }

    private Column column(ValueType type) {
        return budget.own(ColumnValues.columnFor(type));
    }

    Kernel choice(Expression.Case e) {
        List<Kernel> conditions = new ArrayList<>();
        e.conditions().forEach(condition -> conditions.add(apart().bool(condition)));
        List<Kernel> results = new ArrayList<>();
        e.results().forEach(result -> results.add(apart().bound(result)));
        return new CaseKernel(
                conditions, results, column(e.type()), batches(), Expressions.array(Expressions.slots(e)));
    }

    Kernel loop(Expression.Loop e, Kernel list) {
        BitSet slots = Expressions.slots(e.where());
        Expressions.addSlots(e.map(), slots);
        Column items = column(e.each().type());
        LoopKernel.Body body = new LoopKernel.Body(
                e.depth(), items, apart().bool(e.where()), apart().bound(e.map()), Expressions.array(slots));
        return new LoopKernel(e.kind(), list, body, column(e.type()), batches());
    }

    Kernel concat(Expression.Concat e, Kernel left, Kernel right) {
        return e.type().equals(PropertyType.STRING)
                ? new ListKernels.JoinedTexts(budget, left, right, budget.own(new TextColumn()))
                : new ListKernels.JoinedLists(budget, left, right, column(e.type()));
    }

    Kernel meta(Expression.MetaOfValue e, Kernel subject) {
        return switch (e.meta()) {
            case ID -> new LeafKernels.Id(budget, subject);
            case TYPE -> new LeafKernels.TypeName(budget, subject);
            case SRC -> new LeafKernels.End(budget, subject, Direction.OUT, false);
            case DST -> new LeafKernels.End(budget, subject, Direction.IN, false);
            case SRC_TYPE -> new LeafKernels.End(budget, subject, Direction.OUT, true);
            case DST_TYPE -> new LeafKernels.End(budget, subject, Direction.IN, true);
        };
    }
}
