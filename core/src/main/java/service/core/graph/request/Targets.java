package service.core.graph.request;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import service.core.error.ErrorCode;
import service.core.error.ErrorDetail;
import service.core.error.ServiceException;
import service.core.error.Suggestion;
import service.core.port.Branch;
import service.core.port.BranchMove;
import service.core.port.CommitPosition;
import service.core.port.GraphSession;
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

    public static Resolved resolve(GraphSession session, ReadTarget target) {
        return switch (target) {
            case ReadTarget.AtBranch at -> {
                Branch branch = branch(session, at.branch());
                yield new Resolved(branch.headPoint(), branch.head(), branch);
            }
            case ReadTarget.AtSnapshot at -> {
                CommitPosition position = position(session, at.commitId());
                yield new Resolved(position.point(), Ulid.parse(at.commitId()), null);
            }
            case ReadTarget.AtTime at -> {
                Branch branch = branch(session, at.branch());
                BranchMove move = session.moveAsOf(at.branch(), at.micros());
                if (move == null) {
                    throw beforeFirst(session, at);
                }
                yield new Resolved(move.point(), move.head(), branch);
            }
        };
    }

    private static ServiceException beforeFirst(GraphSession session, ReadTarget.AtTime at) {
        BranchMove first = Objects.requireNonNull(session.firstMove(at.branch()));
        return ServiceException.notFound("branch `"
                + at.branch()
                + "` pointed to no commit at "
                + at.time()
                + "; the first that it pointed to is "
                + first.head()
                + ", from "
                + CalendarText.micros(first.timeMicros())
                + " on");
    }

    /** The live branch of that name. */
    public static Branch branch(GraphSession session, String name) {
        Branch branch = session.branch(name);
        if (branch == null) {
            List<String> names = session.branchNamesAround(name, NAMES_COMPARED_MAX);
            String meant = Suggestion.didYouMean(name, names);
            throw ServiceException.notFound(
                    "branch `" + name + "` does not exist" + (meant == null ? "" : "; " + meant));
        }
        return branch;
    }

    public static CommitPosition position(GraphSession session, String commitId) {
        CommitPosition position = Ulid.isUlid(commitId) ? session.position(Ulid.parse(commitId)) : null;
        if (position == null) {
            throw ServiceException.notFound("commit `" + commitId + "` does not exist in this graph");
        }
        return position;
    }

    /** The condition of a conditional write as a commit id; null when there is none. */
    public static @Nullable Ulid condition(@Nullable String condition) {
        if (condition != null && !Ulid.isUlid(condition)) {
            throw ServiceException.badRequest("the condition must be one commit id (a ULID), not `" + condition + "`");
        }
        return condition == null ? null : Ulid.parse(condition);
    }

    /** Throws PRECONDITION_FAILED unless the head of the branch is the expected commit. */
    public static void checkCondition(Branch branch, @Nullable Ulid expected) {
        if (expected != null && !expected.equals(branch.head())) {
            throw new ServiceException(
                    ErrorCode.PRECONDITION_FAILED,
                    "the head of branch `"
                            + branch.name()
                            + "` is "
                            + branch.head()
                            + ", not "
                            + expected
                            + "; read it again and retry",
                    new ErrorDetail.PreconditionFailure(
                            expected.toString(), branch.head().toString()));
        }
    }
}
