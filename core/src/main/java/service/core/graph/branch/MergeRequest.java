package service.core.graph.branch;

import java.util.List;

/**
 * A request to merge.
 *
 * @param deleteSource whether the source is deleted afterwards
 * @param dryRun whether only to report the outcome, without writing
 * @param form what the merge may make
 * @param resolutions what entities in conflict, or properties of them, become; one for each at most
 */
public record MergeRequest(
        String source, String target, boolean deleteSource, boolean dryRun, Form form, List<Resolution> resolutions) {
    /** What a merge that has something to take may make. */
    public enum Form {
        /** A fast-forward where the target has nothing of its own, else a commit with two parents. */
        ANY,
        /** A commit with two parents. */
        COMMIT,
        /** A commit with one parent: the target does not know that it has merged the source. */
        SQUASH
    }

    public MergeRequest {
        resolutions = List.copyOf(resolutions);
    }

    /** A request without resolutions. */
    public MergeRequest(String source, String target, boolean deleteSource, boolean dryRun) {
        this(source, target, deleteSource, dryRun, Form.ANY, List.of());
    }

    public static MergeRequest of(String source, String target) {
        return new MergeRequest(source, target, false, false);
    }

    /** The same where the graph allows no fast-forward. */
    MergeRequest withoutFastForward() {
        return form == Form.ANY
                ? new MergeRequest(source, target, deleteSource, dryRun, Form.COMMIT, resolutions)
                : this;
    }
}
