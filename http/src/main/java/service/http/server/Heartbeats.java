package service.http.server;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * The idle event streams of one server. Each waits for a commit, and writes a comment now and then so that proxies keep
 * its connection. One timer calls {@link #tick} for all streams. A beat registers nothing with the future, so memory
 * does not grow while a stream is idle. Thread rule: any thread.
 */
final class Heartbeats {
    /** Seconds between two calls of {@link #tick}. */
    static final long TICK_SECONDS = 1;

    /** Time after a write until a stream is due. The next tick finds it, so a beat follows within 15 s. */
    private static final long DUE_NANOS = TimeUnit.SECONDS.toNanos(15 - TICK_SECONDS);

    /** A stream that has nothing to write. */
    interface Idle {
        /** Runs the work on a thread that may block. Called on any thread; must not block. */
        void hand(Runnable work);

        /** Writes a comment, in work that was handed. Returns false when the stream has ended. */
        boolean beat();

        /** Called last, in work that was handed, when the future has completed. */
        void wake();

        /** Called last instead of {@link #wake} when no thread works on the stream. Any thread; must not block. */
        void handNews();
    }

    /** The streams on which no thread works, with the time at which they are due, in ascending order. */
    private final Map<Wait, Long> idle = new LinkedHashMap<>();

    /** One wait of a stream. */
    static final class Wait {
        private final CompletableFuture<Boolean> news;
        private final Idle stream;

        Wait(CompletableFuture<Boolean> news, Idle stream) {
            this.news = news;
            this.stream = stream;
        }
    }

    /** Begins to wait. The caller must not use the stream afterwards. */
    void await(Wait wait) {
        rest(wait);
        var unused = wait.news.whenComplete((moved, failure) -> handNews(wait));
    }

    /** Passes a beat to a thread before it is due, unless a thread works on the stream. */
    void beatNow(Wait wait) {
        if (take(wait)) {
            wait.stream.hand(() -> beat(wait));
        }
    }

    /** Passes a beat of every due stream to a thread. */
    void tick(long nowNanos) {
        List<Wait> due = new ArrayList<>();
        synchronized (this) {
            Iterator<Map.Entry<Wait, Long>> all = idle.entrySet().iterator();
            while (all.hasNext()) {
                Map.Entry<Wait, Long> next = all.next();
                if (nowNanos - next.getValue() < 0) {
                    break;
                }
                due.add(next.getKey());
                all.remove();
            }
        }
        due.forEach(wait -> wait.stream.hand(() -> beat(wait)));
    }

    /** Number of streams on which no thread works. */
    synchronized int size() {
        return idle.size();
    }

    private void beat(Wait wait) {
        if (wait.news.isDone()) {
            wait.stream.wake();
        } else if (wait.stream.beat()) {
            rest(wait);
            // The future may have completed during the beat, when the stream was not in the map.
            if (wait.news.isDone()) {
                handNews(wait);
            }
        }
    }

    private void rest(Wait wait) {
        synchronized (this) {
            idle.put(wait, System.nanoTime() + DUE_NANOS);
        }
    }

    /** Wakes the stream unless a tick or the end of a beat has taken it from the map. */
    private void handNews(Wait wait) {
        if (take(wait)) {
            wait.stream.handNews();
        }
    }

    private synchronized boolean take(Wait wait) {
        return idle.remove(wait) != null;
    }
}
