package service.http.server;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/**
 * Ends the requests that wait for commits when their credential ends: it has expired, its principal is no longer
 * admitted, or a source that is read again does not have it any more.
 *
 * <p>{@link #tick} runs each second, and a source is read every five seconds. A request that does not end by itself is
 * cut two seconds later, so each of them has ended within ten seconds. Thread rule: any thread.
 */
final class CredentialWatch {
    private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** A request that waits for commits, or writes them as they come. */
    interface Waiting {
        /** Ends the request with an answer that says why. Called at most once, on any thread; must not block. */
        void expire();

        /** Ends the request without an answer, because its client does not read. Called at most once, after it. */
        void cut();
    }

    private final Set<Watched> all = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean checking = new AtomicBoolean();

    /** A request that is watched until it is closed. */
    final class Watched implements AutoCloseable {
        private final BooleanSupplier standing;
        private final Waiting waiting;
        private boolean ended;
        private boolean cut;
        private long endedNanos;

        private Watched(BooleanSupplier standing, Waiting waiting) {
            this.standing = standing;
            this.waiting = waiting;
        }

        private void check(long nowNanos) {
            if (ended) {
                if (!cut && nowNanos - endedNanos >= GRACE_NANOS) {
                    cut = true;
                    waiting.cut();
                }
            } else if (!standing.getAsBoolean()) {
                ended = true;
                endedNanos = nowNanos;
                waiting.expire();
            }
        }

        @Override
        public void close() {
            all.remove(this);
        }
    }

    /**
     * Watches a request.
     *
     * @param standing whether its credential would still be accepted; called by one thread at a time
     */
    Watched add(BooleanSupplier standing, Waiting waiting) {
        Watched watched = new Watched(standing, waiting);
        all.add(watched);
        return watched;
    }

    /** Checks all requests on a thread that may block, unless the last check still runs. */
    void tick(Executor thread) {
        if (all.isEmpty() || !checking.compareAndSet(false, true)) {
            return;
        }
        try {
            thread.execute(() -> {
                try {
                    check(System.nanoTime());
                } finally {
                    checking.set(false);
                }
            });
        } catch (RejectedExecutionException stopping) {
            // The server closes every connection.
        }
    }

    /** Checks all requests. One thread at a time. */
    void check(long nowNanos) {
        for (Watched watched : all) {
            watched.check(nowNanos);
        }
    }

    /** Number of requests that are watched. */
    int size() {
        return all.size();
    }
}
