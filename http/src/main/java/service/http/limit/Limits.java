package service.http.limit;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import service.core.error.StartRefusedException;

/** A value for every {@link Limit}. Immutable. */
public final class Limits {
    public static final Limits DEFAULTS = fromEnvironment(Map.of());

    private final EnumMap<Limit, Long> values;

    /** The limits that were set, also those set to their default. */
    private final EnumSet<Limit> set;

    private Limits(EnumMap<Limit, Long> values, EnumSet<Limit> set) {
        this.values = values;
        this.set = set;
    }

    /**
     * Takes each limit from its variable, or its default.
     *
     * @throws StartRefusedException {@code limit_invalid} naming the variable, its value and what is allowed
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

    /** The same limits but one. */
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

    /** Whether the limit was set, be it to its default. */
    public boolean isSet(Limit limit) {
        return set.contains(limit);
    }

    public long get(Limit limit) {
        Long value = values.get(limit);
        return value == null ? limit.variable().defaultValue() : value;
    }

    /** For limits whose upper bound fits an int. */
    public int getInt(Limit limit) {
        return Math.toIntExact(get(limit));
    }
}
