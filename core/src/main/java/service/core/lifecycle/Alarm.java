package service.core.lifecycle;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Ends the waiting for something that may take longer than its caller can wait. Any thread. */
public final class Alarm {
    private Alarm() {}

    /**
     * Runs an action when a time is over, unless a future is done by then.
     *
     * @param action must return at once; runs on a thread that all alarms of the process share
     */
    public static void unlessDone(CompletableFuture<?> future, Duration time, Runnable action) {
        CompletableFuture<@Nullable Void> alarm = new CompletableFuture<>();
        var unusedRung = alarm.thenRun(action);
        var unusedSilenced = future.whenComplete((result, failure) -> alarm.cancel(false));
        var unusedSet = alarm.completeOnTimeout(null, Math.max(0, time.toNanos()), TimeUnit.NANOSECONDS);
    }
}
