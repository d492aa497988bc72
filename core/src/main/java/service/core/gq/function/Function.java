package service.core.gq.function;

import static service.core.gq.function.Declaration.extreme;
import static service.core.gq.function.Declaration.firstKnown;
import static service.core.gq.function.Declaration.gives;
import static service.core.gq.function.Declaration.range;
import static service.core.gq.function.Declaration.substring;
import static service.core.gq.function.Declaration.takes;
import static service.core.gq.function.Parameter.CALENDAR_DAY;
import static service.core.gq.function.Parameter.DATE_STEP;
import static service.core.gq.function.Parameter.EPOCH_DAY;
import static service.core.gq.function.Parameter.EPOCH_MILLIS;
import static service.core.gq.function.Parameter.INTEGER;
import static service.core.gq.function.Parameter.LIST;
import static service.core.gq.function.Parameter.MOMENT;
import static service.core.gq.function.Parameter.MOMENT_OR_TEXT;
import static service.core.gq.function.Parameter.NUMBER;
import static service.core.gq.function.Parameter.NUMBER_OR_TEXT;
import static service.core.gq.function.Parameter.ORDERED_LIST;
import static service.core.gq.function.Parameter.PATH;
import static service.core.gq.function.Parameter.PATTERN;
import static service.core.gq.function.Parameter.PLAIN;
import static service.core.gq.function.Parameter.PLAIN_LIST;
import static service.core.gq.function.Parameter.REAL;
import static service.core.gq.function.Parameter.TEXT;
import static service.core.gq.function.Parameter.TEXT_LIST_OR_PATH;
import static service.core.gq.function.Parameter.TEXT_OR_LIST;
import static service.core.gq.function.Parameter.TIME_OF_DAY;
import static service.core.gq.function.Parameter.TIME_STEP;
import static service.core.gq.function.Parameter.UNIT;

import java.time.LocalDate;
import java.time.LocalTime;
import java.time.temporal.IsoFields;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import service.core.value.Value;

/**
 * The scalar functions of GQ. A constant declares the whole function: its name in GQ is that of the constant in lower
 * case, and {@link Declaration} says the rest. The compiler checks the value against the types of the parameters and of
 * the result, and lets only {@code givesOrFails} take one that throws {@link ValueFault}. Immutable; any thread.
 */
