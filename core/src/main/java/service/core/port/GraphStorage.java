package service.core.port;

import com.google.errorprone.annotations.MustBeClosed;
import service.core.budget.NoWaiting;

/**
 * The storage of one opened graph, as the core uses it.
 *
 * <p>Thread rule: any thread. Sessions never wait for the writer, and the writer never waits for them.
 */
public interface GraphStorage extends AutoCloseable {
    /**
     * Opens a session on the newest applied state. While the storage is moved in memory it waits for that.
     *
     * @throws NoWaiting.WouldWaitException instead of waiting, on a thread that must not wait
     */
    @MustBeClosed
    GraphSession session();

    CommitLog log();

    /** The managed bytes of blobs. */
    BlobStore blobs();

    /**
     * Random bytes that belong to the graph: the same after a restart and in a restored backup, and never shown to
     * callers.
     */
    byte[] secret();

    /** Called on the writer thread after each durable group, with the last offset; must return at once. */
    void onCommitted(java.util.function.LongConsumer listener);

    /** Waits for open sessions, then closes everything. */
    @Override
    void close();
}
