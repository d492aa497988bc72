package service.core.port;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import service.core.error.ServiceException;

/**
 * The amount of history that a graph keeps ({@code docs/operations/retention-and-backup.md}). A commit is reclaimed
 * when neither condition keeps it.
 *
 * @param keep the number of newest commits of each branch that are kept; null when only age counts
 * @param olderThanMicros younger commits are kept; null when only {@code keep} counts
 */
public record RetentionPolicy(@Nullable Long keep, @Nullable Long olderThanMicros) {
    private static final Pattern AGE = Pattern.compile("([1-9][0-9]{0,8})([smhdw])");
    private static final long SECOND_MICROS = 1_000_000;

    public RetentionPolicy {
        if (keep == null && olderThanMicros == null) {
            throw ServiceException.badRequest(
                    "a retention names `keep`, how many commits, or `older_than`, an age such as 30d");
        }
        if (keep != null && keep < 1) {
            throw ServiceException.badRequest("`keep` is a positive number of commits");
        }
    }

    /**
     * Parses the two parts as a user writes them.
     *
     * @param olderThan a positive number and one of s, m, h, d, w; or null
     */
    public static RetentionPolicy of(@Nullable Long keep, @Nullable String olderThan) {
        return new RetentionPolicy(keep, olderThan == null ? null : micros(olderThan));
    }

    private static long micros(String age) {
        Matcher parts = AGE.matcher(age);
        if (!parts.matches()) {
            throw ServiceException.badRequest(
                    "`" + age + "` is not an age: write a number and s, m, h, d or w, such as 7d");
        }
        long seconds = switch (parts.group(2)) {
            case "s" -> 1;
            case "m" -> 60;
            case "h" -> 3_600;
            case "w" -> 604_800;
            default -> 86_400;
        };
        return Long.parseLong(parts.group(1)) * seconds * SECOND_MICROS;
    }
}
