package service.http.server;

import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The threads of one server, except its I/O thread.
 *
 * <p>Requests run on platform threads, because the operating system shares the processors between them, the I/O thread
 * and the writers within milliseconds. Virtual threads are not preempted: two long queries on two processors would hold
 * both carrier threads between two checkpoints. The steps of event streams run on virtual threads, because they are
 * short, thousands may be due at one commit, and each may wait for a slow client.
 *
 * <p>Bound: {@link service.http.limit.Admission} limits the executing requests, the streams and the requests inside,
 * and therefore the platform threads; a thread ends after {@link #IDLE_SECONDS} without work. Thread rule: any thread.
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

    private final IoThreadGuard guard = new IoThreadGuard(new DiskReads());

    /** Decides whether brief calls run on the I/O thread. */
    IoThreadGuard guard() {
        return guard;
    }

    /** Runs requests that have a place among the executing requests. */
    Executor workers() {
        return workers;
    }

    /** Runs the steps of event streams, which wait for commits between them. */
    Executor streams() {
        return streams;
    }

    /**
     * Rejects new tasks and waits for running ones. These find their connections closed at their next check. They are
     * not interrupted, because an interrupt would close the files that they read.
     *
     * @return whether all tasks ended within {@link #END_SECONDS}
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
