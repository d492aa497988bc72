package service.core.value;

import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.LocalDate;

/**
 * Parses and prints dates and instants strictly: {@code YYYY-MM-DD} and RFC 3339, years 0000 to 9999. Any thread.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc3339">RFC 3339</a>
 */
public final class CalendarText {
    private static final long MILLIS_PER_DAY = 86_400_000L;
    private static final long MICROS_PER_DAY = MILLIS_PER_DAY * 1000;
    private static final int DAYS_PER_ERA = 146_097;
    private static final int DAYS_FROM_YEAR_0_TO_1970 = 719_468;

    /** The first and the last day that a text of four digits for the year can name. */
    private static final long FIRST_DAY = LocalDate.of(0, 1, 1).toEpochDay();

    private static final long LAST_DAY = LocalDate.of(9999, 12, 31).toEpochDay();

    private static final String DATE_FORM = "a date is written YYYY-MM-DD";
    private static final String TIME_FORM = "a time is written in RFC 3339, such as 2024-01-01T12:34:56.789Z";

    /** Length of the text of {@link #micros}. */
    public static final int MICROS_LENGTH = 27;

    private CalendarText() {}

    /** Days since 1970-01-01. Throws {@link IllegalArgumentException} for any text that is not an existing date. */
    public static int parseDate(String text) {
        if (text.length() != 10) {
            throw new IllegalArgumentException(DATE_FORM);
        }
        return (int) epochDay(text, DATE_FORM);
    }

    /**
     * Milliseconds since 1970-01-01T00:00:00Z. Without an offset the time is UTC; digits after the milliseconds are cut
     * off.
     *
     * @throws IllegalArgumentException with the reason, for any text that is not RFC 3339, for a leap second, and for
     *     an instant outside of the years 0000 to 9999 in UTC, which no text could give back
     */
    public static long parseDateTime(String text) {
        return Math.floorDiv(parseMicros(text), 1000L);
    }

    /** {@link #parseDateTime} of a schema that an older version accepted: the instant may be out of range. */
    public static long parseAcceptedDateTime(String text) {
        return Math.floorDiv(anyMicros(text), 1000L);
    }

    /** Microseconds since 1970-01-01T00:00:00Z; see {@link #parseDateTime}. */
    public static long parseMicros(String text) {
        long micros = anyMicros(text);
        requireDay(Math.floorDiv(micros, MICROS_PER_DAY));
        return micros;
    }

    private static long anyMicros(String text) {
        int length = text.length();
        if (length < 19 || (text.charAt(10) != 'T' && text.charAt(10) != 't')) {
            throw malformed();
        }
        long day = epochDay(text, TIME_FORM);
        int hour = number(text, 11, 2);
        int minute = number(text, 14, 2);
        int second = number(text, 17, 2);
        if (second == 60) {
            throw new IllegalArgumentException("times have no leap seconds; the second is 00 to 59");
        }
        if (text.charAt(13) != ':' || text.charAt(16) != ':' || hour > 23 || minute > 59 || second > 59) {
            throw malformed();
        }
        int at = 19;
        long fraction = 0;
        if (at < length && text.charAt(at) == '.') {
            int start = ++at;
            for (long unit = 100_000; at < length && isDigit(text.charAt(at)); at++, unit /= 10) {
                fraction += unit * (text.charAt(at) - '0');
            }
            if (at == start) {
                throw malformed();
            }
        }
        long seconds = hour * 3600L + minute * 60L + second - offsetSeconds(text, at);
        return day * MICROS_PER_DAY + seconds * 1_000_000L + fraction;
    }

    /** Whether a day, in days since 1970-01-01, is in the years 0000 to 9999. */
    public static boolean isDay(long epochDay) {
        return epochDay >= FIRST_DAY && epochDay <= LAST_DAY;
    }

    /**
     * Checks that a day is in the years 0000 to 9999, so that its text can be read again.
     *
     * @throws IllegalArgumentException if it does not
     */
    public static void requireDay(long epochDay) {
        if (!isDay(epochDay)) {
            throw new IllegalArgumentException("it is out of range: in UTC the years are 0000 to 9999");
        }
    }

    private static int offsetSeconds(String text, int at) {
        int length = text.length();
        if (at == length) {
            return 0;
        }
        char sign = text.charAt(at);
        if ((sign == 'Z' || sign == 'z') && at + 1 == length) {
            return 0;
        }
        if ((sign != '+' && sign != '-') || at + 6 != length || text.charAt(at + 3) != ':') {
            throw malformed();
        }
        int hours = number(text, at + 1, 2);
        int minutes = number(text, at + 4, 2);
        if (hours > 23 || minutes > 59) {
            throw malformed();
        }
        int seconds = hours * 3600 + minutes * 60;
        return sign == '-' ? -seconds : seconds;
    }

