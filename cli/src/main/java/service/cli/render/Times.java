package service.cli.render;

import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;

/** Prints times as ages, such as {@code 3 minutes ago}. */
public final class Times {
    private Times() {}

    /** The age of an RFC 3339 time; the text itself where it is not a time. */
    public static String relative(String rfc3339) {
        try {
            return relative(Duration.between(Instant.parse(rfc3339), Instant.now()));
        } catch (DateTimeParseException e) {
            return rfc3339;
        }
    }

    static String relative(Duration age) {
        long seconds = Math.max(0, age.toSeconds());
        if (seconds < 2) {
            return "just now";
        }
        if (seconds < 120) {
            return seconds + " seconds ago";
        }
        if (seconds < 7200) {
            return seconds / 60 + " minutes ago";
        }
        if (seconds < 172_800) {
            return seconds / 3600 + " hours ago";
        }
        return seconds / 86_400 + " days ago";
    }
}
