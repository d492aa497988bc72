package service.core.graph.request;

import java.util.Locale;

/** The outcome of a merge; {@code CONFLICT} is the outcome of dry runs only. */
public enum MergeOutcome {
    ALREADY_UP_TO_DATE,
    FAST_FORWARD,
    MERGED,
    CONFLICT;

    public String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }
}
