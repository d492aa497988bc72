package service.http.server;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * The idle streams of one server: each waits for its news, and writes something meanwhile so that its connection does
 * not look dead. One timer calls {@link #tick} for all of them; a beat leaves nothing at the future, so that a stream
 * may be idle for months. Any thread.
 */
final class Heartbeats {
    /** Between two calls of {@link #tick}. */
    static final long TICK_SECONDS = 1;

    /** A stream that was written to is due after this time, and found by the next tick: within 15 s. */
    private static final long DUE_NANOS = TimeUnit.SECONDS.toNanos(15 - TICK_SECONDS);

    /** A stream that has nothing to write just now. */
    interface Idle {
        /** Has the work done by a thread that may block; called on any thread, and must not block. */
        void hand(Runnable work);

        /** Writes something that means nothing. @return false when the stream has ended */
        boolean beat();

        /** The news is there. Nothing is called afterwards. */
        void wake();
    }

    /** Those that no thread works for, with the time at which they are due, the earliest first. */
    private final Map<Wait, Long> idle = new LinkedHashMap<>();

    private static final class Wait {
        final CompletableFuture<Boolean> news;
        final Idle stream;

        Wait(CompletableFuture<Boolean> news, Idle stream) {
            this.news = news;
            this.stream = stream;
        }
    }

    /** Begins to wait. The caller must not touch the stream any more. */
    void await(CompletableFuture<Boolean> news, Idle stream) {
        Wait wait = new Wait(news, stream);
        rest(wait);
        var unused = news.whenComplete((moved, failure) -> handNews(wait));
    }

    /** Hands a beat of every stream that is due to a thread. */
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

    /** Streams that no thread works for. */
    synchronized int size() {
        return idle.size();
    }

    private void beat(Wait wait) {
        if (wait.news.isDone()) {
            wait.stream.wake();
        } else if (wait.stream.beat()) {
            rest(wait);
            // Completed during the beat, when nobody could be woken.
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

    /** Only one of the news, a tick and the end of a beat finds the stream idle. */
    private void handNews(Wait wait) {
        boolean mine;
        synchronized (this) {
            mine = idle.remove(wait) != null;
        }
        if (mine) {
            wait.stream.hand(wait.stream::wake);
        }
    }
}
