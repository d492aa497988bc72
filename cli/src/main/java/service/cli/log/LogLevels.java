package service.cli.log;

import ch.qos.logback.classic.Level;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The least severe lines that are written: of all loggers, and of those whose name begins with a prefix.
 *
 * @param byPrefix names of loggers and packages; the longest that fits counts
 */
public record LogLevels(Level root, Map<String, Level> byPrefix) {
    /** What {@link #parse} accepts, in words. */
    public static final String ALLOWED = "error, warn, info, debug or trace, or a list such as"
            + " service.http.slow=error,service.log=debug,info; debug, trace and info of a prefix only for loggers that"
            + " begin with `service`";

    private static final List<String> LEVELS = List.of("error", "warn", "info", "debug", "trace");
    private static final Pattern PREFIX = Pattern.compile("[A-Za-z_$][\\w$]*(\\.[A-Za-z_$][\\w$]*)*");
    private static final Pattern OWN = Pattern.compile("service(\\..*)?");

    public LogLevels {
        byPrefix = Map.copyOf(byPrefix);
    }

    /**
     * Reads {@code level}, or a list of {@code prefix=level} and at most one {@code level}, which is {@code info} where
     * it is missing. Libraries can log bodies and credentials below {@code warn}, so a prefix with such a level must be
     * one of this program.
     *
     * @return null when the text is none of these
     */
    public static @Nullable LogLevels parse(String text) {
        Level root = null;
        Map<String, Level> byPrefix = new TreeMap<>();
        for (String part : text.split(",", -1)) {
            int equals = part.indexOf('=');
            Level level = level(part.substring(equals + 1).strip());
            if (level == null) {
                return null;
            }
            if (equals < 0) {
                if (root != null) {
                    return null;
                }
                root = level;
                continue;
            }
            String prefix = part.substring(0, equals).strip();
            boolean allowed = OWN.matcher(prefix).matches() || level.isGreaterOrEqual(Level.WARN);
            if (!allowed || !PREFIX.matcher(prefix).matches() || byPrefix.put(prefix, level) != null) {
                return null;
            }
        }
        return new LogLevels(root == null ? Level.INFO : root, byPrefix);
    }

    private static @Nullable Level level(String word) {
        String lower = word.toLowerCase(Locale.ROOT);
        return LEVELS.contains(lower) ? Level.toLevel(lower) : null;
    }
}
