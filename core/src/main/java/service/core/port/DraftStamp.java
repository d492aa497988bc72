package service.core.port;

import java.util.function.Supplier;
import service.core.event.CommitHeader;
import service.core.event.Event;
import service.core.event.Fork;
import service.core.event.Stamp;
import service.core.port.WriteCommand.Draft;
import service.core.value.Ulid;

/** Turns a draft into the event that is appended: adds offset, time, id and incarnation, which the writer chooses. */
public final class DraftStamp {
    private DraftStamp() {}

    /**
     * The event of a draft.
     *
     * @param timeMicros microseconds since the epoch, not below the time of the event before
     * @param ids asked once for the id of a commit, and not at all for another event
     * @param nextIncarnation the number of the next branch
     */
    public static Event stamp(Draft draft, long offset, long timeMicros, Supplier<Ulid> ids, int nextIncarnation) {
        Stamp stamp = new Stamp(
                offset, timeMicros, draft.origin().actor(), draft.origin().note());
        return switch (draft) {
            case Draft.Commit commit ->
                new Event.Commit(
                        new CommitHeader(
                                stamp,
                                ids.get(),
                                commit.kind(),
                                new CommitHeader.Lineage(
                                        commit.branch().name(),
                                        commit.branch().incarnation(),
                                        commit.branch().head(),
                                        commit.kind().isOfCommit() ? null : commit.other(),
                                        commit.kind().isOfCommit() ? commit.other() : null),
                                commit.idempotency(),
                                commit.changes().counts(),
                                commit.schema(),
                                commit.sides()),
                        commit.changes());
            case Draft.CreateBranch create ->
                new Event.BranchCreated(
                        stamp,
                        create.name(),
                        nextIncarnation,
                        new Fork(
                                create.from().incarnation(),
                                create.from().name(),
                                create.from().headOffset(),
                                create.from().head()),
                        create.past());
            case Draft.DeleteBranch delete ->
                new Event.BranchDeleted(
                        stamp, delete.branch().name(), delete.branch().incarnation());
            case Draft.FastForward forward ->
                new Event.BranchFastForwarded(
                        stamp,
                        forward.target().incarnation(),
                        forward.source().incarnation(),
                        forward.source().head(),
                        forward.source().headOffset(),
                        forward.idempotency(),
                        forward.changes());
            case Draft.Remember remember ->
                new Event.WriteRemembered(stamp, remember.branch().incarnation(), remember.idempotency());
            case Draft.CreateTag create ->
                new Event.TagCreated(stamp, create.name(), create.commit(), create.incarnation(), create.idempotency());
            case Draft.ReclaimHistory reclaim -> new Event.HistoryReclaimed(stamp, reclaim.marks());
            case Draft.DeleteTag delete ->
                new Event.TagDeleted(
                        stamp,
                        delete.tag().name(),
                        delete.tag().commit(),
                        delete.tag().position().incarnation(),
                        delete.idempotency());
        };
    }
}
