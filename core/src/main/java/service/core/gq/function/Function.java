package service.core.gq.function;

import static service.core.gq.function.Declaration.firstKnown;
import static service.core.gq.function.Declaration.gives;
import static service.core.gq.function.Declaration.takes;
import static service.core.gq.function.Parameter.CALENDAR_DAY;
import static service.core.gq.function.Parameter.EPOCH_DAY;
import static service.core.gq.function.Parameter.EPOCH_MILLIS;
import static service.core.gq.function.Parameter.MOMENT;
import static service.core.gq.function.Parameter.MOMENT_OR_TEXT;
import static service.core.gq.function.Parameter.NUMBER;
import static service.core.gq.function.Parameter.TEXT;
import static service.core.gq.function.Parameter.TEXT_OR_LIST;
import static service.core.gq.function.Parameter.UNIT;

import java.time.LocalDate;
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
    /** Counts the code points of a text or the items of a list. */
    LENGTH(takes(TEXT_OR_LIST).gives(Result.I64, TextFunctions::length)),
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
            .givesOrFails(Result.SAME_MOMENT, (moment, unit, context) -> TimeFunctions.truncate(moment, unit)));

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
