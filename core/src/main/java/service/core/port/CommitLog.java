package service.core.port;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import service.core.blob.StagedBlobs;

/**
 * The writing side of one graph: one thread takes commands in order and makes the resulting events durable in groups.
 *
 * <p>Thread rule: any thread may submit. A future completes only when its event is on stable storage and visible to new
 * sessions. It completes exceptionally with {@code ServiceException} when the command refused (nothing written),
 * CONTENDED when other processes were first for all of its time (nothing written), NOT_YET_HERE when it needs no event
 * and the store does not answer, TOO_MANY_REQUESTS when the queue is full (thrown at once), STORAGE_FULL or
 * RECOVERY_REQUIRED when storage failed (the outcome of a group whose fsync failed is unknown until recovery), and
 * SHUTTING_DOWN after {@link #close}.
 */
public interface CommitLog extends AutoCloseable {
    /** How long a command may wait for its turn beside other processes, where its request says nothing. */
    Duration PATIENCE = Duration.ofSeconds(30);

    default <R> CompletableFuture<R> submit(WriteCommand<R> command) {
        return submit(command, StagedBlobs.NONE);
    }

    /**
     * Submits a command that brings managed bytes. Those that the appended event refers to and the graph does not have
     * yet become durable with it, or not at all. The log owns the stage until the future completes.
     */
    default <R> CompletableFuture<R> submit(WriteCommand<R> command, StagedBlobs blobs) {
        return submit(command, blobs, PATIENCE);
    }

    /**
     * Submits a command as above.
     *
     * @param patience how long it may wait where other processes write the graph too; after that it is refused with
     *     CONTENDED
     */
    <R> CompletableFuture<R> submit(WriteCommand<R> command, StagedBlobs blobs, Duration patience);

    /** Waits for a write and throws its refusal on this thread. */
    static <T> T await(CompletableFuture<T> write) {
        try {
            return write.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }

    /** The number of waiting commands, for admission and metrics. */
    int queueDepth();

    /** Whether {@link #submit} would refuse now. Called before a body is read. */
    boolean isFull();

    /** Finishes the commands already taken, refuses the rest, and stops the thread. */
    @Override
    void close();
}
