package service.log.segment;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the packing of a log in the background: after the first segment that this process has stored, after each further
 * thousand, and when segments may be deleted. A run that fails is repeated after the next thousand. Any thread.
 */
final class PackLoop implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PackLoop.class);

    private final Packing packing;
    private long stored;
    private boolean closed;
    private @Nullable Thread thread;

    PackLoop(Packing packing) {
        this.packing = packing;
    }

    /** Counts a stored segment; returns at once. Writer thread. */
    synchronized void stored() {
        boolean due = stored++ % packing.segmentsEach() == 0;
        if (due && !closed) {
            if (thread == null) {
                thread = Thread.ofVirtual().name("pack").start(this::run);
            } else {
                notifyAll();
            }
        }
    }

    private void run() {
        try {
            while (true) {
                long seen = count();
                long wait = -1;
                try {
                    wait = packing.run();
                } catch (RuntimeException e) {
                    if (isClosed()) {
                        return;
                    }
                    LOG.warn("packing failed and is repeated later: {}", e.getMessage());
                    LOG.debug("the failure", e);
                }
                if (!awaitWork(seen, wait)) {
                    return;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized long count() {
        return stored;
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    /** Waits for the next thousand segments, or for a time if there is one; false when this is closed. */
    private synchronized boolean awaitWork(long seen, long millis) throws InterruptedException {
        long until = System.nanoTime() + millis * 1_000_000;
        while (!closed && stored - seen < packing.segmentsEach()) {
            long left = millis < 0 ? 0 : (until - System.nanoTime()) / 1_000_000 + 1;
            if (millis >= 0 && until - System.nanoTime() <= 0) {
                return true;
            }
            wait(left);
        }
        return !closed;
    }

    /** Ends the thread; what it has not done is done after the next start. */
    @Override
    public void close() {
        Thread running;
        synchronized (this) {
            closed = true;
            running = thread;
            notifyAll();
        }
        if (running == null) {
            return;
        }
        running.interrupt();
        try {
            running.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
