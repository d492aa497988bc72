package service.core.graph;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.errorprone.annotations.MustBeClosed;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import service.core.budget.RequestBudget;
import service.core.event.Note;
import service.core.event.Origin;
import service.core.graph.branch.BranchStatements;
import service.core.graph.branch.DiffSink;
import service.core.graph.branch.DiffStates;
import service.core.graph.branch.MergeRequest;
import service.core.graph.branch.MergeResult;
import service.core.graph.branch.UndoRequest;
import service.core.graph.branch.UndoResult;
import service.core.graph.feed.BlockSink;
import service.core.graph.feed.ChangeSelection;
import service.core.graph.feed.FeedOutcome;
import service.core.graph.feed.FeedPoll;
import service.core.graph.feed.FeedRequest;
import service.core.graph.feed.FeedSink;
import service.core.graph.feed.FeedStream;
import service.core.graph.load.LoadMode;
import service.core.graph.load.LoadResult;
import service.core.graph.read.BlobCell;
import service.core.graph.read.Reads;
import service.core.graph.read.RowSink;
import service.core.graph.request.BranchRecord;
import service.core.graph.request.CommitQuery;
import service.core.graph.request.CommitRecord;
import service.core.graph.request.MutationCall;
import service.core.graph.request.MutationResult;
import service.core.graph.request.Page;
import service.core.graph.request.ReadTarget;
import service.core.graph.request.SchemaRecord;
import service.core.graph.request.Settings;
import service.core.graph.request.SnapshotRecord;
import service.core.graph.request.SourceWork;
import service.core.graph.request.StoredQueries;
import service.core.graph.request.StoredQuery;
import service.core.graph.request.TimeBudget;
import service.core.graph.request.WriteOptions;
import service.core.graph.request.WriteTerms;
import service.core.graph.schema.MigrationResult;
import service.core.graph.schema.SchemaRequest;
import service.core.graph.schema.UpgradeRequest;
import service.core.graph.schema.UpgradeResult;
import service.core.json.Int64Form;
import service.core.policy.Action;
import service.core.policy.Caller;
import service.core.port.Branch;
import service.core.schema.migrate.DropApproval;
import service.core.schema.migrate.MigrationPlan;
import service.core.value.Ulid;

/**
 * The use-cases of a graph for one caller. Each method decides first whether the caller may do its actions, then calls
 * the class of the use-case, which decides with the same caller what depends on the state: branches and commits that
 * the caller may not read do not exist for it (NOT_FOUND, see {@code Targets}), and three further actions have a right
 * of their own: a branch statement in a mutation, the creation of a branch by a load, and the deletion of the source
 * after a merge. Doors may ask {@link Caller#may} before, to refuse a request without reading its body.
 *
 * <p>Every method throws {@code ServiceException} for faults that the caller can correct: FORBIDDEN for a read that the
 * caller may do on no branch and for any other action that it may not do on the branch, and NOT_FOUND for a stored
 * query of a caller who may invoke none. Reads run on the calling thread. Writes compile and decode on the calling
 * thread, then wait in the writer's queue; their futures complete when the outcome is durable, on the writer thread, so
 * that their callbacks must be short.
 *
 * <p>Thread rule: any thread.
 */
public final class GraphAccess {
    private final Graph graph;
    private final Caller caller;

    GraphAccess(Graph graph, Caller caller) {
        this.graph = graph;
        this.caller = caller;
    }

    public String id() {
        return graph.id();
    }

    /** The graph, for what is no use-case. */
    public Graph graph() {
        return graph;
    }

    public Caller caller() {
        return caller;
    }

    /** The process's settings; a request may lower them. */
    public Settings settings() {
        return graph.settings();
    }

    /** {@link Graph#budget}. */
    public RequestBudget budget(BooleanSupplier cancelled) {
        return graph.budget(cancelled);
    }

    private void require(Action action) {
        caller.require(action, graph.id());
    }

    private void require(Action action, String branch) {
        caller.require(action, graph.id(), branch);
    }

