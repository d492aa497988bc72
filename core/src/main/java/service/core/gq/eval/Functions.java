package service.core.gq.eval;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.LocalDate;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import service.core.gq.plan.Expression;
import service.core.value.CalendarUnit;
import service.core.value.Value;

/** The functions of one and of two arguments; they return null when an argument is null. */
final class Functions {
    private Functions() {}

    static Value apply(Expression.Call call, Value argument, @Nullable EntityRow entity) {
        if (argument instanceof Value.Null) {
            return argument;
        }
        return switch (call.function()) {
            case NOW, COALESCE, DATE_DIFF, DATETIME_DIFF, TRUNCATE ->
                throw new IllegalStateException("evaluated before");
            case LOWER -> new Value.Text(text(argument).toLowerCase(Locale.ROOT));
            case UPPER -> new Value.Text(text(argument).toUpperCase(Locale.ROOT));
            case LENGTH -> new Value.Int(length(argument));
            case ABS -> Numbers.abs(argument, call.type(), call.origin(), entity);
            case ROUND -> round(argument);
            case DATE -> date(call, argument, entity);
            case DATETIME -> dateTime(call, argument, entity);
            case YEAR ->
                new Value.Int(
                        LocalDate.ofEpochDay(CalendarUnit.epochDay(argument)).getYear());
            case MONTH ->
                new Value.Int(
                        LocalDate.ofEpochDay(CalendarUnit.epochDay(argument)).getMonthValue());
            case DAY ->
                new Value.Int(
                        LocalDate.ofEpochDay(CalendarUnit.epochDay(argument)).getDayOfMonth());
        };
    }

    /** A function of two arguments. */
    static Value apply(Expression.Call call, Value left, Value right, @Nullable EntityRow entity) {
        if (left instanceof Value.Null || right instanceof Value.Null) {
            return Value.NULL;
        }
        return switch (call.function()) {
            case DATE_DIFF -> new Value.Int(CalendarUnit.epochDay(left) - CalendarUnit.epochDay(right));
            case DATETIME_DIFF -> new Value.Int(CalendarUnit.epochMillis(left) - CalendarUnit.epochMillis(right));
            case TRUNCATE -> truncate(call, left, text(right), entity);
            default -> throw new IllegalStateException("takes other arguments: " + call.function());
        };
    }

    private static Value truncate(Expression.Call call, Value moment, String unit, @Nullable EntityRow entity) {
        try {
            return CalendarUnit.truncate(moment, unit);
        } catch (IllegalArgumentException e) {
            throw RuntimeFault.at(String.valueOf(e.getMessage()), call.origin(), entity);
        }
    }

    private static String text(Value value) {
        return ((Value.Text) value).value();
    }

    private static long length(Value value) {
        return switch (value) {
            case Value.ListOf list -> list.items().size();
            default -> text(value).codePointCount(0, text(value).length());
        };
    }

    private static Value round(Value value) {
        return value instanceof Value.Real(double real)
                ? new Value.Real(
                        new BigDecimal(real).setScale(0, RoundingMode.HALF_UP).doubleValue())
                : value;
    }

    private static Value date(Expression.Call call, Value value, @Nullable EntityRow entity) {
        try {
            return CalendarUnit.date(value);
        } catch (IllegalArgumentException e) {
            throw RuntimeFault.at(
                    "`" + CalendarUnit.shown(value) + "` is not a date", e.getMessage(), call.origin(), entity);
        }
    }

    private static Value dateTime(Expression.Call call, Value value, @Nullable EntityRow entity) {
        try {
            return CalendarUnit.dateTime(value);
        } catch (IllegalArgumentException e) {
            throw RuntimeFault.at(
                    "`" + CalendarUnit.shown(value) + "` is not a date-time", e.getMessage(), call.origin(), entity);
        }
    }
}
