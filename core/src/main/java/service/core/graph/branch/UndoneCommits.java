package service.core.graph.branch;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.event.CommitHeader;
import service.core.event.CommitKind;
import service.core.graph.request.CommitRefs;
import service.core.graph.request.TimeBudget;
import service.core.policy.Caller;
import service.core.port.GraphSession;
import service.core.value.Ulid;

/**
 * The commits that a request to revert, restore or pick names.
 *
 * @param commit the one that its ref names; of a range the last one
 * @param since the commit before the first one, whose state is the one before all; null for a restore
 * @param isRange whether the ref was a range
 */
record UndoneCommits(CommitHeader commit, @Nullable CommitHeader since, boolean isRange) {
    private static final String RANGE = "..";

    static UndoneCommits find(GraphSession session, UndoRequest undo, Caller caller, TimeBudget time) {
        int dots = undo.kind() == CommitKind.REVERT ? undo.ref().indexOf(RANGE) : -1;
        if (dots >= 0) {
            CommitHeader since = CommitRefs.resolve(session, undo.ref().substring(0, dots), caller, time);
            CommitHeader last = CommitRefs.resolve(session, undo.ref().substring(dots + RANGE.length()), caller, time);
            requireLine(session, undo.ref(), since, last, time);
            return new UndoneCommits(last, since, true);
        }
        CommitHeader commit = CommitRefs.resolve(session, undo.ref(), caller, time);
        if (undo.kind() == CommitKind.RESTORE) {
            return new UndoneCommits(commit, null, false);
        }
        Ulid parent = commit.parent();
        if (parent == null || commit.kind() == CommitKind.SCHEMA) {
            throw ServiceException.badRequest("commit `" + commit.id() + "` "
                    + (parent == null ? "is the first one of the graph" : "changes the schema alone")
                    + " and cannot be " + (undo.kind() == CommitKind.PICK ? "picked" : "reverted")
                    + ": " + (parent == null ? "name a later commit" : "apply the schema that you want"));
        }
        CommitHeader before = session.header(Objects.requireNonNull(session.position(parent), "the parent of a commit")
                .offset());
        return new UndoneCommits(commit, before, false);
    }

    private static void requireLine(
            GraphSession session, String ref, CommitHeader since, CommitHeader last, TimeBudget time) {
        CommitGraph graph = new CommitGraph(session, time);
        if (!graph.isFirstParentAncestor(graph.place(since.id()), graph.place(last.id()))) {
            throw ServiceException.badRequest("`" + ref + "`: commit " + since.id() + " does not come before "
                    + last.id() + " along first parents; give the earlier commit first");
        }
    }

    /** The refusal of a state or of changes that cleanup has reclaimed. */
    ServiceException reclaimed() {
        return new ServiceException(
                ErrorCode.SNAPSHOT_RECLAIMED,
                "cleanup has reclaimed what commit `" + commit.id() + "` changed: name a later commit");
    }
}
