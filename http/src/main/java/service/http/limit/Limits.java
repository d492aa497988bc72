package service.http.limit;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import service.core.error.StartRefusedException;

/** A value for every {@link Limit}. Immutable. */
public final class Limits {
    public static final Limits DEFAULTS = fromEnvironment(Map.of());

    private final EnumMap<Limit, Long> values;

    /** Those that somebody has set, if to their default. */
    private final EnumSet<Limit> set;

    private Limits(EnumMap<Limit, Long> values, EnumSet<Limit> set) {
        this.values = values;
        this.set = set;
    }

    /**
     * Takes each limit from its variable, or its default.
     *
     * @throws StartRefusedException {@code limit_invalid} when a variable holds anything but a whole number within its
     *     bounds
     */
    public static Limits fromEnvironment(Map<String, String> environment) {
        EnumMap<Limit, Long> values = new EnumMap<>(Limit.class);
        EnumSet<Limit> set = EnumSet.noneOf(Limit.class);
        for (Limit limit : Limit.values()) {
            String text = environment.get(limit.variable());
            values.put(limit, text == null ? limit.defaultValue() : parse(limit, text));
            if (text != null) {
                set.add(limit);
            }
        }
        return new Limits(values, set);
    }

    /** The same limits but one. */
    public Limits with(Limit limit, long value) {
        EnumMap<Limit, Long> changed = new EnumMap<>(values);
        changed.put(limit, check(limit, value, Long.toString(value)));
        EnumSet<Limit> more = EnumSet.copyOf(set);
        more.add(limit);
        return new Limits(changed, more);
    }

    /** Whether somebody has set the limit, rather than left it at its default. */
    public boolean isSet(Limit limit) {
        return set.contains(limit);
    }

    public long get(Limit limit) {
        Long value = values.get(limit);
        return value == null ? limit.defaultValue() : value;
    }

    /** For limits whose upper bound fits an int. */
    public int getInt(Limit limit) {
        return Math.toIntExact(get(limit));
    }

    private static long parse(Limit limit, String text) {
        try {
            return check(limit, Long.parseLong(text), text);
        } catch (NumberFormatException e) {
            throw refusal(limit, text);
        }
    }

    private static long check(Limit limit, long value, String text) {
        if (value < limit.min() || value > limit.max()) {
            throw refusal(limit, text);
        }
        return value;
    }

    private static StartRefusedException refusal(Limit limit, String text) {
        return new StartRefusedException(
                "limit_invalid",
                "%s is `%s`; set it to a whole number from %d to %d, or unset it for %d"
                        .formatted(limit.variable(), text, limit.min(), limit.max(), limit.defaultValue()));
    }
}
