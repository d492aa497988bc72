package service.core.port;

import com.google.errorprone.annotations.MustBeClosed;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import service.core.budget.NoWaiting;
import service.core.error.StoredDamage;

/**
 * The storage of one opened graph for reading, as the core uses it. The process that writes the graph has a
 * {@link WritableGraphStorage}.
 *
 * <p>Thread rule: any thread. Sessions never wait for the writer, and the writer never waits for them.
 */
public interface GraphStorage extends AutoCloseable {
    /**
     * Opens a session on the newest applied state. Waits while the memory map of the storage is being moved.
     *
     * @throws NoWaiting.WouldWaitException instead of waiting, on a thread that must not wait
     */
    @MustBeClosed
    GraphSession session();

    /**
     * Keeps a state for a reader that reads it in pieces. The caller closes it. The state may have been reclaimed
     * before this call: the first read tells.
     */
    default StateHold hold(ReadPoint point) {
        return new StateHold() {
            @Override
            public void read(Consumer<GraphView> work) {
                try (GraphSession session = session();
                        GraphView view = session.view(point)) {
                    work.accept(view);
                }
            }

            @Override
            public void close() {}
        };
    }

    /**
     * Keeps the changes of events for a consumer to which this process sends them. The caller closes it.
     *
     * @param incarnation of its branch
     * @param offset of the last event that the consumer has
     */
    default FeedHold holdFeed(int incarnation, long offset) {
        return FeedHold.NONE;
    }

    /**
     * Whether other processes may have committed what sessions do not show yet. If not, {@link #awaitTail} is done at
     * once.
     */
    default boolean isShared() {
        return false;
    }

    /**
     * Waits until sessions show everything that was committed at some moment after a time, by any process. One request
     * to the store serves all that wait for it.
     *
     * @param sinceNanos of {@link System#nanoTime}: when a request came
     * @return completes with an offset that sessions opened from then on show at least; exceptionally with
     *     {@code ServiceException} NOT_YET_HERE or RECOVERY_REQUIRED when the store does not answer, in bounded time
     */
    default CompletableFuture<Long> awaitTail(long sinceNanos) {
        return CompletableFuture.completedFuture(0L);
    }

    /**
     * Whether the store that other processes write too has not answered for some seconds: writes, and reads of the
     * newest state, are refused then.
     */
    default boolean isStoreSilent() {
        return false;
    }

    /** The managed bytes of blobs. */
    BlobStore blobs();

    /**
     * Random bytes that belong to the graph: the same after a restart and in a restored backup, and never shown to
     * callers.
     */
    byte[] secret();

    /**
     * Passes every commit from now on to a follower, until this is closed. A commit of another process arrives at the
     * next poll for new commits.
     */
    void follow(CommitFollower follower);

    /** The indexes for searches of this graph. */
    default SearchIndex search() {
        return SearchIndex.NONE;
    }

    /** The numbers of this storage; null where it has none. Costs some system calls and no scan. */
    default @Nullable StorageGauges gauges() {
        return null;
    }

    /** How far the shown state is behind the log of the process that writes; null in the process that writes. */
    default @Nullable FollowLag lag() {
        return null;
    }

    /** Damage that was found apart from the requests and still is there; null when there is none. */
    default @Nullable String damage() {
        return null;
    }

    /** What a failure of a request says about damage of what is stored; null when it has another cause. */
    default @Nullable String damageIn(Throwable failure) {
        return StoredDamage.of(failure);
    }

    /**
     * Compares what this has open with what is stored at the place of the graph. Call it every few seconds; it costs
     * some system calls, or one request to a bucket.
     */
    default void compareStored() {}

    /**
     * What other programs did with the stored graph while it is open here, so that this refuses to write it: it was
     * moved, deleted, replaced, cut or written. Without a path. Null while the place has what is open.
     */
    default @Nullable String detached() {
        return null;
    }

    /** Waits for open sessions, then closes everything. */
    @Override
    void close();
}
