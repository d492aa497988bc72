package service.core.graph.request;

import java.util.Locale;

/** What a merge came to; {@code CONFLICT} is answered by dry runs only. */
public enum MergeOutcome {
    ALREADY_UP_TO_DATE,
    FAST_FORWARD,
    MERGED,
    CONFLICT;

    public String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }
}
