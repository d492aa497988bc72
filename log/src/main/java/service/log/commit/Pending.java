package service.log.commit;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import service.core.blob.StagedBlobs;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.event.Event;
import service.core.port.WriteCommand;
import service.core.port.WriteCommand.Decision;
import service.core.port.WriteCommand.Draft;
import service.core.port.WriteSession;

/**
 * A submitted command. Created on any thread, then used by the writer thread only, but for {@link #giveUp}. Its future
 * is completed once; from then on its caller may release what the command needs, so the writer does not begin it any
 * more.
 */
final class Pending<R> {
    private final WriteCommand<R> command;
    private final StagedBlobs blobs;
    private final long deadlineNanos;
    private final CompletableFuture<R> future = new CompletableFuture<>();
    private @Nullable Decision<R> decision;
    private @Nullable Event event;
    private @Nullable RuntimeException refusal;
    private boolean excluded;

    /** What the writer does with the command; guarded by this. */
    private Use use = Use.NONE;

    /** Whether its time was over while the writer needed it; guarded by this. */
    private boolean late;

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

    /** What the writer does with a command. */
    private enum Use {
        /** Nothing; it waits for its turn, or for what other processes have stored. */
        NONE,
        /** The writer needs the command and what it brings. */
        DECIDED,
        /** The writer stores what the command brings; it needs the command no more, and can still leave it out. */
        BRINGS,
        /** Only the answer of the storage is missing. */
        SENT,
        /** It is answered. */
        OVER
    }

    /**
     * The writer is about to need the command; false when it is excluded or answered, or its caller has cancelled it.
     */
    synchronized boolean begin() {
        if (excluded || use == Use.OVER || future.isDone()) {
            return false;
        }
        use = Use.DECIDED;
        return true;
    }

    /** The writer stores what the command brings, and puts its event afterwards. */
    void brings() {
        boolean unused = letGo(Use.BRINGS);
    }

    /**
     * The writer needs nothing more of the command, and waits for the answer of the storage.
     *
     * @return false when the command was answered while the writer stored what it brings: its event must not be put
     */
    boolean sent() {
        return letGo(Use.SENT);
    }

    /** The writer does not need the command until its next {@link #begin}. */
    void waits() {
        boolean unused = letGo(Use.NONE);
    }

    /** Returns false when the command is answered and has an event. */
    private boolean letGo(Use next) {
        boolean isLate;
        synchronized (this) {
            if (use == Use.OVER) {
                return event == null;
            }
            use = next;
            isLate = late;
        }
        if (isLate) {
            giveUp();
        }
        return true;
    }

    /**
     * Answers a command whose time is over: at once when the writer does not need it now, else as soon as the writer
     * does not need it any more. Its outcome is not known when it was sent and has an event. Any thread.
     */
    void giveUp() {
        boolean isUnknown;
        synchronized (this) {
            late = true;
            if (use == Use.DECIDED || use == Use.OVER) {
                return;
            }
            isUnknown = use == Use.SENT && event != null;
            use = Use.OVER;
        }
        future.completeExceptionally(isUnknown ? unanswered() : contended());
    }

    private static ServiceException unanswered() {
        return new ServiceException(
                ErrorCode.RECOVERY_REQUIRED,
                "the store has not answered within the time of this write, which may still be made: read, or repeat it"
                        + " under its idempotency key");
    }

    /** The answer when nothing of the command is stored, nor will be, because its time was over before its turn. */
    static ServiceException contended() {
        return new ServiceException(
                ErrorCode.CONTENDED,
                "the time of this write was over before its turn came, because other writes of this graph were first or"
                        + " the store did not answer; nothing was written: send it again");
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
        waits();
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
        event = null;
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
