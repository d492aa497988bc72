package service.core.event;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import service.core.value.Ulid;

/**
 * One entry of a graph's log. The whole state of a graph follows from its events in their order.
 *
 * <p>A branch name can be used again after a deletion; its <em>incarnation</em> (0 for {@code main}, then counting)
 * cannot.
 */
public sealed interface Event {
    Stamp stamp();

    /** Incarnation of the branch that it changed, made, deleted or moved; of a tag that of its commit. */
    int incarnation();

    /** The position in the graph's log, from 0, without gaps. */
    default long offset() {
        return stamp().offset();
    }

    /** Microseconds since the epoch; never before the previous event's. */
    default long timeMicros() {
        return stamp().timeMicros();
    }

    /** Who caused it; null where callers are not authenticated. */
    default @Nullable String actor() {
        return stamp().actor();
    }

    /**
     * A commit.
     *
     * @param header everything but the changes
     * @param changes empty where only the header was read
     */
    record Commit(CommitHeader header, ChangeBlock changes) implements Event {
        @Override
        public Stamp stamp() {
            return header.stamp();
        }

        @Override
        public int incarnation() {
            return header.incarnation();
        }
    }

    /**
     * A branch was created. It points to a commit.
     *
     * @param past whether the commit was not the head of the parent at that moment
     */
    record BranchCreated(Stamp stamp, String name, int incarnation, Fork fork, boolean past) implements Event {
        /** A branch from the head of its parent. */
        public BranchCreated(Stamp stamp, String name, int incarnation, Fork fork) {
            this(stamp, name, incarnation, fork, false);
        }
    }

    record BranchDeleted(Stamp stamp, String name, int incarnation) implements Event {}

    /**
     * A branch moved to the head of another one that has its own head in its first-parent history.
     *
     * @param changes the net changes from the target's old head to the source's head, ordered as in a commit
     * @param idempotency remembered like a commit's, or null
     */
    record BranchFastForwarded(
            Stamp stamp,
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

    /** A write with an idempotency key that changed nothing: remembered, so that a repeat gets the same answer. */
    record WriteRemembered(Stamp stamp, int incarnation, IdempotencyKey idempotency) implements Event {}

    /**
     * A commit got a name, which no live tag has. The message of its note is that of the tag.
     *
     * @param incarnation of the branch that the commit was made on
     * @param idempotency remembered like a commit's, or null
     */
    record TagCreated(
            Stamp stamp,
            String name,
            Ulid commit,
            int incarnation,
            @Nullable IdempotencyKey idempotency) implements Event {
        /** What the tag is for; null where nothing was said. */
        public @Nullable String message() {
            Note note = stamp.note();
            return note == null ? null : note.message();
        }
    }

    /** A tag lost its name, which may be used again. The components are those of {@link TagCreated}. */
    record TagDeleted(
            Stamp stamp,
            String name,
            Ulid commit,
            int incarnation,
            @Nullable IdempotencyKey idempotency) implements Event {}

    /**
     * States of the graph cannot be read any more from here on. Only a graph that several processes write has this
     * event; elsewhere the one writer sets the marks in its log.
     *
     * @param marks the states that are gone, encoded by the storage
     */
    record HistoryReclaimed(Stamp stamp, byte[] marks) implements Event {
        /** It concerns all branches. */
        @Override
        public int incarnation() {
            return 0;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof HistoryReclaimed that
                    && stamp.equals(that.stamp)
                    && Arrays.equals(marks, that.marks);
        }

        @Override
        public int hashCode() {
            return 31 * stamp.hashCode() + Arrays.hashCode(marks);
        }
    }
}
