package service.core.graph.branch;

/**
 * A request to merge.
 *
 * @param deleteSource whether the source is deleted afterwards
 * @param dryRun whether only to report the outcome, without writing
 */
public record MergeRequest(String source, String target, boolean deleteSource, boolean dryRun) {
    public static MergeRequest of(String source, String target) {
        return new MergeRequest(source, target, false, false);
    }
}
