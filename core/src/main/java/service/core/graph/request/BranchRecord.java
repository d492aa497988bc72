package service.core.graph.request;

import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.event.Fork;
import service.core.policy.Action;
import service.core.policy.Caller;
import service.core.port.Branch;
import service.core.port.GraphSession;
import service.core.value.Ulid;

/**
 * A branch as a caller sees it ({@code docs/http.md}, Records).
 *
 * @param parent the branch that it was created from; null for main, and where the caller may not read that branch
 * @param forkCommit the head of the parent when it was created; null for main
 * @param createdMicros microseconds since 1970
 * @param isProtected whether the policy of the graph protects it
 */
public record BranchRecord(
        String name,
        Ulid head,
        @Nullable String parent,
        @Nullable Ulid forkCommit,
        long createdMicros,
        @Nullable String createdBy,
        boolean isProtected) {
    /** The live branches that the caller may read, by name. */
    public static List<BranchRecord> visible(GraphSession session, Caller caller) {
        return session.branches().stream()
                .filter(branch -> caller.may(Action.READ, branch.name()))
                .map(branch -> of(branch, caller))
                .toList();
    }

    public static BranchRecord of(Branch branch, Caller caller) {
        Fork fork = branch.fork();
        return new BranchRecord(
                branch.name(),
                branch.head(),
                fork != null && caller.may(Action.READ, fork.parentName()) ? fork.parentName() : null,
                fork == null ? null : fork.commit(),
                branch.createdMicros(),
                branch.createdBy(),
                caller.isProtected(branch.name()));
    }
}