    /** Refuses what {@link #export} refuses before its first byte, except a type. */
    public void requireExport(ReadTarget target) {
        require(Action.EXPORT);
        switch (target) {
            case ReadTarget.AtBranch at -> require(Action.EXPORT, at.branch());
            case ReadTarget.AtTime at -> require(Action.EXPORT, at.branch());
            case ReadTarget.AtSnapshot at ->
                require(Action.EXPORT, graph.history.branchOf(caller, Action.EXPORT, at.commitId()));
        }
    }

    /** The names of stored queries are hidden from a caller who may invoke none. */
    private void requireInvoke(String name) {
        if (!caller.may(Action.INVOKE_QUERY)) {
            throw StoredQueries.unknown(name);
        }
    }

    private WriteTerms terms(WriteOptions options) {
        return new WriteTerms(graph.id(), caller, options);
    }

    /**
     * Runs a read.
     *
     * @param source GQ text
     * @param name the query of the source to run; may be null when there is exactly one
     * @param params JSON object of arguments, or null
     */
    public void query(
            ReadTarget target,
            String source,
            @Nullable String name,
            @Nullable ObjectNode params,
            Settings settings,
            RequestBudget budget,
            RowSink sink) {
        require(Action.READ);
        graph.reads.run(caller, new Reads.Call(target, source, name, params), settings, budget, sink);
    }

    /** Runs a stored read. */
    public void queryStored(
            ReadTarget target,
            String name,
            @Nullable ObjectNode params,
            Settings settings,
            RequestBudget budget,
            RowSink sink) {
        requireInvoke(name);
        require(Action.READ);
        Reads.Call call = new Reads.Call(target, graph.stored.source(name, caller), name, params);
        graph.stored.read(name, target, () -> graph.reads.run(caller, call, settings, budget, sink));
    }

    /** Runs a mutation, or a branch statement, which needs the right of its own action instead of CHANGE. */
    public CompletableFuture<MutationResult> mutate(
            WriteOptions options, MutationCall call, Settings settings, RequestBudget budget) {
        if (!caller.may(Action.CHANGE, call.branch()) && !isBranchStatement(call, settings, budget)) {
            require(Action.CHANGE, call.branch());
        }
        return graph.newest.decide(budget, () -> graph.mutations.run(terms(options), call, settings, budget));
    }

    private static boolean isBranchStatement(MutationCall call, Settings settings, RequestBudget budget) {
        try (SourceWork work = new SourceWork(call.source(), settings, System.nanoTime(), budget)) {
            boolean is = BranchStatements.isStatement(call.source(), work);
            work.forgotten();
            return is;
        }
    }

    /** Runs a stored mutation. */
    public CompletableFuture<MutationResult> mutateStored(
            WriteOptions options,
            String branch,
            String name,
            @Nullable ObjectNode params,
            Settings settings,
            RequestBudget budget) {
        requireInvoke(name);
        require(Action.CHANGE, branch);
        MutationCall call = new MutationCall(branch, graph.stored.source(name, caller), name, params);
        return graph.newest.decide(
                budget,
                () -> graph.stored.mutate(
                        name, branch, () -> graph.mutations.runStored(terms(options), call, settings, budget)));
    }

    /**
     * The stored queries of the applied cluster revision that the caller may run, by name, compiled against the schema
     * of main's head.
     */
    public List<StoredQuery> storedQueries() {
        require(Action.INVOKE_QUERY);
        return graph.stored.list().stream()
                .filter(query -> caller.may(graph.stored.bodyAction(query.name())))
                .toList();
    }

    /** The stored query of that name; NOT_FOUND when there is none. The caller may also do what its body does. */
    public StoredQuery storedQuery(String name) {
        requireInvoke(name);
        StoredQuery query = graph.stored.get(name, caller);
        require(graph.stored.bodyAction(name));
        return query;
    }

    /**
     * Loads NDJSON records as one commit, parsing them as they arrive.
     *
     * @param from create the branch from this ref, in the same step, when it is missing; null to refuse
     */
    public CompletableFuture<LoadResult> load(
            WriteOptions options,
            String branch,
            @Nullable String from,
            LoadMode mode,
            InputStream records,
            RequestBudget budget) {
        require(Action.CHANGE, branch);
        return graph.atNewest(budget).loads.run(terms(options), branch, from, mode, records, budget);
    }

