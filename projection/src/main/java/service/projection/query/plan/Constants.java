package service.projection.query.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import service.core.error.ServiceException;
import service.core.gq.eval.Evaluator;
import service.core.gq.function.Family;
import service.core.gq.function.Function;
import service.core.gq.plan.Expression;
import service.core.text.Work;
import service.core.value.PropertyType;
import service.core.value.Value;
import service.core.value.ValueType;

/**
 * Constant expressions: literals, arguments, lists of them, and numbers and moments that are computed of these and of
 * {@code now()}. The value of {@code now()} is the last of the arguments that a plan is run with ({@link #withNow}).
 */
public final class Constants {
    /** Two moments between which the instant of a request lies: 1970-01-01 and 2970-01-01. */
    private static final List<List<Value>> NOW_BETWEEN =
            List.of(List.of(new Value.DateTime(0)), List.of(new Value.DateTime(31_556_908_800_000L)));

    private Constants() {}

    /** The arguments of a request with the instant at which it began, in microseconds since 1970, as the last one. */
    public static List<Value> withNow(List<Value> arguments, long nowMicros) {
        List<Value> all = new ArrayList<>(arguments);
        all.add(new Value.DateTime(Math.floorDiv(nowMicros, 1000L)));
        return all;
    }

    static boolean isConstant(Expression expression) {
        return switch (expression) {
            case Expression.Literal ignored -> true;
            case Expression.Argument ignored -> true;
            case Expression.ListOf list -> areConstant(list.items());
            case Expression.Call call -> isComputed(call.type()) && areConstant(call.arguments());
            case Expression.Arithmetic of -> areConstant(of.operands());
            case Expression.Negate of -> areConstant(of.operands());
            default -> false;
        };
    }

    private static boolean areConstant(List<Expression> expressions) {
        return expressions.stream().allMatch(Constants::isConstant);
    }

    /** Whether a value of the type takes little to compute, whatever the arguments are. */
    private static boolean isComputed(ValueType type) {
        return Family.of(type) == Family.NUMBER || type.equals(PropertyType.DATE) || type.equals(PropertyType.DATETIME);
    }

    /**
     * Whether a call is {@code now()}, or its day, its midnight, the beginning of its unit, or so many units before or
     * after it. Such a call never fails.
     */
    static boolean isMoment(Expression expression) {
        if (!(expression instanceof Expression.Call call)) {
            return false;
        }
        return switch (call.function()) {
            case NOW -> true;
            case DATE, DATETIME -> isMoment(call.arguments().getFirst());
            case TRUNCATE ->
                isMoment(call.arguments().getFirst())
                        && call.arguments().get(1) instanceof Expression.Literal unit
                        && unit.value() instanceof Value.Text;
            case DATE_ADD, DATETIME_ADD ->
                isMoment(call.arguments().getFirst())
                        && isConstant(call)
                        && !readsArgument(call)
                        && NOW_BETWEEN.stream().allMatch(now -> computed(call, now) != null);
            default -> false;
        };
    }

    private static boolean readsArgument(Expression expression) {
        return expression instanceof Expression.Argument
                || expression.operands().stream().anyMatch(Constants::readsArgument);
    }

    /** Whether the value depends on the request: on its arguments, or on the time. */
    static boolean varies(Expression constant) {
        return constant instanceof Expression.Argument
                || (constant instanceof Expression.Call call && call.function() == Function.NOW)
                || constant.operands().stream().anyMatch(Constants::varies);
    }

    /** The value of a literal, of an argument, or of a list of them. */
    public static Value value(Expression constant, List<Value> arguments) {
        return Objects.requireNonNull(computed(constant, arguments), "a literal or an argument");
    }

    /** The value of a constant; null when computing it fails. */
    static @Nullable Value computed(Expression constant, List<Value> arguments) {
        Expression bound = Expressions.bind(constant, arguments);
        if (bound instanceof Expression.Literal literal) {
            return literal.value();
        }
        try {
            return new Evaluator(List.of(), 0, Work.UNCOUNTED).evaluate(bound, null);
        } catch (ServiceException e) {
            return null;
        }
    }

    /** The items of a constant list, or the value itself when it is not a list; none when computing it fails. */
    static List<Value> items(Expression constant, List<Value> arguments) {
        Value value = computed(constant, arguments);
        return value instanceof Value.ListOf(List<Value> items) ? items : value == null ? List.of() : List.of(value);
    }
}
