package service.core.value;

import java.time.LocalDate;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The units to which GQ truncates a Date or a DateTime, in UTC. A week begins on Monday. Any thread. */
public enum CalendarUnit {
    YEAR(0),
    QUARTER(0),
    MONTH(0),
    WEEK(0),
    DAY(0),
    HOUR(3_600_000),
    MINUTE(60_000),
    SECOND(1_000);

    private static final long MILLIS_PER_DAY = 86_400_000;
    /** 1970-01-01 was a Thursday. */
    private static final int FIRST_MONDAY = -3;

    /** The length of a unit within a day; 0 for the units of whole days. */
    private final long millis;

    CalendarUnit(long millis) {
        this.millis = millis;
    }

    /** The words of all units, the longest unit first. */
    public static List<String> words() {
        return Arrays.stream(values()).map(CalendarUnit::word).toList();
    }

    /** The unit of that word, such as {@code month}, or null. */
    public static @Nullable CalendarUnit of(String word) {
        for (CalendarUnit unit : values()) {
            if (unit.word().equals(word)) {
                return unit;
            }
        }
        return null;
    }

    /** The name of this unit in GQ. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Whether this unit is a part of a day, which only a DateTime has. */
    public boolean isWithinDay() {
        return millis != 0;
    }

    /** The day of a Date, or of a DateTime in UTC, in days since 1970-01-01. */
    public static long epochDay(Value moment) {
        return moment instanceof Value.DateTime(long millis)
                ? Math.floorDiv(millis, MILLIS_PER_DAY)
                : ((Value.Date) moment).epochDay();
    }

    /** The instant of a DateTime, or the midnight of a Date in UTC, in milliseconds since 1970. */
    public static long epochMillis(Value moment) {
        return moment instanceof Value.DateTime(long millis)
                ? millis
                : ((Value.Date) moment).epochDay() * MILLIS_PER_DAY;
    }

    /**
     * The day of a Date, of a DateTime in UTC, or of a text.
     *
     * @throws IllegalArgumentException with the reason, for a text that is no date, and for a DateTime outside of the
     *     years 0000 to 9999, which older versions stored
     */
    public static Value date(Value value) {
        if (value instanceof Value.Date) {
            return value;
        }
        if (value instanceof Value.Text(String text)) {
            return new Value.Date(CalendarText.parseDate(text));
        }
        long day = epochDay(value);
        CalendarText.requireDay(day);
        return new Value.Date((int) day);
    }

    /**
     * The midnight of a Date in UTC, the instant that a text names, or a DateTime itself.
     *
     * @throws IllegalArgumentException with the reason, for a text that is no date-time
     */
    public static Value dateTime(Value value) {
        return value instanceof Value.Text(String text)
                ? new Value.DateTime(CalendarText.parseDateTime(text))
                : new Value.DateTime(epochMillis(value));
    }

    /** A text, or a moment as text: how a message shows what {@link #date} and {@link #dateTime} refuse. */
    public static String shown(Value value) {
        return value instanceof Value.Text(String text) ? text : CalendarText.dateTime(epochMillis(value));
    }

    /**
     * The beginning of the unit that holds a Date or a DateTime, as a value of the same type.
     *
     * @throws IllegalArgumentException for a word that is no unit, a unit that a Date does not have, and a unit that
     *     begins outside of the years 0000 to 9999, as the first week does
     */
    public static Value truncate(Value moment, String word) {
        CalendarUnit unit = of(word);
        if (unit == null) {
            throw new IllegalArgumentException("`" + word + "` is not a unit; units are " + String.join(", ", words()));
        }
        if (unit.isWithinDay()) {
            if (!(moment instanceof Value.DateTime(long epochMillis))) {
                throw new IllegalArgumentException("a Date has no `" + word + "`");
            }
            return new Value.DateTime(Math.floorDiv(epochMillis, unit.millis) * unit.millis);
        }
        int first = unit.firstDay((int) epochDay(moment));
        if (!CalendarText.isDay(first)) {
            String where = first < 0 ? "before the year 0000" : "after the year 9999";
            throw new IllegalArgumentException("the " + word + " begins " + where);
        }
        return moment instanceof Value.DateTime ? new Value.DateTime(first * MILLIS_PER_DAY) : new Value.Date(first);
    }

    private int firstDay(int epochDay) {
        if (this == WEEK) {
            return epochDay - Math.floorMod(epochDay - FIRST_MONDAY, 7);
        }
        LocalDate day = LocalDate.ofEpochDay(epochDay);
        LocalDate first = switch (this) {
            case YEAR -> day.withDayOfYear(1);
            case QUARTER -> LocalDate.of(day.getYear(), (day.getMonthValue() - 1) / 3 * 3 + 1, 1);
            case MONTH -> day.withDayOfMonth(1);
            default -> day;
        };
        return (int) first.toEpochDay();
    }
}
