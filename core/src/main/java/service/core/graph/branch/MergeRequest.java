package service.core.graph.branch;

import org.jspecify.annotations.Nullable;

/**
 * A merge as it is asked for.
 *
 * @param deleteSource whether the source is deleted afterwards
 * @param deleteRefusal why the caller may not delete it, or null
 * @param dryRun only say what would happen
 */
public record MergeRequest(
        String source,
        String target,
        boolean deleteSource,
        @Nullable String deleteRefusal,
        boolean dryRun) {
    public static MergeRequest of(String source, String target) {
        return new MergeRequest(source, target, false, null, false);
    }
}
