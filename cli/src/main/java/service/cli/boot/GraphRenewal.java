package service.cli.boot;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;

/**
 * Closes a graph and opens it again when another process has cleaned up events that the copy of this one lacks. The
 * opening makes the copy from the newest image. It runs on a new thread, and is repeated when it fails. Thread rule:
 * {@link #check} on one thread, the others on any.
 */
final class GraphRenewal {
    private static final Logger LOG = LoggerFactory.getLogger(GraphRenewal.class);
    private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final String graphId;
    private final BooleanSupplier isLeftBehind;
    private final Runnable reopening;
    private volatile @Nullable Thread thread;
    private volatile boolean running;
    private volatile boolean failed;
    private volatile long failedNanos;

    /** @param reopening closes and opens the graph; throws when it cannot be opened */
    GraphRenewal(String graphId, BooleanSupplier isLeftBehind, Runnable reopening) {
        this.graphId = graphId;
        this.isLeftBehind = isLeftBehind;
        this.reopening = reopening;
    }

    /** Begins when it is due; returns at once. Call it every few seconds. */
    void check() {
        boolean isDue =
                running ? failed && System.nanoTime() - failedNanos >= RETRY_NANOS : isLeftBehind.getAsBoolean();
        if (isDue) {
            failed = false;
            running = true;
            thread = Thread.ofPlatform().daemon().name("copy-" + graphId).start(this::run);
        }
    }

    private void run() {
        LOG.atInfo().addKeyValue("graph", graphId).log("it was cleaned up meanwhile: its copy is made again");
        try {
            reopening.run();
            running = false;
            LOG.atInfo().addKeyValue("graph", graphId).log("its copy was made again");
        } catch (Throwable e) {
            LOG.atWarn().addKeyValue("graph", graphId).setCause(e).log("its copy cannot be made yet");
            failedNanos = System.nanoTime();
            failed = true;
        }
    }

    /** Whether the graph may be closed because it is made again. */
    boolean isRunning() {
        return running;
    }

    /** What requests get meanwhile. */
    static ServiceException notYetHere() {
        return new ServiceException(
                ErrorCode.NOT_YET_HERE,
                "the graph was cleaned up while this server was away, and the server makes its copy again: try again in"
                        + " a moment, or on another server");
    }

    /** Gives up a try that waits for the store. */
    void interrupt() {
        Thread begun = thread;
        if (begun != null) {
            begun.interrupt();
        }
    }
}