    /** @param form said of a text whose first ten characters are no date */
    private static long epochDay(String text, String form) {
        if (text.charAt(4) != '-' || text.charAt(7) != '-') {
            throw new IllegalArgumentException(form);
        }
        try {
            return LocalDate.of(number(text, 0, 4, form), number(text, 5, 2, form), number(text, 8, 2, form))
                    .toEpochDay();
        } catch (DateTimeException e) {
            throw new IllegalArgumentException("there is no such day", e);
        }
    }

    private static int number(String text, int from, int digits) {
        return number(text, from, digits, TIME_FORM);
    }

    private static int number(String text, int from, int digits, String form) {
        int value = 0;
        for (int i = from; i < from + digits; i++) {
            char c = text.charAt(i);
            if (!isDigit(c)) {
                throw new IllegalArgumentException(form);
            }
            value = value * 10 + (c - '0');
        }
        return value;
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private static IllegalArgumentException malformed() {
        return new IllegalArgumentException(TIME_FORM);
    }

    /** {@code YYYY-MM-DD}. */
    public static String date(int epochDay) {
        StringBuilder text = new StringBuilder(10);
        appendDate(text, epochDay);
        return text.toString();
    }

    /** {@code YYYY-MM-DDTHH:MM:SS[.mmm]Z}, without the milliseconds when they are zero. */
    public static String dateTime(long epochMillis) {
        StringBuilder text = new StringBuilder(24);
        long ofDay = Math.floorMod(epochMillis, MILLIS_PER_DAY);
        appendDate(text, (int) Math.floorDiv(epochMillis, MILLIS_PER_DAY));
        appendTime(text, ofDay / 1000);
        if (ofDay % 1000 != 0) {
            text.append('.');
            pad(text, ofDay % 1000, 3);
        }
        return text.append('Z').toString();
    }

    /** {@code YYYY-MM-DDTHH:MM:SS.ffffffZ}, the form of the times of commits and branches. */
    public static String micros(long epochMicros) {
        byte[] text = new byte[MICROS_LENGTH];
        putMicros(epochMicros, text, 0);
        return new String(text, StandardCharsets.ISO_8859_1);
    }

    /** Writes {@link #micros} as ASCII, {@link #MICROS_LENGTH} bytes, without allocating. */
    public static void putMicros(long epochMicros, byte[] into, int at) {
        long ofDay = Math.floorMod(epochMicros, MICROS_PER_DAY);
        putDate((int) Math.floorDiv(epochMicros, MICROS_PER_DAY), into, at);
        int second = (int) (ofDay / 1_000_000);
        int micro = (int) (ofDay - second * 1_000_000L);
        into[at + 10] = 'T';
        putTwo(second / 3600, into, at + 11);
        into[at + 13] = ':';
        putTwo(second / 60 % 60, into, at + 14);
        into[at + 16] = ':';
        putTwo(second % 60, into, at + 17);
        into[at + 19] = '.';
        putTwo(micro / 10_000, into, at + 20);
        putTwo(micro / 100 % 100, into, at + 22);
        putTwo(micro % 100, into, at + 24);
        into[at + 26] = 'Z';
    }

    /**
     * Counts in eras of 400 years that begin on March 1st, so that the leap day is a year's last.
     *
     * @see <a href="https://howardhinnant.github.io/date_algorithms.html#civil_from_days">Hinnant, chrono-compatible
     *     low-level date algorithms</a>
     */
    private static void putDate(int epochDay, byte[] into, int at) {
        int day = epochDay + DAYS_FROM_YEAR_0_TO_1970;
        int era = Math.floorDiv(day, DAYS_PER_ERA);
        int ofEra = day - era * DAYS_PER_ERA;
        int yearOfEra = (ofEra - ofEra / 1460 + ofEra / 36_524 - ofEra / 146_096) / 365;
        int ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
        int marchMonth = (5 * ofYear + 2) / 153;
        int month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
        int year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0);
        putTwo(year / 100, into, at);
        putTwo(year % 100, into, at + 2);
        into[at + 4] = '-';
        putTwo(month, into, at + 5);
        into[at + 7] = '-';
        putTwo(ofYear - (153 * marchMonth + 2) / 5 + 1, into, at + 8);
    }

    private static void putTwo(int value, byte[] into, int at) {
        into[at] = (byte) ('0' + value / 10);
        into[at + 1] = (byte) ('0' + value % 10);
    }

    private static void appendDate(StringBuilder text, int epochDay) {
        LocalDate date = LocalDate.ofEpochDay(epochDay);
        pad(text, date.getYear(), 4);
        text.append('-');
        pad(text, date.getMonthValue(), 2);
        text.append('-');
        pad(text, date.getDayOfMonth(), 2);
    }

    private static void appendTime(StringBuilder text, long secondOfDay) {
        text.append('T');
        pad(text, secondOfDay / 3600, 2);
        text.append(':');
        pad(text, secondOfDay / 60 % 60, 2);
        text.append(':');
        pad(text, secondOfDay % 60, 2);
    }

    private static void pad(StringBuilder text, long value, int digits) {
        long above = 1;
        for (int i = 1; i < digits; i++) {
            above *= 10;
            if (value < above) {
                text.append('0');
            }
        }
        text.append(value);
    }
}
