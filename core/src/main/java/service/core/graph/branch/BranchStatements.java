package service.core.graph.branch;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import service.core.budget.RequestBudget;
import service.core.event.CommitKind;
import service.core.gq.CompiledSource;
import service.core.gq.GqCompiler;
import service.core.gq.UndoStatement;
import service.core.graph.request.BranchOperation;
import service.core.graph.request.CommitRecord;
import service.core.graph.request.LeftOut;
import service.core.graph.request.MutationResult;
import service.core.graph.request.Settings;
import service.core.graph.request.SourceWork;
import service.core.graph.request.Targets;
import service.core.graph.request.TimeBudget;
import service.core.graph.request.WriteKey;
import service.core.graph.request.WriteTerms;
import service.core.policy.Action;
import service.core.policy.Caller;
import service.core.port.Branch;
import service.core.port.CommitLog;
import service.core.port.WriteCommand;
import service.core.port.WriteSession;
import service.core.value.Ulid;

/**
 * Runs {@code branch create}, {@code delete}, {@code merge} and {@code restore}, and {@code commit revert} and
 * {@code pick}, as mutations. A condition is compared with the head of the branch that the statement starts from: the
 * base of a new branch, which may be a commit, the branch that is deleted, the target of a merge.
 */
public final class BranchStatements {
    private static final String CREATED = "created";
    private static final String DELETED = "deleted";
    static final String MERGED = "merged";
    static final String MERGE = "branch merge";

    private final CommitLog log;
    private final Branches branches;
    private final Merges merges;
    private final Undo undo;

    /** @param log takes the writes */
    public BranchStatements(CommitLog log, Branches branches, Merges merges, Undo undo) {
        this.log = log;
        this.branches = branches;
        this.merges = merges;
        this.undo = undo;
    }

    /**
     * A mutation request that may be a branch statement.
     *
     * @param branch the request's branch, which the answer names
     */
    public record Statement(
            WriteTerms terms,
            String branch,
            Settings settings,
            RequestBudget budget,
            @Nullable Ulid condition,
            @Nullable WriteKey<MutationResult> key) {}

    /** Whether a source asks for a branch statement that writes; false where it is not correct. */
    public static boolean isStatement(String source, SourceWork work) {
        return GqCompiler.changesBranches(source, work);
    }

    /** Runs a branch statement that writes; null for any other request. */
    public @Nullable CompletableFuture<MutationResult> run(Statement statement, CompiledSource source) {
        return switch (source.request()) {
            case CompiledSource.Request.BranchCreate create -> create(statement, create);
            case CompiledSource.Request.BranchDelete delete -> delete(statement, delete.branch());
            case CompiledSource.Request.BranchMerge merge -> merge(statement, merge, source);
            case CompiledSource.Request.Undo of -> undo(statement, of, source);
            case CompiledSource.Request.Query ignored -> null;
            case CompiledSource.Request.Explain ignored -> null;
            case CompiledSource.Request.BranchList ignored -> null;
            case CompiledSource.Request.BranchShow ignored -> null;
            case CompiledSource.Request.ShowSettings ignored -> null;
        };
    }

    private CompletableFuture<MutationResult> create(Statement statement, CompiledSource.Request.BranchCreate create) {
        statement.terms.require(Action.BRANCH_CREATE, create.branch());
        Branches.checkName(create.branch());
        Caller caller = statement.terms.caller();
        String from = create.from() == null
                ? Branch.MAIN
                : branches.named(caller, create.from(), TimeBudget.ofRef(statement.settings, statement.budget));
        return submit(statement, new BranchOperation(CREATED, create.branch(), null, null, null), session -> {
            WriteCommand.Draft.CreateBranch draft =
                    Branches.createDraft(session, statement.terms, create.branch(), from);
            return new Decided(draft, draft.from());
        });
    }

    private CompletableFuture<MutationResult> delete(Statement statement, String name) {
        statement.terms.require(Action.BRANCH_DELETE, name);
        return submit(statement, new BranchOperation(DELETED, name, null, null, null), session -> {
            WriteCommand.Draft.DeleteBranch draft =
                    Branches.deleteDraft(session, statement.terms.caller(), name, statement.terms.origin());
            return new Decided(draft, draft.branch());
        });
    }

