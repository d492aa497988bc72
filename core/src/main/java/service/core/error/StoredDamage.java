package service.core.error;

import org.jspecify.annotations.Nullable;

/**
 * A failure that can report that stored bytes differ from those that were written. Callers log the report, mark the
 * graph as damaged and answer INTERNAL.
 */
public interface StoredDamage {
    /**
     * What is damaged, where and the remedy, without any content of the graph; null when this failure has another
     * cause.
     */
    @Nullable
    String damage();

    /** The damage that a failure or one of its causes reports; null when none does. */
    static @Nullable String of(@Nullable Throwable failure) {
        for (Throwable at = failure; at != null; at = at.getCause()) {
            if (at instanceof StoredDamage report && report.damage() != null) {
                return report.damage();
            }
        }
        return null;
    }
}
