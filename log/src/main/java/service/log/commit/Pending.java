package service.log.commit;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import service.core.blob.StagedBlobs;
import service.core.event.Event;
import service.core.port.WriteCommand;
import service.core.port.WriteCommand.Decision;
import service.core.port.WriteCommand.Draft;
import service.core.port.WriteSession;

/**
 * A command on its way through the writer. Submitted by any thread, then the writer's alone; its future is completed
 * once, at the end.
 */
final class Pending<R> {
    private final WriteCommand<R> command;
    private final StagedBlobs blobs;
    private final CompletableFuture<R> future = new CompletableFuture<>();
    private @Nullable Decision<R> decision;
    private @Nullable Event event;
    private @Nullable RuntimeException refusal;
    private boolean excluded;

    /** Whether the second draft of a pair was asked for. */
    private boolean paired;

    Pending(WriteCommand<R> command, StagedBlobs blobs) {
        this.command = command;
        this.blobs = blobs;
    }

    /** The managed bytes that the command brings. */
    StagedBlobs blobs() {
        return blobs;
    }

    CompletableFuture<R> future() {
        return future;
    }

    /** Whether nobody waits any more: a cancelled command that has not begun is left out. */
    boolean isOver() {
        return excluded || future.isDone();
    }

    /** Forgets a run of its group that came to nothing. */
    void restart() {
        if (!excluded) {
            decision = null;
            event = null;
            refusal = null;
            paired = false;
        }
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

    /** The draft that follows the event appended last, or null when that was all. */
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

    /** The command's own answer is an exception; the group goes on without it. */
    void refuse(RuntimeException exception) {
        refusal = exception;
    }

    /** The same, and it is not run again when the group is. */
    void exclude(RuntimeException exception) {
        refusal = exception;
        excluded = true;
    }

    /** Tells the caller, now that everything the command saw is durable. */
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