@SuppressWarnings("ImmutableEnumChecker") // a declaration holds lists made by List.of, and functions without a state
public enum Function {
    /** The start of the request. */
    NOW(gives(Result.DATETIME, context -> new Value.DateTime(Math.floorDiv(context.nowMicros(), 1000L)))),
    LOWER(takes(TEXT).gives(Result.STRING, text -> text.toLowerCase(Locale.ROOT))),
    UPPER(takes(TEXT).gives(Result.STRING, text -> text.toUpperCase(Locale.ROOT))),
    /** Counts the code points of a text, the items of a list or the edges of a path. */
    LENGTH(takes(TEXT_LIST_OR_PATH).gives(Result.I64, TextFunctions::length)),
    /** The first argument that is not null. */
    COALESCE(firstKnown()),
    ABS(takes(NUMBER)
            .givesOrFails(Result.ARITHMETIC, (number, context) -> NumberFunctions.abs(number, context.type()))),
    /** Rounds half away from zero. */
    ROUND(takes(NUMBER).gives(Result.ARITHMETIC, NumberFunctions::round)),
    /** The day of a DateTime in UTC, or the date that a text is. */
    DATE(takes(MOMENT_OR_TEXT).givesOrFails(Result.DATE, (moment, context) -> TimeFunctions.date(moment))),
    /** The midnight of a Date in UTC, or the date-time that a text is. */
    DATETIME(takes(MOMENT_OR_TEXT).givesOrFails(Result.DATETIME, (moment, context) -> TimeFunctions.dateTime(moment))),
    /** Of a Date, or of a DateTime in UTC, as the next two. */
    YEAR(takes(CALENDAR_DAY).gives(Result.I64, LocalDate::getYear)),
    MONTH(takes(CALENDAR_DAY).gives(Result.I64, LocalDate::getMonthValue)),
    DAY(takes(CALENDAR_DAY).gives(Result.I64, LocalDate::getDayOfMonth)),
    /** The days from the second argument to the first. */
    DATE_DIFF(takes("two dates", EPOCH_DAY, EPOCH_DAY).gives(Result.I64, (to, from) -> to - from)),
    /** The milliseconds from the second argument to the first. */
    DATETIME_DIFF(takes("two dates", EPOCH_MILLIS, EPOCH_MILLIS).gives(Result.I64, (to, from) -> to - from)),
    /** The beginning of a unit, as the type of the first argument. */
    TRUNCATE(takes("a date and a unit such as \"month\"", MOMENT, UNIT)
            .givesOrFails(Result.SAME_MOMENT, (moment, unit, context) -> TimeFunctions.truncate(moment, unit))),
    /** Without white space at both ends. */
    TRIM(takes(TEXT).gives(Result.STRING, String::strip)),
    /** Positions count code points from 0, as in the functions below; what lies outside of the text is left out. */
    LEFT(takes("a string and a number", TEXT, INTEGER).gives(Result.STRING, TextFunctions::left)),
    RIGHT(takes("a string and a number", TEXT, INTEGER).gives(Result.STRING, TextFunctions::right)),
    SUBSTRING(substring()),
    /** The place where a text begins in another one, -1 when it does not occur. */
    INDEX_OF(takes("two strings", TEXT, TEXT).gives(Result.I64, TextFunctions::indexOf)),
    REPLACE(takes("three strings", TEXT, TEXT, TEXT).givesOrFails(Result.STRING, TextFunctions::replace)),
    SPLIT(takes("two strings", TEXT, TEXT)
            .givesOrFails(Result.STRINGS, (text, separator, context) -> TextFunctions.split(text, separator))),
    /** The items that are not null, as texts. */
    JOIN(takes("a list and a string", PLAIN_LIST, TEXT)
            .givesOrFails(Result.STRING, (list, separator, context) -> TextFunctions.join(list, separator))),
    REVERSE(takes(TEXT_OR_LIST).gives(Result.SAME_TEXT_OR_LIST, TextFunctions::reverse)),
    TO_STRING(takes(PLAIN).gives(Result.STRING, TextFunctions::of)),
    FLOOR(takes(NUMBER).gives(Result.ARITHMETIC, NumberFunctions::floor)),
    CEIL(takes(NUMBER).gives(Result.ARITHMETIC, NumberFunctions::ceil)),
    SQRT(takes(REAL).givesOrFails(Result.F64, (number, context) -> NumberFunctions.real(Math.sqrt(number)))),
    POWER(takes("two numbers", REAL, REAL)
            .givesOrFails(Result.F64, (base, to, context) -> NumberFunctions.real(StrictMath.pow(base, to)))),
    EXP(takes(REAL).givesOrFails(Result.F64, (number, context) -> NumberFunctions.real(StrictMath.exp(number)))),
    LN(takes(REAL).givesOrFails(Result.F64, (number, context) -> NumberFunctions.real(StrictMath.log(number)))),
    LOG10(takes(REAL).givesOrFails(Result.F64, (number, context) -> NumberFunctions.real(StrictMath.log10(number)))),
    /** -1, 0 or 1. */
    SIGN(takes(NUMBER).gives(Result.I64, NumberFunctions::sign)),
    GREATEST(extreme(1)),
    LEAST(extreme(-1)),
    /** Without the fraction; null for what is no integer of 64 bits. */
    TO_INT(takes(NUMBER_OR_TEXT).gives(Result.I64_OR_NULL, NumberFunctions::toInt)),
    /** Null for a text that is no number. */
    TO_FLOAT(takes(NUMBER_OR_TEXT).gives(Result.F64_OR_NULL, NumberFunctions::toFloat)),
    /** Of a DateTime in UTC, as the next two. */
    HOUR(takes(TIME_OF_DAY).gives(Result.I64, LocalTime::getHour)),
    MINUTE(takes(TIME_OF_DAY).gives(Result.I64, LocalTime::getMinute)),
    SECOND(takes(TIME_OF_DAY).gives(Result.I64, LocalTime::getSecond)),
    /** 1 for Monday. */
    WEEKDAY(takes(CALENDAR_DAY).gives(Result.I64, day -> day.getDayOfWeek().getValue())),
    /** The week of ISO 8601. */
    WEEK(takes(CALENDAR_DAY).gives(Result.I64, day -> day.get(IsoFields.WEEK_OF_WEEK_BASED_YEAR))),
    QUARTER(takes(CALENDAR_DAY).gives(Result.I64, day -> day.get(IsoFields.QUARTER_OF_YEAR))),
    /** As DATE, but null for a text that is no date. */
    TO_DATE(takes(MOMENT_OR_TEXT).gives(Result.DATE, TimeFunctions::dateOrNull)),
    /** As DATETIME, but null for a text that is no date-time. */
    TO_DATETIME(takes(MOMENT_OR_TEXT).gives(Result.DATETIME, TimeFunctions::dateTimeOrNull)),
    /** A day moved by units of whole days; the end of a month is clamped. */
    DATE_ADD(takes("a date, a number and a unit such as \"month\"", CALENDAR_DAY, INTEGER, DATE_STEP)
            .givesOrFails(Result.DATE, TimeSteps::dateAdd)),
    /** The same for an instant, also with units within a day. */
    DATETIME_ADD(takes("a date-time, a number and a unit such as \"hour\"", EPOCH_MILLIS, INTEGER, TIME_STEP)
            .givesOrFails(Result.DATETIME, TimeSteps::dateTimeAdd)),
    /** With the letters of java.time; names are English. */
    FORMAT(takes("a date and a pattern such as \"yyyy-MM\"", MOMENT, PATTERN)
            .givesOrFails(Result.STRING, (moment, pattern, context) -> TimeSteps.format(moment, pattern))),
    RANGE(range()),
    /** Nulls come first. */
    SORT(takes(ORDERED_LIST).gives(Result.SAME_LIST, ListFunctions::sort)),
    /** Keeps the first of equal items. */
    UNIQUE(takes(LIST).gives(Result.SAME_LIST, ListFunctions::unique)),
    /** The sum of the costs of the steps of a path; without costs each step costs 1. */
    COST(takes(PATH)
            .gives(
                    Result.F64,
                    path -> path.cost() == null ? path.edges().items().size() : path.cost())),
    /** Of a path, in the order of the walk, as the next one. */
    NODES(takes(PATH).gives(Result.NODES, Value.Path::nodes)),
    EDGES(takes(PATH).gives(Result.EDGES, Value.Path::edges));

