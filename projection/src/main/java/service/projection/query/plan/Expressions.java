package service.projection.query.plan;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import service.core.gq.function.Function;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Rewrite;
import service.core.value.Value;

/** Walks over expressions: the slots they read, and their form with arguments substituted. */
public final class Expressions {
    private Expressions() {}

    public static int[] array(BitSet slots) {
        int[] array = new int[slots.cardinality()];
        int count = 0;
        for (int slot = slots.nextSetBit(0); slot >= 0; slot = slots.nextSetBit(slot + 1)) {
            array[count++] = slot;
        }
        return array;
    }

    /** The slots that an expression reads. */
    public static BitSet slots(Expression expression) {
        BitSet slots = new BitSet();
        addSlots(expression, slots);
        return slots;
    }

    public static void addSlots(Expression expression, BitSet into) {
        if (expression instanceof Expression.SlotRead read) {
            into.set(read.slot());
        } else {
            expression.operands().forEach(child -> addSlots(child, into));
        }
    }

    /** Whether an evaluation may end in a run-time error. */
    public static boolean mayFail(Expression expression) {
        return switch (expression) {
            case Expression.Call ignored -> true;
            case Expression.Arithmetic ignored -> true;
            case Expression.Negate ignored -> true;
            // It costs so much that it is evaluated for the rows only that nothing else decides.
            case Expression.Search ignored -> true;
            case Expression.TextTest test when test.operator() == Expression.TextOperator.MATCHES -> true;
            default -> expression.operands().stream().anyMatch(Expressions::mayFail);
        };
    }

    /** An equal predicate that is a different object with the same children. */
    public static Expression copy(Expression predicate) {
        return switch (predicate) {
            case Expression.Literal e -> new Expression.Literal(e.value(), e.type());
            case Expression.Argument e -> new Expression.Argument(e.index(), e.name(), e.type());
            case Expression.PropertyOf e -> new Expression.PropertyOf(e.slot(), e.name(), e.identityByType(), e.type());
            default -> Rewrite.operands(predicate, child -> child);
        };
    }

    /**
     * Substitutes the arguments and {@code now()}, and folds lists of literals to constants.
     *
     * @param arguments with the time, see {@link Constants#withNow}
     */
    public static Expression bind(Expression expression, List<Value> arguments) {
        if (expression instanceof Expression.Argument argument) {
            return new Expression.Literal(arguments.get(argument.index()), argument.type());
        }
        if (expression instanceof Expression.Call call && call.function() == Function.NOW) {
            return new Expression.Literal(arguments.getLast(), call.type());
        }
        Expression bound = Rewrite.operands(expression, child -> bind(child, arguments));
        if (bound instanceof Expression.ListOf list
                && list.items().stream().allMatch(Expression.Literal.class::isInstance)) {
            List<Value> items = new ArrayList<>();
            list.items().forEach(item -> items.add(((Expression.Literal) item).value()));
            return new Expression.Literal(new Value.ListOf(items), list.type());
        }
        return bound;
    }

    /** The conjuncts of a filter, nested conjunctions flattened. */
    static void addConjuncts(Expression filter, List<Expression> into) {
        if (filter instanceof Expression.And and) {
            and.operands().forEach(operand -> addConjuncts(operand, into));
        } else {
            into.add(filter);
        }
    }

    /** Whether an evaluation may fail depending on the row. */
    public static boolean canFail(Expression expression) {
        if (Constants.isMoment(expression)) {
            return false;
        }
        boolean itself = switch (expression) {
            case Expression.Arithmetic ignored -> true;
            case Expression.Negate ignored -> true;
            case Expression.Call call -> call.function().canFail();
            case Expression.TextTest test ->
                test.operator() == Expression.TextOperator.MATCHES && !Constants.isConstant(test.right());
            default -> false;
        };
        return itself || expression.operands().stream().anyMatch(Expressions::canFail);
    }

    /** Whether an expression calls a function of search. */
    public static boolean searches(Expression expression) {
        return expression instanceof Expression.Search
                || expression.operands().stream().anyMatch(Expressions::searches);
    }

    /** The same read of another slot. */
    static Expression at(Expression.SlotRead read, int slot) {
        return switch (read) {
            case Expression.EntityOf e -> new Expression.EntityOf(slot, e.type());
            case Expression.ValueOf e -> new Expression.ValueOf(slot, e.type());
            case Expression.IdOf ignored -> new Expression.IdOf(slot);
            case Expression.TypeOf ignored -> new Expression.TypeOf(slot);
            case Expression.EndOf e -> new Expression.EndOf(slot, e.end());
            case Expression.EndTypeOf e -> new Expression.EndTypeOf(slot, e.end(), e.names());
            case Expression.PropertyOf e -> new Expression.PropertyOf(slot, e.name(), e.identityByType(), e.type());
        };
    }

    public static boolean hasAggregate(Expression expression) {
        return expression instanceof Expression.Aggregate
                || expression.operands().stream().anyMatch(Expressions::hasAggregate);
    }
}
