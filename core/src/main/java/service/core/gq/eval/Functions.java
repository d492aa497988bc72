package service.core.gq.eval;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.LocalDate;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import service.core.gq.plan.Expression;
import service.core.value.CalendarText;
import service.core.value.Value;

/** The functions of one argument; they return null for null. */
final class Functions {
    private static final long MILLIS_PER_DAY = 86_400_000;

    private Functions() {}

    static Value apply(Expression.Call call, Value argument, @Nullable EntityRow entity) {
        if (argument instanceof Value.Null) {
            return argument;
        }
        return switch (call.function()) {
            case NOW, COALESCE -> throw new IllegalStateException("evaluated before");
            case LOWER -> new Value.Text(text(argument).toLowerCase(Locale.ROOT));
            case UPPER -> new Value.Text(text(argument).toUpperCase(Locale.ROOT));
            case LENGTH -> new Value.Int(length(argument));
            case ABS -> Numbers.abs(argument, call.type(), call.origin(), entity);
            case ROUND -> round(argument);
            case DATE -> date(call, argument, entity);
            case DATETIME -> dateTime(call, argument, entity);
            case YEAR -> new Value.Int(LocalDate.ofEpochDay(epochDay(argument)).getYear());
            case MONTH -> new Value.Int(LocalDate.ofEpochDay(epochDay(argument)).getMonthValue());
            case DAY -> new Value.Int(LocalDate.ofEpochDay(epochDay(argument)).getDayOfMonth());
        };
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

    private static long epochDay(Value value) {
        return value instanceof Value.DateTime(long millis)
                ? Math.floorDiv(millis, MILLIS_PER_DAY)
                : ((Value.Date) value).epochDay();
    }

    private static Value date(Expression.Call call, Value value, @Nullable EntityRow entity) {
        if (!(value instanceof Value.Text(String text))) {
            return new Value.Date((int) epochDay(value));
        }
        try {
            return new Value.Date(CalendarText.parseDate(text));
        } catch (IllegalArgumentException e) {
            throw RuntimeFault.at("`" + text + "` is not a date", call.origin(), entity);
        }
    }

    private static Value dateTime(Expression.Call call, Value value, @Nullable EntityRow entity) {
        if (value instanceof Value.Date(int epochDay)) {
            return new Value.DateTime(epochDay * MILLIS_PER_DAY);
        }
        if (!(value instanceof Value.Text(String text))) {
            return value;
        }
        try {
            return new Value.DateTime(CalendarText.parseDateTime(text));
        } catch (IllegalArgumentException e) {
            throw RuntimeFault.at("`" + text + "` is not a date-time", call.origin(), entity);
        }
    }
}
