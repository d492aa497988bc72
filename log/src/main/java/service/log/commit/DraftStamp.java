package service.log.commit;

import service.core.event.CommitHeader;
import service.core.event.Event;
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
        return switch (draft) {
            case Draft.Commit commit ->
                new Event.Commit(
                        new CommitHeader(
                                offset,
                                clock.nextId(),
                                commit.kind(),
                                commit.branch().name(),
                                commit.branch().incarnation(),
                                commit.branch().head(),
                                commit.mergedParent(),
                                clock.nowMicros(),
                                commit.actor(),
                                commit.idempotency(),
                                commit.changes().counts(),
                                commit.schema()),
                        commit.changes());
            case Draft.CreateBranch create ->
                new Event.BranchCreated(
                        offset,
                        clock.nowMicros(),
                        create.actor(),
                        create.name(),
                        nextIncarnation,
                        create.from().incarnation(),
                        create.from().name(),
                        create.from().headOffset(),
                        create.from().head());
            case Draft.DeleteBranch delete ->
                new Event.BranchDeleted(
                        offset,
                        clock.nowMicros(),
                        delete.actor(),
                        delete.branch().name(),
                        delete.branch().incarnation());
            case Draft.FastForward forward ->
                new Event.BranchFastForwarded(
                        offset,
                        clock.nowMicros(),
                        forward.actor(),
                        forward.target().incarnation(),
                        forward.source().incarnation(),
                        forward.source().head(),
                        forward.source().headOffset(),
                        forward.idempotency(),
                        forward.changes());
            case Draft.Remember remember ->
                new Event.WriteRemembered(
                        offset,
                        clock.nowMicros(),
                        remember.actor(),
                        remember.branch().incarnation(),
                        remember.idempotency());
        };
    }
}
