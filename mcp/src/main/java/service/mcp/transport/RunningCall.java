package service.mcp.transport;

import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** A tool call from its start to its result. The engine asks at each checkpoint whether it must end. */
final class RunningCall implements BooleanSupplier {
    private final @Nullable String actor;
    private final Object requestId;
    private final long deadlineNanos;
    private volatile boolean cancelled;

    RunningCall(@Nullable String actor, Object requestId, long deadlineNanos) {
        this.actor = actor;
        this.requestId = requestId;
        this.deadlineNanos = deadlineNanos;
    }

    boolean isOf(@Nullable String otherActor, Object otherId) {
        return requestId.equals(otherId) && actor != null && actor.equals(otherActor);
    }

    /** Any thread. */
    void cancel() {
        cancelled = true;
    }

    boolean isCancelled() {
        return cancelled;
    }

    boolean isLate() {
        return System.nanoTime() - deadlineNanos >= 0;
    }

    @Override
    public boolean getAsBoolean() {
        return cancelled || isLate();
    }
}
