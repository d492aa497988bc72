package service.http.limit;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import service.core.error.StartRefusedException;

/** A value for every {@link Limit}. Immutable. */
public final class Limits {
    public static final Limits DEFAULTS = fromEnvironment(Map.of());

    private final EnumMap<Limit, Long> values;

    /** The limits that were set explicitly, including those set to their default. */
    private final EnumSet<Limit> set;

    private Limits(EnumMap<Limit, Long> values, EnumSet<Limit> set) {
        this.values = values;
        this.set = set;
    }

    /**
     * Reads each limit from its environment variable; the default applies when it is unset.
     *
     * @throws StartRefusedException {@code limit_invalid}; the message names the variable, its value and the allowed
     *     range
     */
    public static Limits fromEnvironment(Map<String, String> environment) {
        EnumMap<Limit, Long> values = new EnumMap<>(Limit.class);
        EnumSet<Limit> set = EnumSet.noneOf(Limit.class);
        for (Limit limit : Limit.values()) {
            values.put(limit, limit.variable().read(environment));
            if (environment.containsKey(limit.variable().name())) {
                set.add(limit);
            }
        }
        return new Limits(values, set);
    }

    /** A copy with another value for one limit. */
    public Limits with(Limit limit, long value) {
        if (!limit.variable().allows(value)) {
            throw limit.variable().refusal(Long.toString(value));
        }
        EnumMap<Limit, Long> changed = new EnumMap<>(values);
        changed.put(limit, value);
        EnumSet<Limit> more = EnumSet.copyOf(set);
        more.add(limit);
        return new Limits(changed, more);
    }

    /** Whether the limit was set explicitly, even to its default. */
    public boolean isSet(Limit limit) {
        return set.contains(limit);
    }

    public long get(Limit limit) {
        Long value = values.get(limit);
        return value == null ? limit.variable().defaultValue() : value;
    }

    /** The value as an int, for limits whose upper bound fits one. */
    public int getInt(Limit limit) {
        return Math.toIntExact(get(limit));
    }
}
