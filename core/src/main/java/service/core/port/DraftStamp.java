package service.log.commit;

import service.core.event.CommitHeader;
import service.core.event.Event;
import service.core.event.Fork;
import service.core.event.Stamp;
import service.core.port.WriteCommand.Draft;

/**
 * Turns a draft into the event that is appended: adds offset, time, id and incarnation, which only the writer knows.
 */
final class DraftStamp {
    private final WriterClock clock;

    DraftStamp(WriterClock clock) {
        this.clock = clock;
    }

    Event stamp(Draft draft, long offset, int nextIncarnation) {
        Stamp stamp = new Stamp(offset, clock.nowMicros(), draft.actor());
        return switch (draft) {
            case Draft.Commit commit ->
                new Event.Commit(
                        new CommitHeader(
                                stamp,
                                clock.nextId(),
                                commit.kind(),
                                new CommitHeader.Lineage(
                                        commit.branch().name(),
                                        commit.branch().incarnation(),
                                        commit.branch().head(),
                                        commit.mergedParent()),
                                commit.idempotency(),
                                commit.changes().counts(),
                                commit.schema()),
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
                                create.from().head()));
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
        };
    }
}
