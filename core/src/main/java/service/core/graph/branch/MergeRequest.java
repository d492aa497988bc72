package service.core.graph.branch;

import java.util.List;

/**
 * A request to merge.
 *
 * @param deleteSource whether the source is deleted afterwards
 * @param dryRun whether only to report the outcome, without writing
 * @param resolutions what entities in conflict, or properties of them, become; one for each at most
 */
public record MergeRequest(
        String source, String target, boolean deleteSource, boolean dryRun, List<Resolution> resolutions) {
    public MergeRequest {
        resolutions = List.copyOf(resolutions);
    }

    /** A request without resolutions. */
    public MergeRequest(String source, String target, boolean deleteSource, boolean dryRun) {
        this(source, target, deleteSource, dryRun, List.of());
    }

    public static MergeRequest of(String source, String target) {
        return new MergeRequest(source, target, false, false);
    }
}
