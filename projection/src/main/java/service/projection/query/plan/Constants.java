package service.projection.query.plan;

import java.util.ArrayList;
import java.util.List;
import service.core.gq.plan.Expression;
import service.core.value.CalendarUnit;
import service.core.value.Value;

/**
 * Constant expressions: literals, arguments, lists of them, and moments that follow from {@code now()}. The value of
 * {@code now()} is the last of the arguments that a plan is run with ({@link #withNow}).
 */
public final class Constants {
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
            case Expression.ListOf list -> list.items().stream().allMatch(Constants::isConstant);
            case Expression.Call call -> isMoment(call);
            default -> false;
        };
    }

    /**
     * Whether a call is {@code now()}, or its day, its midnight or the beginning of its unit. Such a call never fails.
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
            default -> false;
        };
    }

    /** Whether the value depends on the request: on its arguments, or on the time. */
    static boolean varies(Expression constant) {
        return constant instanceof Expression.Argument
                || isMoment(constant)
                || constant.operands().stream().anyMatch(Constants::varies);
    }

    /** The value of a constant. */
    public static Value value(Expression constant, List<Value> arguments) {
        return switch (Expressions.bind(constant, arguments)) {
            case Expression.Literal literal -> literal.value();
            case Expression.Call call when isMoment(constant) -> moment(call);
            default -> throw new IllegalArgumentException("no constant: " + constant);
        };
    }

    private static Value moment(Expression.Call call) {
        Value of = call.arguments().getFirst() instanceof Expression.Call inner
                ? moment(inner)
                : ((Expression.Literal) call.arguments().getFirst()).value();
        return switch (call.function()) {
            case DATE -> CalendarUnit.date(of);
            case DATETIME -> CalendarUnit.dateTime(of);
            case TRUNCATE -> {
                Value.Text unit =
                        (Value.Text) ((Expression.Literal) call.arguments().get(1)).value();
                yield CalendarUnit.truncate(of, unit.value());
            }
            default -> throw new IllegalArgumentException("no moment: " + call);
        };
    }

    /** The items of a constant list, or the value itself when it is not a list. */
    static List<Value> items(Expression constant, List<Value> arguments) {
        Value value = value(constant, arguments);
        return value instanceof Value.ListOf(List<Value> items) ? items : List.of(value);
    }
}
