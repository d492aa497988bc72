package service.log.follow;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.lifecycle.Alarm;

/**
 * Requests that wait until this process knows the end of a log that other processes write. A look answers all requests
 * that came before it began, so that many requests cost one look, and a request that came after the beginning waits for
 * the next one.
 *
 * <p>Thread rule: any thread; {@link #begin} and what follows it on one thread at a time.
 */
public final class TailLooks {
    /** How long a request waits for looks. */
    public static final Duration MOST = Duration.ofSeconds(5);

    private List<CompletableFuture<Long>> waiting = new ArrayList<>();
    private @Nullable RuntimeException closed;

    /** When the last look began that has succeeded, and the end of the log that it has found; null before the first. */
    private volatile @Nullable Known known;

    private record Known(long beganNanos, long offset) {}

    /**
     * Waits for a look.
     *
     * @param sinceNanos a look that began after this time is enough; of {@link System#nanoTime}
     * @return completes with the offset that sessions opened from then on show at least; exceptionally when the look
     *     has failed, or has not ended within {@link #MOST}
     */
    public CompletableFuture<Long> await(long sinceNanos) {
        Known last = known;
        if (last != null && last.beganNanos - sinceNanos >= 0) {
            return CompletableFuture.completedFuture(last.offset);
        }
        RuntimeException refusal;
        CompletableFuture<Long> answer = new CompletableFuture<>();
        synchronized (this) {
            refusal = closed;
            if (refusal == null) {
                waiting.add(answer);
            }
        }
        if (refusal == null) {
            Alarm.unlessDone(answer, MOST, () -> answer.completeExceptionally(silent()));
        } else {
            answer.completeExceptionally(refusal);
        }
        return answer;
    }

    private static ServiceException silent() {
        return new ServiceException(
                ErrorCode.NOT_YET_HERE,
                "the store does not answer, so that this server cannot tell whether it has the newest state; try again in"
                        + " a moment");
    }

    /** Whether a look that began after a time has succeeded. */
    public boolean isKnownSince(long nanos) {
        Known last = known;
        return last != null && last.beganNanos - nanos >= 0;
    }

    /** Begins a look for all requests that wait now. */
    public synchronized Look begin() {
        List<CompletableFuture<Long>> answered = waiting;
        waiting = new ArrayList<>();
        return new Look(answered, System.nanoTime());
    }

    /** Refuses the requests that wait, and all later ones. */
    public void close(RuntimeException refusal) {
        synchronized (this) {
            closed = refusal;
        }
        begin().failed(refusal);
    }

    /** One look. End it once. */
    public final class Look {
        private final List<CompletableFuture<Long>> answered;
        private final long beganNanos;

        private Look(List<CompletableFuture<Long>> answered, long beganNanos) {
            this.answered = answered;
            this.beganNanos = beganNanos;
        }

        /** Whether a request waits for this look. */
        public boolean isAwaited() {
            return !answered.isEmpty();
        }

        /** Sessions that are opened from now on show everything that was stored when the look began. */
        public void succeeded(long offset) {
            known = new Known(beganNanos, offset);
            end(answer -> answer.complete(offset));
        }

        public void failed(RuntimeException refusal) {
            end(answer -> answer.completeExceptionally(refusal));
        }

        /** Leaves its requests to the next look, because this one has not reached the end of the log. */
        public void unfinished() {
            RuntimeException refusal;
            synchronized (TailLooks.this) {
                refusal = closed;
                if (refusal == null) {
                    waiting.addAll(answered);
                    return;
                }
            }
            failed(refusal);
        }

        private void end(Consumer<CompletableFuture<Long>> answer) {
            answered.forEach(answer);
        }
    }
}
