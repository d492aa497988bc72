package service.projection.table;

import org.jspecify.annotations.Nullable;
import service.core.event.Fork;
import service.core.port.Branch;
import service.core.value.Ulid;

/**
 * One incarnation of a branch name.
 *
 * @param head the commit it points to
 * @param headOffset the last offset at which it changed
 * @param historyLength length of its first-parent history, genesis included
 * @param lastMerge the last place of the history, at or below the head's, that holds a merge commit; −1 when none does
 * @param parentIncarnation the incarnation it was forked from; −1 for main
 * @param forkOffset the last offset of the parent that it sees; −1 for main
 * @param forkSequence the first place of the history that it stores itself; the parent stores those below
 * @param createdOffset the event that made it
 * @param deletedOffset the event that deleted it; −1 while it lives
 */
public record Incarnation(
        int incarnation,
        String name,
        Ulid head,
        long headOffset,
        long historyLength,
        long lastMerge,
        int parentIncarnation,
        @Nullable String parentName,
        long forkOffset,
        @Nullable Ulid forkCommit,
        long forkSequence,
        long createdOffset,
        long createdMicros,
        @Nullable String createdBy,
        long deletedOffset) {
    public static final int NONE = -1;

    public Incarnation withHead(Ulid newHead, long offset, long newHistoryLength, long newLastMerge) {
        return new Incarnation(
                incarnation,
                name,
                newHead,
                offset,
                newHistoryLength,
                newLastMerge,
                parentIncarnation,
                parentName,
                forkOffset,
                forkCommit,
                forkSequence,
                createdOffset,
                createdMicros,
                createdBy,
                deletedOffset);
    }

    public Incarnation deletedAt(long offset) {
        return new Incarnation(
                incarnation,
                name,
                head,
                headOffset,
                historyLength,
                lastMerge,
                parentIncarnation,
                parentName,
                forkOffset,
                forkCommit,
                forkSequence,
                createdOffset,
                createdMicros,
                createdBy,
                offset);
    }

    public boolean live() {
        return deletedOffset < 0;
    }

    public Branch branch() {
        return new Branch(
                name,
                incarnation,
                head,
                headOffset,
                historyLength,
                parentName == null || forkCommit == null
                        ? null
                        : new Fork(parentIncarnation, parentName, forkOffset, forkCommit),
                createdMicros,
                createdBy);
    }
}
