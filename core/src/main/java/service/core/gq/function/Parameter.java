package service.core.gq.function;

import java.time.LocalDate;
import java.time.LocalTime;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import service.core.value.CalendarUnit;
import service.core.value.Value;

/**
 * A parameter of a function: which arguments it takes, and what the function gets for one.
 *
 * @param <T> what the function gets
 * @param wanted what the parameter takes, as messages say it
 * @param reader reads a value of one of the families
 * @param check refuses literals that the function never takes
 * @param only which values of the families it takes
 */
public record Parameter<T>(
        String wanted, Set<Family> families, Function<Value, T> reader, LiteralCheck check, Only only) {
    /** What a parameter asks for beyond the family. */
    public enum Only {
        /** Every value of the family. */
        ANY,
        /** Numbers of an integer type. */
        WHOLE,
        /** Lists whose items have an order and a text. */
        PLAIN_ITEMS;

        /** Whether a list may have such items. */
        public boolean takesItems(Family items) {
            return this != PLAIN_ITEMS || items.ordered() || items == Family.BOOL;
        }
    }

    /** Looks at a literal before the query runs. */
    public interface LiteralCheck {
        LiteralCheck NONE = (literal, first) -> null;

        /**
         * The reason to refuse a literal, or null.
         *
         * @param first the family of the first argument of the call
         */
        @Nullable
        Misuse of(Value literal, Family first);
    }

    static final Parameter<String> TEXT = text("String", LiteralCheck.NONE);

    /** The word of a {@link CalendarUnit} that the moment before it has. */
    public static final Parameter<String> UNIT = text("a unit such as \"month\"", TimeFunctions::checkUnit);

    static final Parameter<Value> TEXT_OR_LIST = of("String or a list", Function.identity(), Family.TEXT, Family.LIST);

    static final Parameter<Value> NUMBER = of("a number", Function.identity(), Family.NUMBER);

    /** A number as a floating-point one. */
    static final Parameter<Double> REAL = of("a number", NumberFunctions::toReal, Family.NUMBER);

    /** An integer; one that exceeds I64 is as the greatest one. */
    static final Parameter<Long> INTEGER = new Parameter<>(
            "an integer", Set.of(Family.NUMBER), NumberFunctions::clamped, LiteralCheck.NONE, Only.WHOLE);

    static final Parameter<Value> NUMBER_OR_TEXT =
            of("a number or String", Function.identity(), Family.NUMBER, Family.TEXT);

    static final Parameter<List<Value>> LIST = list("a list", Only.ANY);

    static final Parameter<List<Value>> PLAIN_LIST = list("a list of plain values", Only.PLAIN_ITEMS);

    static final Parameter<List<Value>> ORDERED_LIST = list("a list of values that have an order", Only.PLAIN_ITEMS);

    /** An integer of any size. */
    static final Parameter<Value> WHOLE =
            new Parameter<>("an integer", Set.of(Family.NUMBER), Function.identity(), LiteralCheck.NONE, Only.WHOLE);

    /** What {@code date_add} takes. */
    public static final Parameter<String> DATE_STEP = text("a unit such as \"month\"", TimeSteps::checkOfDate);

    /** What {@code datetime_add} takes. */
    public static final Parameter<String> TIME_STEP = text("a unit such as \"month\"", TimeSteps::checkOfDateTime);

    /** What {@code format} takes. */
    public static final Parameter<String> PATTERN = text("a pattern such as \"yyyy-MM\"", TimeSteps::checkPattern);

    /** What has a text. */
    static final Parameter<Value> PLAIN = of(
            "a number, String, Bool, Date or DateTime",
            Function.identity(),
            Family.NUMBER,
            Family.TEXT,
            Family.BOOL,
            Family.DATE,
            Family.DATETIME);

    /** The time of a DateTime in UTC. */
    static final Parameter<LocalTime> TIME_OF_DAY = of("DateTime", TimeFunctions::timeOfDay, Family.DATETIME);

    static final Parameter<Value> MOMENT = moment(Function.identity());

    /** The days since 1970-01-01 of a Date, or of a DateTime in UTC. */
    static final Parameter<Long> EPOCH_DAY = moment(CalendarUnit::epochDay);

    /** A Date, or the day of a DateTime in UTC. */
    static final Parameter<LocalDate> CALENDAR_DAY =
            moment(value -> LocalDate.ofEpochDay(CalendarUnit.epochDay(value)));

    /** The milliseconds since 1970 of a DateTime, or of the midnight of a Date in UTC. */
    static final Parameter<Long> EPOCH_MILLIS = moment(CalendarUnit::epochMillis);

    static final Parameter<Value> MOMENT_OR_TEXT =
            of("Date, DateTime or String", Function.identity(), Family.DATE, Family.DATETIME, Family.TEXT);

    static final Parameter<Value.Path> PATH = of("a path", Value.Path.class::cast, Family.PATH);

    static final Parameter<Value> TEXT_LIST_OR_PATH =
            of("String, a list or a path", Function.identity(), Family.TEXT, Family.LIST, Family.PATH);

    private static <T> Parameter<T> of(String wanted, Function<Value, T> reader, Family... families) {
        return new Parameter<>(wanted, Set.of(families), reader, LiteralCheck.NONE, Only.ANY);
    }

    private static Parameter<List<Value>> list(String wanted, Only only) {
        return new Parameter<>(
                wanted, Set.of(Family.LIST), value -> ((Value.ListOf) value).items(), LiteralCheck.NONE, only);
    }

    private static Parameter<String> text(String wanted, LiteralCheck check) {
        return new Parameter<>(wanted, Set.of(Family.TEXT), value -> ((Value.Text) value).value(), check, Only.ANY);
    }

    private static <T> Parameter<T> moment(Function<Value, T> reader) {
        return of("Date or DateTime", reader, Family.DATE, Family.DATETIME);
    }

    /** What the function gets for an argument that is not null. */
    T read(Value argument) {
        return reader.apply(argument);
    }
}
