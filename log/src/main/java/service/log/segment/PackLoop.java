package service.log.segment;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import service.core.lifecycle.BackgroundLoop;

/**
 * Runs the packing of a log in the background: after the first segment that this process has stored, after each further
 * thousand, and when segments may be deleted. Any thread.
 */
final class PackLoop implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PackLoop.class);

    private final Packing packing;
    private final WorkLease lease;
    private long stored;
    private boolean closed;
    private @Nullable BackgroundLoop loop;

    /** @param lease of the background work */
    PackLoop(Packing packing, WorkLease lease) {
        this.packing = packing;
        this.lease = lease;
    }

    /** Counts a stored segment; returns at once. Writer thread. */
    synchronized void stored() {
        boolean due = stored++ % packing.segmentsEach() == 0;
        if (due && !closed) {
            if (loop == null) {
                // Compressing and hashing compute, so the thread is a platform thread.
                loop = BackgroundLoop.start(Thread.ofPlatform().daemon().name("pack"), this::pack, PackLoop::failed);
            } else {
                loop.wake();
            }
        }
    }

    private Duration pack() {
        if (!lease.take()) {
            return lease.length();
        }
        long wait = packing.run();
        return wait < 0 ? BackgroundLoop.UNTIL_WOKEN : Duration.ofMillis(wait);
    }

    private static void failed(Throwable failure, int inARow) {
        LOG.warn("packing failed and is repeated: {}", failure.toString());
        LOG.debug("the failure", failure);
    }

    /** Ends the thread; what it has not done is done after the next start. */
    @Override
    public void close() {
        BackgroundLoop running;
        synchronized (this) {
            closed = true;
            running = loop;
        }
        if (running != null) {
            running.close();
            running.interrupt();
            running.await(BackgroundLoop.UNTIL_WOKEN);
        }
    }
}