    /** The branches that the caller may read. */
    public List<BranchRecord> branches() {
        require(Action.READ);
        return graph.branches.list(caller);
    }

    public BranchRecord branch(String name) {
        require(Action.READ);
        return graph.branches.get(caller, name);
    }

    /** The branch, which may not exist, or the id of the commit that a ref names as the base of a new branch. */
    public String base(String name, String ref, RequestBudget budget) {
        require(Action.BRANCH_CREATE, name);
        return graph.atNewest(budget).branches.named(caller, ref, TimeBudget.ofRef(settings(), budget));
    }

    /** Creates a branch from the head of another, or from a commit that is given by its id. */
    public CompletableFuture<BranchRecord> createBranch(String name, String from, @Nullable Note note) {
        require(Action.BRANCH_CREATE, name);
        return graph.branches.create(terms(WriteOptions.of(note)), name, from);
    }

    /** Deletes a branch; returns it as it was. */
    public CompletableFuture<BranchRecord> deleteBranch(String name, @Nullable Note note) {
        require(Action.BRANCH_DELETE, name);
        return graph.branches.delete(terms(WriteOptions.of(note)), name);
    }

    /**
     * Merges, on the calling thread; CONFLICT with every conflict. The source stays if the caller may not delete it.
     */
    public MergeResult merge(WriteOptions options, MergeRequest request, Settings settings, RequestBudget budget) {
        require(Action.BRANCH_MERGE, request.target());
        return graph.atNewest(budget).merges.run(terms(options), request, settings, budget);
    }

    /** Reverts, restores or picks a commit, on the calling thread; CONFLICT as for {@link #merge}. */
    public UndoResult undo(WriteOptions options, UndoRequest request, RequestBudget budget) {
        require(Action.CHANGE, request.branch());
        return graph.atNewest(budget).undo.run(terms(options), request, settings(), budget);
    }

    /**
     * Passes on a page of the net entity changes between two states.
     *
     * @param states what to compare; its names are null only with a token
     * @return the token of the next page, or null after the last
     */
    public @Nullable String diff(
            DiffStates states,
            @Nullable String pageToken,
            ChangeSelection selection,
            Settings settings,
            RequestBudget budget,
            DiffSink sink) {
        require(Action.READ);
        return graph.diffs.page(caller, states, pageToken, selection, settings, budget, sink);
    }

    public SnapshotRecord snapshot(ReadTarget target) {
        require(Action.READ);
        return graph.history.snapshot(caller, target);
    }

    /** The first-parent history of a branch before a commit id, or from the head where it is null, newest first. */
    public Page commits(String branch, int limit, @Nullable String before) {
        return graph.logOf(caller).commits(CommitQuery.of(branch, limit, before), TimeBudget.none("the list"));
    }

    /** The commits that a write of the caller under a key made: one or none. */
    public Page commitsOfKey(String key, @Nullable String branch) {
        require(Action.READ);
        return graph.history.commitsOfKey(caller, key, branch);
    }

    /** The id of the commit that a ref names now ({@code docs/command-line.md}); a whole id as it is. */
    public String commitId(String ref, RequestBudget budget) {
        if (Ulid.isUlid(ref)) {
            return ref;
        }
        require(Action.READ);
        return graph.history.commitId(caller, ref, TimeBudget.ofRef(settings(), budget));
    }

    public CommitRecord commit(String id) {
        require(Action.READ);
        return graph.history.commit(caller, id);
    }

    public SchemaRecord schema(ReadTarget target) {
        require(Action.READ);
        return graph.history.schema(caller, target);
    }

    /** Compares the schema of {@code main} with a desired one, on the calling thread; the plan has its refusals. */
    public MigrationPlan planSchema(String source, DropApproval approval, RequestBudget budget) {
        require(Action.READ, Branch.MAIN);
        return graph.migrations.plan(source, approval, budget);
    }