    private static final Map<String, Function> BY_WORD =
            Arrays.stream(values()).collect(Collectors.toUnmodifiableMap(Function::word, UnaryOperator.identity()));

    private final String word = name().toLowerCase(Locale.ROOT);
    private final Declaration declaration;

    Function(Declaration declaration) {
        this.declaration = declaration;
    }

    /** The function of that name, or null. */
    public static @Nullable Function named(String word) {
        return BY_WORD.get(word);
    }

    /** The names of all functions, in the order of this file. */
    public static List<String> words() {
        return Arrays.stream(values()).map(Function::word).toList();
    }

    /** The name in GQ. */
    public String word() {
        return word;
    }

    public Signature signature() {
        return declaration.signature();
    }

    /** Whether the first argument that is not null decides, so that those after it need no value. */
    public boolean isDecidedByFirst() {
        return declaration.takesNull();
    }

    /** Whether {@link #value} throws for some arguments. */
    public boolean canFail() {
        return declaration.canFail();
    }

    /**
     * The value of a call.
     *
     * @param arguments that fit the signature; not kept
     */
    public Value value(Value[] arguments, CallContext context) throws ValueFault {
        if (!declaration.takesNull()) {
            for (Value argument : arguments) {
                if (argument instanceof Value.Null) {
                    return argument;
                }
            }
        }
        return declaration.body().of(arguments, context);
    }
}
