package service.http.server;

import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The threads that work on requests of one server, besides its I/O thread.
 *
 * <p>Requests compute on platform threads: the operating system shares the processors between them, the I/O thread and
 * the writers within milliseconds. Virtual threads are not preempted, so that two long queries on two processors would
 * hold both carrier threads between two checkpoints. The steps of event streams run on virtual threads: they are short,
 * thousands may be due at one commit, and each may wait for a slow client.
 *
 * <p>Bound: {@link service.http.limit.Admission} lets in as many requests as there are places, so there are at most
 * that many platform threads; each ends after {@link #IDLE_SECONDS} without work. Thread rule: any thread.
 */
final class RequestThreads {
    private static final long IDLE_SECONDS = 30;
    private static final long END_SECONDS = 10;

    private final ExecutorService workers = new ThreadPoolExecutor(
            0,
            Integer.MAX_VALUE,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            Thread.ofPlatform().daemon().name("request-", 0).factory());

    private final ExecutorService streams = Executors.newThreadPerTaskExecutor(
            Thread.ofVirtual().name("stream-", 0).factory());

    /** For requests that have a place among those at work. */
    Executor workers() {
        return workers;
    }

    /** For the steps of streams that wait for commits in between. */
    Executor streams() {
        return streams;
    }

    /**
     * Rejects later tasks and waits for those that run, which find their connections closed at their next check. They
     * are not interrupted: that would close the files under them.
     *
     * @return whether all ended within {@link #END_SECONDS}
     */
    boolean close() {
        workers.shutdown();
        streams.shutdown();
        long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(END_SECONDS);
        try {
            return workers.awaitTermination(END_SECONDS, TimeUnit.SECONDS)
                    && streams.awaitTermination(endNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