    /** Changes the schema as one commit on {@code main}; CONFLICT when it is refused. */
    public MigrationResult applySchema(SchemaRequest request, RequestBudget budget) {
        require(Action.SCHEMA_APPLY, Branch.MAIN);
        return graph.atNewest(budget).migrations.apply(new Origin(caller.actor(), request.note()), request, budget);
    }

    /** Gives a branch the schema of {@code main}, as one commit; CONFLICT when data of the branch does not fit. */
    public UpgradeResult upgrade(WriteOptions options, UpgradeRequest request, RequestBudget budget) {
        require(Action.SCHEMA_APPLY, request.branch());
        return graph.atNewest(budget).migrations.upgrade(terms(options), request, budget);
    }

    /**
     * Streams a state as NDJSON, nodes before edges, each by type name then id, at the speed of the stream, with
     * bounded memory; only the named types, or all for none.
     */
    public void export(
            ReadTarget target, List<String> typeNames, Int64Form int64, RequestBudget budget, OutputStream into) {
        requireExport(target);
        graph.export.run(caller, target, typeNames, int64, budget, into);
    }

    /** Streams a state as {@link #export} does, as tables: an Arrow stream for each type, one after the other. */
    public void exportTables(ReadTarget target, List<String> typeNames, RequestBudget budget, OutputStream into) {
        requireExport(target);
        graph.export.tables(caller, target, typeNames, budget, into);
    }

    /** Reads a Blob property; BAD_REQUEST where the schema has none such, NOT_FOUND for a missing entity or blob. */
    public BlobCell blob(ReadTarget target, BlobCell.Address address) {
        require(Action.READ);
        return graph.blobs.cell(caller, target, address);
    }

    /** Copies bytes of a blob at the speed of the stream, with one piece of them in memory. */
    public void copyBlob(BlobCell.Managed cell, long from, long length, OutputStream into) throws IOException {
        require(Action.READ);
        graph.blobs.copy(cell, from, length, into);
    }

    /**
     * The poll of one page of a branch's change feed; the caller must close it.
     *
     * @throws service.core.error.ServiceException CHANGE_FEED_GAP when the graph was restored to a state before the
     *     cursor
     */
    @MustBeClosed
    public FeedPoll openChanges(FeedRequest request) {
        require(Action.READ);
        return graph.feed.open(caller, request);
    }

    /**
     * Completes with true when the page's branch has moved on or is gone; a caller that no longer waits completes it.
     */
    public CompletableFuture<Boolean> awaitNews(FeedOutcome page) {
        require(Action.READ);
        return graph.feed.news(page.incarnation(), page.headOffset());
    }

    /**
     * Waits without a thread until this process has a commit. A commit that the caller may not read counts as missing.
     * A caller that no longer waits completes the future.
     *
     * @return completed with true when the commit is there; completes with true when it arrives, and with false when
     *     the time is over
     */
    public CompletableFuture<Boolean> awaitCommit(Ulid commit, Duration timeout) {
        require(Action.READ);
        return graph.feed.arrival(caller, commit, timeout);
    }

    /** Passes on a branch's change feed without end, from the position in the request, which has no page token. */
    public FeedStream changeStream(FeedRequest request, FeedSink sink) {
        require(Action.READ);
        return graph.feed.stream(caller, request, sink);
    }

    /**
     * Passes on a page of the changes of one commit relative to its first parent.
     *
     * @return the token of the next page, or null at the end
     */
    public @Nullable String commitChanges(
            String commitId, @Nullable String pageToken, ChangeSelection selection, Settings settings, BlockSink sink) {
        require(Action.READ);
        return graph.feed.commitChanges(caller, commitId, pageToken, selection, settings, sink);
    }

    /**
     * Streams the entities of a branch's head as {@link #export} does, then one line with the commit and a cursor. The
     * feed from the cursor has every later commit and no earlier one.
     */
    public void baseline(
            @Nullable String branch,
            ChangeSelection selection,
            Int64Form int64,
            RequestBudget budget,
            OutputStream into) {
        require(Action.READ);
        graph.feed.baseline(caller, branch, selection, int64, budget, into);
    }
}
