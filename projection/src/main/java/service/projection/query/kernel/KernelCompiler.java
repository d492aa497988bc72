package service.projection.query.kernel;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import service.core.batch.BoolColumn;
import service.core.batch.Column;
import service.core.batch.TextColumn;
import service.core.gq.function.Family;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Expression.ComparisonOperator;
import service.core.gq.plan.Variable;
import service.core.value.Value;
import service.core.value.ValueType;
import service.projection.query.plan.Expressions;
import service.projection.query.vector.Batches;
import service.projection.query.vector.ColumnValues;
import service.projection.query.vector.ExecutionBudget;

/**
 * Compiles the expressions of one operator into kernels. Leaves that read storage are shared: a property used twice is
 * read once per batch.
 */
public final class KernelCompiler {
    /** The heap bytes of a kernel, without its columns, and of the expression with bound arguments. */
    private static final int KERNEL_BYTES = 64;

    private final ExecutionBudget budget;
    private final List<Variable> variables;
    private final List<Value> arguments;
    private final Map<Expression, Kernel> leaves = new HashMap<>();
    private final FormCompiler forms;

    public KernelCompiler(ExecutionBudget budget, List<Variable> variables, List<Value> arguments) {
        this.budget = budget;
        this.variables = variables;
        this.arguments = arguments;
        this.forms = new FormCompiler(budget, variables, arguments);
    }

    public Kernel[] compile(List<Expression> expressions) {
        return all(expressions, this::compile);
    }

    /** Kernels of conditions: their columns are boolean. */
    public Kernel[] conditions(List<Expression> expressions) {
        return all(expressions, this::condition);
    }

    private static boolean isOfItems(Expression side) {
        Family family = side.family();
        return family == Family.LIST || family == Family.RECORD;
    }

    private static Kernel[] all(List<Expression> expressions, Function<Expression, Kernel> compiler) {
        Kernel[] kernels = new Kernel[expressions.size()];
        for (int i = 0; i < kernels.length; i++) {
            kernels[i] = compiler.apply(expressions.get(i));
        }
        return kernels;
    }

    public Kernel compile(Expression expression) {
        return bound(Expressions.bind(expression, arguments));
    }

    /** The kernel of an expression whose arguments are bound. */
    Kernel bound(Expression expression) {
        budget.charge(KERNEL_BYTES);
        budget.step();
        return switch (expression) {
            case Expression.Literal e -> new LeafKernels.Constant(e.value(), constantColumn(e));
            case Expression.Argument e ->
                throw new IllegalStateException("the argument " + e.name() + " was not bound");
            case Expression.PropertyOf e -> leaf(e, this::property);
            case Expression.IdOf e -> leaf(e, id -> new LeafKernels.Id(budget, new LeafKernels.OfVariable(id.slot())));
            case Expression.TypeOf e ->
                leaf(e, type -> new LeafKernels.TypeName(budget, new LeafKernels.OfVariable(type.slot())));
            case Expression.EndOf e ->
                leaf(e, end -> new LeafKernels.End(budget, new LeafKernels.OfVariable(end.slot()), end.end(), false));
            case Expression.EndTypeOf e ->
                leaf(e, end -> new LeafKernels.End(budget, new LeafKernels.OfVariable(end.slot()), end.end(), true));
            case Expression.EntityOf e -> new LeafKernels.OfVariable(e.slot());
            case Expression.ValueOf e -> new LeafKernels.OfVariable(e.slot());
            case Expression.OutputOf e -> new LeafKernels.Computed(e.index());
            case Expression.Not e -> new LogicKernels.Not(budget, bool(e.operand()));
            case Expression.And e -> connective(true, e, e.operands());
            case Expression.Or e -> connective(false, e, e.operands());
            case Expression.Compare e
            when isOfItems(e.left()) || isOfItems(e.right()) ->
                new CompareKernels.OfItems(
                        budget, e.operator() == ComparisonOperator.EQUAL, bound(e.left()), bound(e.right()));
            case Expression.Compare e ->
                coded(
                        e,
                        e.left(),
                        e.right(),
                        CompareKernels.of(budget, e.operator(), bound(e.left()), bound(e.right())));
            case Expression.TextTest e ->
                coded(
                        e,
                        e.left(),
                        e.right(),
                        new TextKernels.Test(budget, e.operator(), bound(e.left()), bound(e.right())));
            case Expression.In e -> coded(e, e.left(), e.list(), in(e));
            case Expression.ListOf e ->
                new CallKernel.ListKernel(
                        budget, e.items().stream().map(this::bound).toList(), column(null));
            case Expression.IsNull e -> new LogicKernels.IsNull(budget, bound(e.operand()), e.negated());
            case Expression.Arithmetic e ->
                ArithmeticKernels.of(
                        e.operator(), bound(e.left()), bound(e.right()), column(e.type()), fault(e.origin(), e));
            case Expression.Negate e ->
                new ArithmeticKernels.Negate(bound(e.operand()), column(e.type()), fault(e.origin(), e));
            case Expression.Call e -> call(e);
            case Expression.Search e ->
                SearchKernels.of(
                        budget, e, bound(e.subject()), bound(e.arguments().getFirst()));
            case Expression.Concat e -> forms.concat(e, bound(e.left()), bound(e.right()));
            case Expression.Element e ->
                new ListKernels.Element(budget, bound(e.list()), bound(e.index()), column(e.type()));
            case Expression.Slice e ->
                new ListKernels.Slice(budget, bound(e.list()), bound(e.from()), bound(e.to()), column(e.type()));
            case Expression.Case e -> forms.choice(e);
            case Expression.RecordOf e ->
                new RecordKernels.Make(
                        budget,
                        e.type().names(),
                        e.values().stream().map(this::bound).toList());
            case Expression.FieldOf e -> new RecordKernels.Field(bound(e.subject()), e.name(), column(e.type()));
            case Expression.PropertyOfValue e ->
                new LeafKernels.PropertyOfTypes(
                        budget, bound(e.subject()), e.identityByType(), ColumnValues.columnFor(e.type()));
            case Expression.MetaOfValue e -> forms.meta(e, bound(e.subject()));
            case Expression.Loop e -> forms.loop(e, bound(e.list()));
            case Expression.Local e -> new LeafKernels.Local(e.depth());
            case Expression.Aggregate ignored -> throw new IllegalStateException("an aggregate outside of a grouping");
        };
    }