    /**
     * An operation that may be written.
     *
     * @param compared the branch whose head the condition names
     */
    private record Decided(WriteCommand.Draft draft, Branch compared) {}

    /** Writes an operation once. */
    private CompletableFuture<MutationResult> submit(
            Statement statement, BranchOperation operation, Function<WriteSession, Decided> decide) {
        return log.submit(session -> WriteKey.once(statement.key, session, () -> {
            // The draft first: it refuses a base that the caller may not read.
            Decided decided = decide.apply(session);
            Targets.checkCondition(decided.compared, statement.condition, statement.terms.caller());
            return written(statement, operation, decided.draft);
        }));
    }

    /** The event of the operation and, with a key, a second one that remembers it. */
    private static WriteCommand.Decision<MutationResult> written(
            Statement statement, BranchOperation operation, WriteCommand.Draft draft) {
        MutationResult result = result(statement, operation, 0, 0, null, false);
        WriteKey<MutationResult> key = statement.key;
        return key == null
                ? new WriteCommand.Decision.Append<>(draft, event -> result)
                : new WriteCommand.Decision.AppendPair<>(
                        draft, session -> key.remember(Targets.main(session), result), event -> result);
    }

    private CompletableFuture<MutationResult> merge(
            Statement statement, CompiledSource.Request.BranchMerge merge, CompiledSource source) {
        String target = merge.target() == null ? Branch.MAIN : merge.target();
        statement.terms.require(Action.BRANCH_MERGE, target);
        MergeResult merged = merges.run(
                statement.terms,
                MergeRequest.of(merge.source(), target),
                statement.settings.withFile(source.settings()),
                statement.budget,
                statement);
        return answer(statement, MERGED, merged, null);
    }

    private CompletableFuture<MutationResult> undo(
            Statement statement, CompiledSource.Request.Undo request, CompiledSource source) {
        String branch = request.branch() == null ? Branch.MAIN : request.branch();
        statement.terms.require(Action.CHANGE, branch);
        Settings settings = statement.settings.withFile(source.settings());
        CommitKind kind = switch (request.statement()) {
            case REVERT -> CommitKind.REVERT;
            case PICK -> CommitKind.PICK;
            case RESTORE -> CommitKind.RESTORE;
        };
        String done = request.statement().done();
        UndoReceipts receipts =
                new UndoReceipts(statement.branch, request.statement().words(), done);
        UndoResult undone = undo.run(
                statement.terms,
                new UndoRequest(kind, request.ref(), branch, settings.mergesProperties(), false, List.of()),
                settings,
                statement.budget,
                statement.key == null ? null : statement.key.with(receipts));
        return answer(statement, done, undone.merged(), undone.leftOut());
    }

    private static CompletableFuture<MutationResult> answer(
            Statement statement, String done, MergeResult merged, @Nullable List<LeftOut> leftOut) {
        BranchOperation operation = new BranchOperation(
                done, null, merged.branches().source(), merged.branches().target(), merged.outcome(), leftOut);
        return CompletableFuture.completedFuture(result(
                statement,
                operation,
                merged.counts().nodes(),
                merged.counts().edges(),
                merged.commit(),
                merged.replayed()));
    }

    private static String queryName(BranchOperation operation) {
        return switch (operation.kind()) {
            case CREATED -> "branch create";
            case DELETED -> "branch delete";
            default -> {
                UndoStatement undone = UndoStatement.ofDone(operation.kind());
                yield undone == null ? MERGE : undone.words();
            }
        };
    }

    private static MutationResult result(
            Statement statement,
            BranchOperation operation,
            int nodes,
            int edges,
            @Nullable CommitRecord commit,
            boolean replayed) {
        return new MutationResult(
                statement.branch,
                queryName(operation),
                nodes,
                edges,
                statement.terms.actor(),
                commit,
                operation,
                replayed);
    }
}
