package service.core.port;

import org.jspecify.annotations.Nullable;
import service.core.event.CommitHeader;
import service.core.event.Fork;
import service.core.value.Ulid;

/**
 * A live branch, or a branch as it was when a commit was its head.
 *
 * @param head the commit it points to; a fresh branch points to the commit it was forked from
 * @param headOffset the last offset at which this incarnation changed (its creation, a commit, a fast-forward): with
 *     the incarnation, the {@link ReadPoint} of the head
 * @param historyLength length of the first-parent history, genesis included
 * @param fork where it was made from; null for main
 */
public record Branch(
        String name,
        int incarnation,
        Ulid head,
        long headOffset,
        long historyLength,
        @Nullable Fork fork,
        long createdMicros,
        @Nullable String createdBy) {
    /** The name of the branch that every graph has. */
    public static final String MAIN = "main";

    /**
     * The branch on which a commit was made, as it was when the commit was its head. It has no fork.
     *
     * @param historyLength length of the first-parent history of the commit
     */
    public static Branch at(CommitHeader commit, long historyLength) {
        return new Branch(
                commit.branch(),
                commit.incarnation(),
                commit.id(),
                commit.offset(),
                historyLength,
                null,
                commit.timeMicros(),
                commit.actor());
    }

    public ReadPoint headPoint() {
        return new ReadPoint(incarnation, headOffset);
    }
}
