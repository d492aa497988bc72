package service.core.value;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads a time as people write it: RFC 3339, a day, or an age. */
public final class PointInTime {
    private static final Instant FIRST = Instant.parse("0000-01-01T00:00:00Z");
    private static final Pattern DAY = Pattern.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}");
    private static final Pattern AGO = Pattern.compile("([0-9]{1,9})([smhd])");

    private PointInTime() {}

    /**
     * The RFC 3339 time that a user means: {@code 2026-11-25} is the beginning of that day in UTC, {@code 5m} is five
     * minutes ago, with {@code s}, {@code m}, {@code h} or {@code d}. Any other text is returned as it is, for its
     * reader to refuse.
     */
    public static String of(String text, Instant now) {
        if (DAY.matcher(text).matches()) {
            return text + "T00:00:00Z";
        }
        Matcher ago = AGO.matcher(text);
        if (!ago.matches()) {
            return text;
        }
        long count = Long.parseLong(ago.group(1));
        Duration age = switch (ago.group(2)) {
            case "s" -> Duration.ofSeconds(count);
            case "m" -> Duration.ofMinutes(count);
            case "h" -> Duration.ofHours(count);
            default -> Duration.ofDays(count);
        };
        Instant then = now.minus(age).truncatedTo(ChronoUnit.MICROS);
        return then.isBefore(FIRST) ? FIRST.toString() : then.toString();
    }
}
