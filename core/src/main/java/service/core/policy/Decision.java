package service.core.policy;

import java.util.List;

/** What a policy says of one access, and why. */
public sealed interface Decision {
    /** Whether it is allowed. */
    default boolean allows() {
        return this instanceof Allowed;
    }

    /**
     * Some rule allows it.
     *
     * @param rule the first that does
     */
    record Allowed(Rule rule) implements Decision {}

    /**
     * No rule allows it.
     *
     * @param misses every rule of the bundle, with the first of its conditions that was not met
     */
    record Denied(List<Miss> misses) implements Decision {
        public Denied {
            misses = List.copyOf(misses);
        }
    }

    /** A rule that does not apply, and why not. */
    record Miss(Rule rule, String condition) {}
}
