package service.core.policy;

import java.util.List;

/** The decision of a policy on one access, with its reason. */
public sealed interface Decision {
    /** Whether the access is allowed. */
    default boolean allows() {
        return this instanceof Allowed;
    }

    /**
     * A rule allows it.
     *
     * @param rule the first rule that does
     */
    record Allowed(Rule rule) implements Decision {}

    /**
     * No rule allows it.
     *
     * @param misses every rule of the bundle, with the first of its conditions that does not hold
     */
    record Denied(List<Miss> misses) implements Decision {
        public Denied {
            misses = List.copyOf(misses);
        }
    }

    /** A rule that does not apply, and the reason. */
    record Miss(Rule rule, String condition) {}
}
