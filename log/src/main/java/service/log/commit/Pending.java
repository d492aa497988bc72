package service.log.commit;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import service.core.blob.StagedBlobs;
import service.core.event.Event;
import service.core.port.WriteCommand;
import service.core.port.WriteCommand.Decision;
import service.core.port.WriteCommand.Draft;
import service.core.port.WriteSession;

/** A submitted command. Created on any thread, then used by the writer thread only. Its future is completed once. */
final class Pending<R> {
    private final WriteCommand<R> command;
    private final StagedBlobs blobs;
    private final long deadlineNanos;
    private final CompletableFuture<R> future = new CompletableFuture<>();
    private @Nullable Decision<R> decision;
    private @Nullable Event event;
    private @Nullable RuntimeException refusal;
    private boolean excluded;

    /** Whether the second draft of a pair was asked for. */
    private boolean paired;

    /** @param patience how long the command may wait for its turn beside the writes of other processes */
    Pending(WriteCommand<R> command, StagedBlobs blobs, Duration patience) {
        this.command = command;
        this.blobs = blobs;
        this.deadlineNanos = System.nanoTime() + patience.toNanos();
    }

    /** Whether the time of the command is over. */
    boolean isLate() {
        return System.nanoTime() - deadlineNanos >= 0;
    }

    /** The managed bytes that the command brings. */
    StagedBlobs blobs() {
        return blobs;
    }

    CompletableFuture<R> future() {
        return future;
    }

    /** Whether the caller has cancelled the command; then it is skipped if it has not begun. */
    boolean isOver() {
        return excluded || future.isDone();
    }

    /** Resets the command after an aborted run of its group. */
    void restart() {
        if (!excluded) {
            decision = null;
            event = null;
            refusal = null;
            paired = false;
        }
    }

    /** Resets the command for another state of the log: what was refused may be accepted there. */
    void decideAgain() {
        excluded = false;
        restart();
    }

    /** Runs the command; the draft to be appended, or null when it has none. */
    @Nullable
    Draft decide(WriteSession session) {
        Decision<R> decided = command.decide(session);
        decision = decided;
        return switch (decided) {
            case Decision.Nothing<R> ignored -> null;
            case Decision.Append<R> append -> append.draft();
            case Decision.AppendPair<R> pair -> pair.first();
        };
    }

    /** The next draft after the appended event, or null. */
    @Nullable
    Draft next(WriteSession session) {
        if (decision instanceof Decision.AppendPair<R> pair && !paired) {
            paired = true;
            return pair.second().apply(session);
        }
        return null;
    }

    void appended(Event newEvent) {
        event = newEvent;
    }

    /** The command has failed by itself; the rest of the group continues. */
    void refuse(RuntimeException exception) {
        refusal = exception;
    }

    /** The same, and the command is left out when the group runs again. */
    void exclude(RuntimeException exception) {
        refusal = exception;
        excluded = true;
    }

    /** Completes the future, when everything that the command saw is durable. */
    void complete() {
        RuntimeException exception = refusal;
        if (exception != null) {
            future.completeExceptionally(exception);
            return;
        }
        try {
            future.complete(result());
        } catch (RuntimeException e) {
            future.completeExceptionally(e);
        }
    }

    private R result() {
        Decision<R> decided = decision;
        Event appended = event;
        if (decided instanceof Decision.Append<R> append && appended != null) {
            return append.outcome().of(appended);
        }
        if (decided instanceof Decision.AppendPair<R> pair && appended != null) {
            return pair.outcome().of(appended);
        }
        if (decided instanceof Decision.Nothing<R> nothing) {
            return nothing.result();
        }
        throw new IllegalStateException("the command was not run");
    }

    void fail(RuntimeException exception) {
        future.completeExceptionally(refusal != null && excluded ? refusal : exception);
    }
}
