package service.log.lmdb;

import java.nio.file.Path;

/**
 * The seam at which tests make storage fail: what it throws looks to the environment's users like the failure of the
 * commit itself. It may also halt the process, to cut a run between two steps.
 */
public interface CommitHook {
    /** Production: nothing happens. */
    CommitHook NONE = new CommitHook() {};

    /** Nothing is written yet; a {@link StorageFailure} thrown here aborts the transaction. */
    default void beforeCommit(Path directory) {}

    /**
     * All is written and, if the environment is synced, durable; a failure thrown here is a commit whose outcome the
     * caller cannot know.
     */
    default void afterCommit(Path directory) {}
}
