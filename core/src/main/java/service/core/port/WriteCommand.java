package service.core.port;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import service.core.event.ChangeBlock;
import service.core.event.CommitKind;
import service.core.event.IdempotencyKey;
import service.core.event.Origin;
import service.core.event.SchemaChange;
import service.core.event.TakenSides;
import service.core.value.Ulid;

/**
 * A write that waits for its turn. {@link #decide} runs on the graph's writer thread, in log order, inside the
 * transaction, and sees the effects of all earlier commands. It must not touch anything but the session, must not
 * block, and may run again from the start when its group is retried. A refusal is a thrown {@code ServiceException} and
 * changes nothing.
 *
 * @param <R> the caller's result once the outcome is durable
 */
@FunctionalInterface
public interface WriteCommand<R> {
    Decision<R> decide(WriteSession session);

    /** The decision of a command. */
    sealed interface Decision<R> {
        /** Writes nothing; {@code result} is the answer. */
        record Nothing<R>(R result) implements Decision<R> {}

        /** Appends one event. The answer is computed from the event once it is durable. */
        record Append<R>(Draft draft, Outcome<R> outcome) implements Decision<R> {}

        /**
         * Appends two events in one step: both become durable, or neither. The answer is computed from the second.
         *
         * @param second makes the second draft after the first event was applied; the session shows it. All refusals
         *     must be made before
         */
        record AppendPair<R>(Draft first, Function<WriteSession, Draft> second, Outcome<R> outcome)
                implements Decision<R> {}

        /** The same decision with another answer. */
        default <S> Decision<S> map(Function<R, S> answer) {
            return switch (this) {
                case Nothing<R>(R result) -> new Nothing<>(answer.apply(result));
                case Append<R>(Draft draft, Outcome<R> outcome) ->
                    new Append<>(draft, event -> answer.apply(outcome.of(event)));
                case AppendPair<R>(Draft first, Function<WriteSession, Draft> second, Outcome<R> outcome) ->
                    new AppendPair<>(first, second, event -> answer.apply(outcome.of(event)));
            };
        }
    }

    /** Computes the caller's answer from the appended event. Pure; runs on the writer thread. */
    @FunctionalInterface
    interface Outcome<R> {
        R of(service.core.event.Event appended);
    }

    /**
     * An event without the parts that only the writer knows: offset, commit id and time. The maker of a draft closes
     * its changes after the command's future has completed.
     */
    sealed interface Draft {
        /** Who asked for the write, and why. */
        Origin origin();

        /**
         * A commit on a live branch, whose changes are checked already.
         *
         * @param other the merged head of a merge, or the commit that is reverted, restored or picked; else null
         * @param sides what the resolutions of a merge took; null without resolutions
         */
        record Commit(
                CommitKind kind,
                Branch branch,
                @Nullable Ulid other,
                Origin origin,
                @Nullable IdempotencyKey idempotency,
                @Nullable SchemaChange schema,
                @Nullable TakenSides sides,
                ChangeBlock changes)
                implements Draft {
            /** A commit without resolutions. */
            public Commit(
                    CommitKind kind,
                    Branch branch,
                    @Nullable Ulid other,
                    Origin origin,
                    @Nullable IdempotencyKey idempotency,
                    @Nullable SchemaChange schema,
                    ChangeBlock changes) {
                this(kind, branch, other, origin, idempotency, schema, null, changes);
            }
        }

        /**
         * A new branch.
         *
         * @param from a live branch, or one as it was at an earlier commit
         * @param past whether it is an earlier commit
         */
        record CreateBranch(String name, Branch from, boolean past, Origin origin) implements Draft {
            /** A branch from a head. */
            public CreateBranch(String name, Branch from, Origin origin) {
                this(name, from, false, origin);
            }
        }

        record DeleteBranch(Branch branch, Origin origin) implements Draft {}

        record FastForward(
                Branch target,
                Branch source,
                Origin origin,
                @Nullable IdempotencyKey idempotency,
                ChangeBlock changes) implements Draft {}

        record Remember(Branch branch, Origin origin, IdempotencyKey idempotency) implements Draft {}

        /**
         * A new tag; the message of its origin is that of the tag.
         *
         * @param name no live tag has it
         * @param incarnation of the branch that the commit was made on
         */
        record CreateTag(
                String name,
                Ulid commit,
                int incarnation,
                Origin origin,
                @Nullable IdempotencyKey idempotency) implements Draft {}

        /** States cannot be read any more: {@link service.core.event.Event.HistoryReclaimed}. */
        record ReclaimHistory(byte[] marks, Origin origin) implements Draft {}

        /** The end of a live tag. */
        record DeleteTag(Tag tag, Origin origin, @Nullable IdempotencyKey idempotency) implements Draft {}
    }
}
