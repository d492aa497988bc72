package service.log.commit;

import java.util.ArrayDeque;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads on which the writers of all graphs of a process run. A writer has a thread while it has work, and for a
 * moment after it; one writer never has two. When all threads are taken, the writers that have work wait for their turn
 * in order, and those that run give their thread away after a group.
 *
 * <p>Where the machine gives the process no further thread, the writers share those that there are. The last thread
 * does not end, so that only the first write of a process can meet a pool without one.
 *
 * <p>Thread rule: any thread.
 */
final class WriterPool {
    private static final Logger LOG = LoggerFactory.getLogger(WriterPool.class);

    /** More writers than that at work wait for the same disk or store anyway. */
    static final int THREADS_MAX = 64;

    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** That of the process. */
    static final WriterPool OF_PROCESS = new WriterPool(
            THREADS_MAX, Thread.ofPlatform().name("writer-", 0).daemon(true).factory());

    private final int threadsMax;
    private final ThreadFactory factory;
    private final ArrayDeque<Runnable> ready = new ArrayDeque<>();
    private int threads;
    private int idle;

    /** Whether the last thread that was asked for could not be had. */
    private boolean refused;

    private volatile boolean wanted;

    /** @param factory its threads may fail to start with an {@link OutOfMemoryError} */
    WriterPool(int threadsMax, ThreadFactory factory) {
        this.threadsMax = threadsMax;
        this.factory = factory;
    }

    /**
     * Runs a writer on a thread of the pool, after those that wait already.
     *
     * @return false when the pool has no thread and none can be started; the writer is not run then
     */
    synchronized boolean run(Runnable writer) {
        ready.addLast(writer);
        if (ready.size() <= idle) {
            notify();
        } else if (threads < threadsMax) {
            refused = !start();
            if (threads == 0) {
                ready.removeLast();
                return false;
            }
        }
        look();
        return true;
    }

    private boolean start() {
        try {
            factory.newThread(this::work).start();
            threads++;
            return true;
        } catch (OutOfMemoryError e) {
            if (!refused) {
                LOG.warn(
                        "the machine gives this process no further thread, so its writers share {}: raise the limit of"
                                + " tasks (ulimit -u, TasksMax=)",
                        threads,
                        e);
            }
            return false;
        }
    }

    private void look() {
        wanted = (refused || threads == threadsMax) && ready.size() > idle;
    }

    /** Whether a writer waits for a thread, so that one that runs should give its thread away. */
    boolean isWanted() {
        return wanted;
    }

    private void work() {
        for (Runnable writer = next(); writer != null; writer = next()) {
            try {
                writer.run();
            } catch (Throwable e) {
                LOG.error("a writer has failed", e);
            }
        }
    }

    /** The next writer; null when the thread has had nothing to do for a time, is not the last one, and ends. */
    private synchronized @Nullable Runnable next() {
        long end = System.nanoTime() + IDLE_NANOS;
        while (ready.isEmpty()) {
            long left = end - System.nanoTime();
            if (left <= 0 && threads > 1) {
                threads--;
                return null;
            }
            if (left <= 0) {
                end += IDLE_NANOS;
                continue;
            }
            idle++;
            try {
                TimeUnit.NANOSECONDS.timedWait(this, left);
            } catch (InterruptedException e) {
                // Nothing interrupts these threads on purpose; an interrupt must not end a writer.
            } finally {
                idle--;
            }
        }
        Runnable writer = ready.removeFirst();
        look();
        return writer;
    }
}
