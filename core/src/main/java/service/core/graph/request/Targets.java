package service.core.graph.request;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import service.core.error.ErrorCode;
import service.core.error.ErrorDetail;
import service.core.error.Reason;
import service.core.error.ServiceException;
import service.core.error.Suggestion;
import service.core.policy.Action;
import service.core.policy.Caller;
import service.core.port.Branch;
import service.core.port.BranchMove;
import service.core.port.CommitPosition;
import service.core.port.GraphSession;
import service.core.port.GraphView;
import service.core.port.ReadPoint;
import service.core.value.CalendarText;
import service.core.value.Ulid;

/** Resolves names and ids, and refuses missing ones with a message that names them. */
public final class Targets {
    /**
     * The number of names that the name of a missing branch is compared with. It is bounded, because this may run on
     * the writer and the number of branches is not.
     */
    private static final int NAMES_COMPARED_MAX = 128;

    private Targets() {}

    /**
     * A resolved read target.
     *
     * @param branch the live branch that was named, or null for a snapshot
     * @param head the effective head of the state
     */
    public record Resolved(
            ReadPoint point, Ulid head, @Nullable Branch branch) {}

    /**
     * The state that a caller may see by an action: READ, or EXPORT. A state on another branch does not exist for the
     * caller; a snapshot is on the branch where its commit was made.
     */
    public static Resolved resolve(GraphSession session, ReadTarget target, Action action, Caller caller) {
        return switch (target) {
            case ReadTarget.AtBranch at -> {
                Branch branch = branch(session, at.branch(), action, caller);
                yield new Resolved(branch.headPoint(), branch.head(), branch);
            }
            case ReadTarget.AtSnapshot at -> {
                CommitPosition position = position(session, at.commitId(), action, caller);
                yield new Resolved(position.point(), Ulid.parse(at.commitId()), null);
            }
            case ReadTarget.AtTime at -> {
                Branch branch = branch(session, at.branch(), action, caller);
                BranchMove move = session.moveAsOf(at.branch(), at.micros());
                if (move == null) {
                    throw beforeFirst(session, at.branch(), at.micros());
                }
                yield new Resolved(move.point(), move.head(), branch);
            }
        };
    }

    /** The refusal of a time at which a branch that exists pointed to no commit. */
    static ServiceException beforeFirst(GraphSession session, String name, long micros) {
        BranchMove first = Objects.requireNonNull(session.firstMove(name));
        String from = first.head() + ", from " + CalendarText.micros(first.timeMicros()) + " on";
        String time = CalendarText.micros(micros);
        String branch = "branch `" + name + "` ";
        return ServiceException.notFound(
                Reason.BRANCH,
                first.timeMicros() <= micros
                        ? branch + "did not exist at " + time
                                + ": it had been deleted, and was made again later; read a commit of before by its id."
                                + " The first that its name pointed to is " + from
                        : branch + "pointed to no commit at " + time + "; the first that it pointed to is " + from);
    }

    public static Branch main(GraphSession session) {
        return Objects.requireNonNull(session.branch(Branch.MAIN));
    }

    /**
     * The live branch of that name, for a caller whose right to use it was decided before.
     *
     * @throws ServiceException NOT_FOUND, with a similar name that the caller may read
     */
    public static Branch branch(GraphSession session, String name, Caller caller) {
        Branch branch = session.branch(name);
        if (branch == null) {
            throw missing(session, name, caller);
        }
        return branch;
    }

    /** The live branch of that name. For a caller who may not read it, it does not exist. */
    public static Branch readable(GraphSession session, String name, Caller caller) {
        return branch(session, name, Action.READ, caller);
    }

    private static Branch branch(GraphSession session, String name, Action action, Caller caller) {
        if (!caller.may(action, name)) {
            throw missing(session, name, caller);
        }
        return branch(session, name, caller);
    }

    /** The refusal of a branch that does not exist, or that the caller may not read. */
    public static ServiceException missing(GraphSession session, String name, Caller caller) {
        String meant = similar(session, name, caller);
        return ServiceException.notFound(
                Reason.BRANCH, "branch `" + name + "` does not exist" + (meant == null ? "" : "; " + meant));
    }

    /** The question for a similar name that the caller may read; null when there is none. */
    static @Nullable String similar(GraphSession session, String name, Caller caller) {
        List<String> names = session.branchNamesAround(name, NAMES_COMPARED_MAX).stream()
                .filter(other -> caller.may(Action.READ, other))
                .toList();
        return CommitRefs.tag(session, name, caller) == null
                ? Suggestion.didYouMean(name, names)
                : "a tag is named so: give it as a snapshot, or where any commit is taken";
    }

    /** The position of a commit. For a caller who may not read the branch where it was made, it does not exist. */
    public static CommitPosition readableCommit(GraphSession session, String commitId, Caller caller) {
        return position(session, commitId, Action.READ, caller);
    }

    private static CommitPosition position(GraphSession session, String commitId, Action action, Caller caller) {
        CommitPosition position = position(session, commitId);
        requireVisible(
                commitId, caller.may(action, session.header(position.offset()).branch()));
        return position;
    }

    /**
     * The branch where a commit was made. For a caller who may neither read this branch nor do the action to it, the
     * commit does not exist.
     */
    static String branchOf(GraphSession session, String commitId, Action action, Caller caller) {
        String branch = session.header(position(session, commitId).offset()).branch();
        requireVisible(commitId, caller.may(action, branch) || caller.may(Action.READ, branch));
        return branch;
    }

    private static void requireVisible(String commitId, boolean isVisible) {
        if (!isVisible) {
            throw missingCommit(commitId);
        }
    }

    /** The position of a commit whose visibility was decided before. */
    public static CommitPosition position(GraphSession session, String commitId) {
        CommitPosition position = Ulid.isUlid(commitId) ? session.position(Ulid.parse(commitId)) : null;
        if (position == null) {
            throw missingCommit(commitId);
        }
        return position;
    }

    /**
     * Checks that a state is there: opening its view is the check.
     *
     * @throws ServiceException SNAPSHOT_RECLAIMED when cleanup has removed it
     */
    @SuppressWarnings("try")
    public static void requireState(GraphSession session, ReadPoint point) {
        try (GraphView ignored = session.view(point)) {}
    }

    private static ServiceException missingCommit(String commitId) {
        return ServiceException.notFound(Reason.COMMIT, "commit `" + commitId + "` does not exist in this graph");
    }

    /** The condition of a conditional write as a commit id; null when there is none. */
    public static @Nullable Ulid condition(@Nullable String condition) {
        if (condition != null && !Ulid.isUlid(condition)) {
            throw ServiceException.badRequest("the condition must be one commit id (a ULID), not `" + condition + "`");
        }
        return condition == null ? null : Ulid.parse(condition);
    }

    /**
     * Throws PRECONDITION_FAILED unless the head of the branch is the expected commit. The refusal names the head where
     * the caller may read the branch.
     */
    public static void checkCondition(Branch branch, @Nullable Ulid expected, Caller caller) {
        if (expected == null || expected.equals(branch.head())) {
            return;
        }
        String head = caller.may(Action.READ, branch.name()) ? branch.head().toString() : null;
        throw new ServiceException(
                ErrorCode.PRECONDITION_FAILED,
                "the head of branch `" + branch.name() + "` is " + (head == null ? "" : head + ", ") + "not " + expected
                        + "; read it again and retry",
                new ErrorDetail.PreconditionFailure(expected.toString(), head));
    }
}
