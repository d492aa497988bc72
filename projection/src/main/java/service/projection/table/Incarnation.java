package service.projection.table;

import org.jspecify.annotations.Nullable;
import service.core.event.CommitHeader;
import service.core.event.Event;
import service.core.event.Fork;
import service.core.port.Branch;
import service.core.value.Ulid;

/**
 * One incarnation of a branch name.
 *
 * @param fork null for main
 */
public record Incarnation(
        int incarnation, String name, Head head, @Nullable ForkPoint fork, Life life) {
    public static final int NONE = -1;

    /**
     * Where the branch points to.
     *
     * @param offset the last offset at which it changed
     * @param historyLength length of its first-parent history, genesis included
     * @param lastMerge the last place of the history, at or below the head's, that holds a merge commit; −1 for none
     */
    public record Head(Ulid commit, long offset, long historyLength, long lastMerge) {}

    /**
     * Where the branch was forked.
     *
     * @param parent incarnation
     * @param offset the last offset of the parent that the branch sees
     * @param sequence places of the history below this are the parent's
     */
    public record ForkPoint(int parent, long offset, Ulid commit, long sequence) {}

    /**
     * From the event that made the branch to the event that deleted it.
     *
     * @param deletedOffset −1 while the branch lives
     */
    public record Life(
            long createdOffset,
            long createdMicros,
            @Nullable String createdBy,
            long deletedOffset) {}

    /** Main, before its first commit. */
    public static Incarnation genesis(CommitHeader header) {
        return new Incarnation(
                header.incarnation(),
                header.branch(),
                new Head(header.id(), header.offset(), 0, NONE),
                null,
                new Life(header.offset(), header.timeMicros(), header.actor(), NONE));
    }

    /**
     * A branch that has just been forked.
     *
     * @param historyLength of the parent as it was when the commit of the fork was its head; {@code lastMerge} likewise
     */
    public static Incarnation forked(Event.BranchCreated event, long historyLength, long lastMerge) {
        Fork fork = event.fork();
        return new Incarnation(
                event.incarnation(),
                event.name(),
                new Head(fork.commit(), event.offset(), historyLength, lastMerge),
                new ForkPoint(fork.parentIncarnation(), fork.offset(), fork.commit(), historyLength),
                new Life(event.offset(), event.timeMicros(), event.actor(), NONE));
    }

    public Incarnation withHead(Head newHead) {
        return new Incarnation(incarnation, name, newHead, fork, life);
    }

    public Incarnation deletedAt(long offset) {
        return new Incarnation(
                incarnation,
                name,
                head,
                fork,
                new Life(life.createdOffset(), life.createdMicros(), life.createdBy(), offset));
    }

    public boolean live() {
        return life.deletedOffset() < 0;
    }

    /** The incarnation it was forked from; {@link #NONE} for main. */
    public int parentIncarnation() {
        return fork == null ? NONE : fork.parent();
    }

    /** Offsets of the parent above this are not the branch's; −1 for main. */
    public long forkOffset() {
        return fork == null ? NONE : fork.offset();
    }

    /** The first place of the history that is the branch's own. */
    public long forkSequence() {
        return fork == null ? 0 : fork.sequence();
    }

    public long historyLength() {
        return head.historyLength();
    }

    /** As a live branch; {@code parentName} is null for main. */
    public Branch branch(@Nullable String parentName) {
        return new Branch(
                name,
                incarnation,
                head.commit(),
                head.offset(),
                head.historyLength(),
                fork == null || parentName == null
                        ? null
                        : new Fork(fork.parent(), parentName, fork.offset(), fork.commit()),
                life.createdMicros(),
                life.createdBy());
    }
}
