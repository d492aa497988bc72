package service.core.graph.branch;

import org.jspecify.annotations.Nullable;

/**
 * A request to merge.
 *
 * @param deleteSource whether the source is deleted afterwards
 * @param deleteRefusal the reason why the caller may not delete it, or null
 * @param dryRun whether only to report the outcome, without writing
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
