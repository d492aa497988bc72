package service.log.commit;

import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads on which the writers of all graphs of a process run. A writer has a thread while it has work, and for a
 * moment after it; one writer never has two. When all threads are taken, the writers that have work wait for their turn
 * in order, and those that run give their thread away after a group.
 *
 * <p>Thread rule: any thread.
 */
final class WriterPool {
    private static final Logger LOG = LoggerFactory.getLogger(WriterPool.class);

    /** More writers than that at work wait for the same disk or store anyway. */
    static final int THREADS_MAX = 64;

    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** That of the process. */
    static final WriterPool OF_PROCESS = new WriterPool(THREADS_MAX);

    private final int threadsMax;
    private final ArrayDeque<Runnable> ready = new ArrayDeque<>();
    private int threads;
    private int idle;
    private int number;
    private volatile boolean wanted;

    WriterPool(int threadsMax) {
        this.threadsMax = threadsMax;
    }

    /** Runs a writer on a thread of the pool, after those that wait already. */
    synchronized void run(Runnable writer) {
        ready.addLast(writer);
        if (ready.size() <= idle) {
            notify();
        } else if (threads < threadsMax) {
            start();
        }
        look();
    }

    private void start() {
        boolean started = false;
        threads++;
        try {
            Thread.ofPlatform().name("writer-" + number++).daemon(true).start(this::work);
            started = true;
        } finally {
            if (!started) {
                threads--;
                // If the pool has no thread, nothing would run the writer. The caller learns that it was not queued.
                ready.removeLast();
            }
        }
    }

    private void look() {
        wanted = threads == threadsMax && ready.size() > idle;
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

    /** The next writer; null when the thread has had nothing to do for a time and ends. */
    private synchronized @Nullable Runnable next() {
        long end = System.nanoTime() + IDLE_NANOS;
        while (ready.isEmpty()) {
            long left = end - System.nanoTime();
            if (left <= 0) {
                threads--;
                return null;
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
