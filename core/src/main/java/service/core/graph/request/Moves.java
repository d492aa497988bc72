package service.core.graph.request;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.event.Event;
import service.core.policy.Action;
import service.core.policy.Caller;
import service.core.port.Branch;
import service.core.port.BranchStep;
import service.core.port.CommitPosition;
import service.core.port.DeletedBranch;
import service.core.port.GraphSession;
import service.core.port.GraphStorage;
import service.core.value.Ulid;

/** What has happened to branches: the moves of a live one, and the ones that were deleted. Any thread. */
public final class Moves {
    /** The number of branches that one page looks at, whether it shows them or not. */
    private static final int BRANCHES_SEEN_MAX = 2_000;

    private final GraphStorage storage;

    public Moves(GraphStorage storage) {
        this.storage = storage;
    }

    /**
     * The moves of a branch, newest first. Those before it was created are its parent's.
     *
     * @param before only moves whose event is below this offset; null for all
     */
    public MoveRecord.Page of(Caller caller, String name, int limit, @Nullable Long before) {
        History.checkLimit(limit);
        try (GraphSession session = storage.session()) {
            Branch branch = Targets.readable(session, name, caller);
            List<BranchStep> steps =
                    session.steps(branch.incarnation(), before == null ? Long.MAX_VALUE : before, limit + 1);
            List<MoveRecord> moves = new ArrayList<>();
            for (BranchStep step : steps.subList(0, Math.min(limit, steps.size()))) {
                moves.add(move(session, branch.incarnation(), step));
            }
            return new MoveRecord.Page(
                    moves, steps.size() > limit ? moves.getLast().stamp().offset() : null);
        }
    }

    private static MoveRecord move(GraphSession session, int incarnation, BranchStep step) {
        Event event = session.outline(step.event());
        Ulid to = commit(session, incarnation, step.last());
        Ulid from = step.first() == 0 ? null : commit(session, incarnation, step.first() - 1);
        return switch (event) {
            case Event.Commit commit ->
                new MoveRecord(MoveRecord.Kind.of(commit.header().kind()), event.stamp(), from, to);
            case Event.BranchCreated ignored -> new MoveRecord(MoveRecord.Kind.CREATED, event.stamp(), null, to);
            case Event.BranchFastForwarded ignored ->
                new MoveRecord(MoveRecord.Kind.FAST_FORWARD, event.stamp(), from, to);
            case Event.BranchDeleted ignored -> throw noMove(event);
            case Event.WriteRemembered ignored -> throw noMove(event);
            case Event.TagCreated ignored -> throw noMove(event);
            case Event.TagDeleted ignored -> throw noMove(event);
            case Event.HistoryReclaimed ignored -> throw noMove(event);
        };
    }

    private static IllegalStateException noMove(Event event) {
        return new IllegalStateException("event " + event.offset() + " moves no branch");
    }

    private static Ulid commit(GraphSession session, int incarnation, long place) {
        return session.header(session.history(incarnation, place)).id();
    }

    /**
     * The deleted branches whose last state is readable, the one that was made last first.
     *
     * @param before only branches with a lower number, as {@link DeletedBranchRecord.Page} gives it; null for all
     */
    public DeletedBranchRecord.Page deleted(Caller caller, int limit, @Nullable Integer before) {
        History.checkLimit(limit);
        try (GraphSession session = storage.session()) {
            List<DeletedBranchRecord> found = new ArrayList<>();
            int from = before == null ? Integer.MAX_VALUE : before;
            List<DeletedBranch> seen = session.deletedBranches(from, BRANCHES_SEEN_MAX);
            int next = from;
            for (DeletedBranch branch : seen) {
                if (found.size() == limit) {
                    return new DeletedBranchRecord.Page(found, next);
                }
                next = branch.last().incarnation();
                if (caller.may(Action.READ, branch.last().name()) && isReadable(session, branch.last())) {
                    Event event = session.outline(branch.deletedOffset());
                    found.add(new DeletedBranchRecord(BranchRecord.of(branch.last(), caller), event.stamp()));
                }
            }
            return new DeletedBranchRecord.Page(found, seen.size() == BRANCHES_SEEN_MAX ? next : null);
        }
    }

    /** Whether a branch can be created from the last commit of this one. */
    private static boolean isReadable(GraphSession session, Branch last) {
        CommitPosition position = session.position(last.head());
        if (position == null) {
            return false;
        }
        try {
            Targets.requireState(session, position.point());
            return true;
        } catch (ServiceException e) {
            if (e.code() == ErrorCode.SNAPSHOT_RECLAIMED) {
                return false;
            }
            throw e;
        }
    }
}
