package service.cli.render;

import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;

/** Times as people read them in tables: how long ago. */
public final class Times {
    private Times() {}

    /** An RFC 3339 time relative to now; the text itself where it is none. */
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
