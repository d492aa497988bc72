package service.core.event;

import org.jspecify.annotations.Nullable;
import service.core.value.Ulid;

/**
 * One entry of a graph's log. Everything that a graph knows follows from its events in their order.
 *
 * <p>A branch name is used again after a deletion; its <em>incarnation</em> (0 for {@code main}, then counting) is not.
 */
public sealed interface Event {
    /** The position in the graph's log, from 0, without gaps. */
    long offset();

    /** Microseconds since the epoch; never before the previous event's. */
    long timeMicros();

    /** The branch that it speaks of: what it changed, made, deleted or moved. */
    int incarnation();

    /** Who caused it, or null where nobody is authenticated. */
    @Nullable
    String actor();

    /**
     * A commit.
     *
     * @param header everything but the changes
     * @param changes empty where only the header was read
     */
    record Commit(CommitHeader header, ChangeBlock changes) implements Event {
        @Override
        public long offset() {
            return header.offset();
        }

        @Override
        public long timeMicros() {
            return header.timeMicros();
        }

        @Override
        public int incarnation() {
            return header.incarnation();
        }

        @Override
        public @Nullable String actor() {
            return header.actor();
        }
    }

    /**
     * A branch was made: a pointer to a commit.
     *
     * @param parentIncarnation the branch it was made from
     * @param parentName that branch's name
     * @param forkOffset the last offset of the parent's incarnation that the new branch sees
     * @param forkCommit the parent's head at that moment
     */
    record BranchCreated(
            long offset,
            long timeMicros,
            @Nullable String actor,
            String name,
            int incarnation,
            int parentIncarnation,
            String parentName,
            long forkOffset,
            Ulid forkCommit)
            implements Event {}

    record BranchDeleted(
            long offset, long timeMicros, @Nullable String actor, String name, int incarnation) implements Event {}

    /**
     * A branch moved to the head of another one that has its own head in its first-parent history.
     *
     * @param changes the net changes from the target's old head to the source's head, ordered as in a commit
     * @param idempotency remembered like a commit's, or null
     */
    record BranchFastForwarded(
            long offset,
            long timeMicros,
            @Nullable String actor,
            int targetIncarnation,
            int sourceIncarnation,
            Ulid newHead,
            long newHeadOffset,
            @Nullable IdempotencyKey idempotency,
            ChangeBlock changes)
            implements Event {
        @Override
        public int incarnation() {
            return targetIncarnation;
        }
    }

    /** A write with an idempotency key that changed nothing: remembered, so that a repeat is answered alike. */
    record WriteRemembered(
            long offset, long timeMicros, @Nullable String actor, int incarnation, IdempotencyKey idempotency)
            implements Event {}
}
