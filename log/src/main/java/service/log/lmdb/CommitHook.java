package service.log.lmdb;

import java.nio.file.Path;

/**
 * Lets tests make commits fail: an exception thrown here looks like a failure of the commit. A hook may also halt the
 * process between two steps.
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