    /** Tests codes instead of rows, if the test compares a text property with a constant. */
    private Kernel coded(Expression test, Expression left, Expression right, Kernel byRow) {
        Expression property = left instanceof Expression.PropertyOf ? left : right;
        Expression other = left instanceof Expression.PropertyOf ? right : left;
        if (!(property instanceof Expression.PropertyOf of)
                || !(other instanceof Expression.Literal)
                || !(leaves.get(of) instanceof LeafKernels.PropertyOfOneType leaf)
                || !(ColumnValues.columnFor(of.type()) instanceof TextColumn)) {
            return byRow;
        }
        DictionaryKernel.Entries entries = new DictionaryKernel.Entries(budget);
        KernelCompiler ofCodes = new KernelCompiler(budget, variables, arguments);
        ofCodes.leaves.put(of, entries);
        return new DictionaryKernel(budget, leaf, byRow, ofCodes.bound(test), entries);
    }

    @SuppressWarnings("unchecked")
    private <E extends Expression> Kernel leaf(E expression, java.util.function.Function<E, Kernel> make) {
        return leaves.computeIfAbsent(expression, key -> make.apply((E) key));
    }

    private Kernel property(Expression.PropertyOf e) {
        var column = ColumnValues.columnFor(e.type());
        List<Integer> types = variables.get(e.slot()).types();
        if (types.size() == 1) {
            Integer property = e.identityByType().get(types.getFirst());
            if (property != null) {
                return new LeafKernels.PropertyOfOneType(budget, e.slot(), property, column);
            }
        }
        return new LeafKernels.PropertyOfTypes(
                budget, new LeafKernels.OfVariable(e.slot()), e.identityByType(), column);
    }

    private Kernel connective(boolean and, Expression whole, List<Expression> operands) {
        if (operands.size() == 1) {
            return bool(operands.getFirst());
        }
        List<Kernel> kernels = new ArrayList<>();
        for (Expression operand : operands) {
            // A later operand that may fail is evaluated for some of the rows only. It gets separate leaves: shared
            // ones
            // would overwrite the columns that the other expressions have read for all rows.
            boolean apart = !kernels.isEmpty() && Expressions.mayFail(operand);
            kernels.add((apart ? new KernelCompiler(budget, variables, arguments) : this).bool(operand));
        }
        return new LogicKernels.Connective(
                and, kernels, new Batches(budget, variables.size()), Expressions.array(Expressions.slots(whole)));
    }

    /** A null with a type gets a column of that type. */
    private Column constantColumn(Expression.Literal literal) {
        return literal.value() instanceof Value.Null
                ? column(literal.type())
                : budget.own(ColumnValues.emptyColumn(literal.value()));
    }

    private Column column(@Nullable ValueType type) {
        return budget.own(ColumnValues.columnFor(type));
    }

    /** A kernel with a boolean column; the literal null becomes a boolean column of nulls. */
    Kernel condition(Expression expression) {
        return bool(Expressions.bind(expression, arguments));
    }

    /** The kernel of a bound condition. */
    Kernel bool(Expression expression) {
        return expression instanceof Expression.Literal literal
                ? new LeafKernels.Constant(literal.value(), budget.own(new BoolColumn()))
                : bound(expression);
    }

    private Kernel in(Expression.In e) {
        return e.list() instanceof Expression.Literal literal
                        && literal.value() instanceof Value.ListOf(List<Value> items)
                ? new TextKernels.InConstant(budget, bound(e.left()), items)
                : new TextKernels.In(budget, bound(e.left()), bound(e.list()));
    }

    private static boolean isLengthOfText(Expression.Call e) {
        return e.function() == service.core.gq.function.Function.LENGTH
                && !(e.arguments().getFirst() instanceof Expression.Literal)
                && ColumnValues.columnFor(e.arguments().getFirst().type()) instanceof TextColumn;
    }

    private Kernel call(Expression.Call e) {
        List<Kernel> arguments = e.arguments().stream().map(this::bound).toList();
        if (isLengthOfText(e)) {
            return new TextKernels.Length(budget, arguments.getFirst());
        }
        return new CallKernel(budget, e, arguments, column(e.type()), fault(e.origin(), e));
    }

    private ArithmeticKernels.Fault fault(Expression.Origin origin, Expression e) {
        return new ArithmeticKernels.Fault(budget, origin, Expressions.slots(e));
    }
}
