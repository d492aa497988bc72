package service.core.gq.function;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.time.temporal.IsoFields;
import java.time.temporal.TemporalAccessor;
import java.time.temporal.TemporalUnit;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import service.core.value.CalendarText;
import service.core.value.CalendarUnit;
import service.core.value.Value;

/** Dates and times moved by units, and written by a pattern. Everything is in UTC. */
final class TimeSteps {
    private static final List<String> OF_DATE = List.of("year", "quarter", "month", "week", "day");
    private static final List<String> OF_DATETIME =
            List.of("year", "quarter", "month", "week", "day", "hour", "minute", "second", "millisecond");

    /** Optional parts of a pattern nest, and a formatter calls itself for each. */
    private static final int PATTERN_MAX = 100;

    private TimeSteps() {}

    static Value dateAdd(LocalDate day, long count, String unit) throws ValueFault {
        LocalDate moved = moved(unit, OF_DATE, step -> day.plus(count, step));
        if (!CalendarText.isDay(moved.toEpochDay())) {
            throw outside();
        }
        return new Value.Date((int) moved.toEpochDay());
    }

    static Value dateTimeAdd(long epochMillis, long count, String unit) throws ValueFault {
        ZonedDateTime moved = moved(unit, OF_DATETIME, step -> at(epochMillis).plus(count, step));
        Value.DateTime instant;
        try {
            instant = new Value.DateTime(moved.toInstant().toEpochMilli());
        } catch (ArithmeticException e) {
            throw outside();
        }
        if (!CalendarText.isDay(CalendarUnit.epochDay(instant))) {
            throw outside();
        }
        return instant;
    }

    private static ZonedDateTime at(long epochMillis) {
        return Instant.ofEpochMilli(epochMillis).atZone(ZoneOffset.UTC);
    }

    private static <T> T moved(String word, List<String> units, Function<TemporalUnit, T> mover) throws ValueFault {
        if (!units.contains(word)) {
            throw new ValueFault("`" + word + "` is not a unit", "the units are " + String.join(", ", units));
        }
        try {
            return mover.apply(unit(word));
        } catch (DateTimeException | ArithmeticException e) {
            throw outside();
        }
    }

    private static TemporalUnit unit(String word) {
        return switch (word) {
            case "quarter" -> IsoFields.QUARTER_YEARS;
            case "millisecond" -> ChronoUnit.MILLIS;
            default -> ChronoUnit.valueOf(word.toUpperCase(Locale.ROOT) + "S");
        };
    }

    private static ValueFault outside() {
        return new ValueFault("a moment outside of the years 0000 to 9999", null);
    }

    static String format(Value moment, String pattern) throws ValueFault {
        TemporalAccessor parts = moment instanceof Value.DateTime(long millis)
                ? at(millis)
                : LocalDate.ofEpochDay(CalendarUnit.epochDay(moment));
        try {
            return formatter(pattern).format(parts);
        } catch (DateTimeException | IllegalArgumentException e) {
            throw new ValueFault("`" + pattern + "` is no pattern for this value", e.getMessage());
        }
    }

    private static DateTimeFormatter formatter(String pattern) {
        if (pattern.length() > PATTERN_MAX) {
            throw new IllegalArgumentException("it is longer than " + PATTERN_MAX + " characters");
        }
        return DateTimeFormatter.ofPattern(pattern, Locale.ENGLISH);
    }

    static @Nullable Misuse checkOfDate(Value literal, Family first) {
        if (literal instanceof Value.Text(String word) && OF_DATETIME.contains(word) && !OF_DATE.contains(word)) {
            return new Misuse("a Date has no `" + word + "`", "write `datetime_add(…)`");
        }
        return checkUnit(literal, OF_DATE);
    }

    static @Nullable Misuse checkOfDateTime(Value literal, Family first) {
        return checkUnit(literal, OF_DATETIME);
    }

    private static @Nullable Misuse checkUnit(Value literal, List<String> units) {
        return literal instanceof Value.Text(String word) && !units.contains(word) ? Misuse.ofUnit(word, units) : null;
    }

    static @Nullable Misuse checkPattern(Value literal, Family first) {
        if (!(literal instanceof Value.Text(String pattern))) {
            return null;
        }
        try {
            format(first == Family.DATE ? new Value.Date(0) : new Value.DateTime(0), pattern);
            return null;
        } catch (ValueFault e) {
            return new Misuse(
                    "`" + pattern + "` is no pattern for a " + (first == Family.DATE ? "Date" : "DateTime"),
                    "the letters are those of java.time, as in \"yyyy-MM-dd\"; text stands in single quotes");
        }
    }
}
