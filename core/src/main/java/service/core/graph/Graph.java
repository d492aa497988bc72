package service.core.graph;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import service.core.blob.ExternalBases;
import service.core.budget.NoWaiting;
import service.core.budget.ProcessBudget;
import service.core.budget.RequestBudget;
import service.core.graph.branch.BranchStatements;
import service.core.graph.branch.Branches;
import service.core.graph.branch.DiffSink;
import service.core.graph.branch.Diffs;
import service.core.graph.branch.MergeRequest;
import service.core.graph.branch.MergeResult;
import service.core.graph.branch.Merges;
import service.core.graph.check.RulesCache;
import service.core.graph.feed.BlockSink;
import service.core.graph.feed.ChangeFeed;
import service.core.graph.feed.ChangeSelection;
import service.core.graph.feed.FeedOutcome;
import service.core.graph.feed.FeedRequest;
import service.core.graph.feed.FeedStream;
import service.core.graph.load.LoadMode;
import service.core.graph.load.LoadResult;
import service.core.graph.load.Loads;
import service.core.graph.mutate.Mutations;
import service.core.graph.read.BlobCell;
import service.core.graph.read.Blobs;
import service.core.graph.read.Export;
import service.core.graph.read.Reads;
import service.core.graph.read.RowSink;
import service.core.graph.request.BriefCalls;
import service.core.graph.request.CommitRecord;
import service.core.graph.request.History;
import service.core.graph.request.MutationCall;
import service.core.graph.request.MutationResult;
import service.core.graph.request.Page;
import service.core.graph.request.QueryLanguage;
import service.core.graph.request.ReadTarget;
import service.core.graph.request.SchemaRecord;
import service.core.graph.request.Settings;
import service.core.graph.request.SnapshotRecord;
import service.core.graph.request.StoredQueries;
import service.core.graph.request.StoredQuery;
import service.core.graph.request.StoredQuerySource;
import service.core.graph.request.WriteTerms;
import service.core.graph.schema.MigrationResult;
import service.core.graph.schema.SchemaMigrations;
import service.core.graph.schema.SchemaRequest;
import service.core.port.Branch;
import service.core.port.GraphStorage;
import service.core.port.QueryExecutor;
import service.core.schema.migrate.DropApproval;
import service.core.schema.migrate.MigrationPlan;
import service.core.value.Value;

/**
 * One served graph: the facade over all use-cases, one class each. HTTP, MCP and the command line call it.
 *
 * <p>Every method throws {@code ServiceException} for faults that the caller can correct. Reads run on the calling
 * thread. Writes compile and decode on the calling thread, then wait in the writer's queue; their futures complete when
 * the outcome is durable, on the writer thread, so that their callbacks must be short.
 *
 * <p>Thread rule: any thread. The opener of the storage closes it.
 */
public final class Graph {
    private final String id;
    private final GraphStorage storage;
    private final Reads reads;
    private final Mutations mutations;
    private final Loads loads;
    private final Branches branches;
    private final Merges merges;
    private final Diffs diffs;
    private final History history;
    private final StoredQueries stored;
    private final Export export;
    private final Blobs blobs;
    private final ChangeFeed feed;
    private final Settings settings;
    private final ProcessBudget process;
    private final SchemaMigrations migrations;
    private final BriefCalls brief = new BriefCalls();

    /**
     * @param storage the graph's opened storage
     * @param stored sources of the stored queries of the applied revision
     * @param externalBlobs allowed bases of external blobs
     * @param engine shared by the graphs of the process
     */
    public Graph(
            String id,
            GraphStorage storage,
            List<StoredQuerySource> stored,
            ExternalBases externalBlobs,
            GraphEngine engine) {
        QueryExecutor executor = engine.executor();
        QueryLanguage language = engine.language();
        this.settings = engine.settings();
        this.process = engine.process();
        this.id = id;
        this.storage = storage;
        RulesCache rules = new RulesCache();
        this.blobs = new Blobs(storage, externalBlobs);
        this.stored = new StoredQueries(storage, language, stored);
        this.branches = new Branches(storage);
        this.merges = new Merges(storage, branches, rules);
        this.diffs = new Diffs(storage, engine.process());
        this.history = new History(storage);
        this.reads = new Reads(storage, executor, language, brief);
        this.mutations = new Mutations(
                storage,
                executor,
                language,
                rules,
                brief,
                blobs,
                new BranchStatements(storage, merges),
                engine.batchRecordsMax());
        this.loads = new Loads(storage, rules, blobs, engine.batchRecordsMax());
        this.export = new Export(storage);
        this.feed = new ChangeFeed(storage);
        this.migrations = new SchemaMigrations(storage);
    }

    public String id() {
        return id;
    }

    /**
     * Opens the budget of a request. The caller closes it when the answer is not needed any more.
     *
     * @param cancelled whether the caller is gone
     */
    public RequestBudget budget(BooleanSupplier cancelled) {
        return process.open(cancelled);
    }

    /** The process's settings; a request may lower them. */
    public Settings settings() {
        return settings;
    }

    /** Whether a write would be refused now because too many wait: to be asked before its body is read. */
    public boolean isWriterFull() {
        return storage.log().isFull();
    }

    /** Whether there is a stored query of that name that writes. Called at admission, so it must be fast. */
    public boolean isStoredMutation(String name) {
        return stored.isMutation(name);
    }

    /**
     * Whether a query or mutation of this source is known to keep its thread for microseconds only: a read of one
     * entity by a unique index, or a mutation, compiled before. False for what was not seen yet. Such a call may run on
     * a thread that must not wait, within {@link NoWaiting#call}: where it turns out to be long under the schema of its
     * branch, or would wait for storage, it is given up without an effect.
     */
    public boolean isBrief(String source, @Nullable String name) {
        return brief.isBrief(source, name);
    }

    /** {@link #isBrief} of a stored query. */
    public boolean isBriefStored(String name) {
        return stored.has(name) && brief.isBrief(stored.source(name), name);
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
        reads.run(target, source, name, params, settings, budget, sink);
    }

    /** Runs a stored read. */
    public void queryStored(
            ReadTarget target,
            String name,
            @Nullable ObjectNode params,
            Settings settings,
            RequestBudget budget,
            RowSink sink) {
        reads.run(target, stored.source(name), name, params, settings, budget, sink);
    }

    /** Runs a mutation. */
    public CompletableFuture<MutationResult> mutate(
            WriteTerms terms, MutationCall call, Settings settings, RequestBudget budget) {
        return mutations.run(terms, call, settings, budget);
    }

    /** Runs a stored mutation. */
    public CompletableFuture<MutationResult> mutateStored(
            WriteTerms terms,
            String branch,
            String name,
            @Nullable ObjectNode params,
            Settings settings,
            RequestBudget budget) {
        return mutations.runStored(
                terms, new MutationCall(branch, stored.source(name), name, params), settings, budget);
    }

    /** The stored queries of the applied cluster revision, by name, compiled against the schema of main's head. */
    public List<StoredQuery> storedQueries() {
        return stored.list();
    }

    /** The stored query of that name; NOT_FOUND when there is none. */
    public StoredQuery storedQuery(String name) {
        return stored.get(name);
    }

    /**
     * Loads NDJSON records as one commit, parsing them as they arrive.
     *
     * @param from create the branch from this one, in the same step, when it is missing; null to refuse
     */
    public CompletableFuture<LoadResult> load(
            WriteTerms terms,
            String branch,
            @Nullable String from,
            LoadMode mode,
            InputStream records,
            RequestBudget budget) {
        return loads.run(terms, branch, from, mode, records, budget);
    }

    public List<Branch> branches() {
        return branches.list();
    }

    public Branch branch(String name) {
        return branches.get(name);
    }

    public CompletableFuture<Branch> createBranch(@Nullable String actor, String name, String from) {
        return branches.create(actor, name, from);
    }

    /** Deletes a branch; returns it as it was. */
    public CompletableFuture<Branch> deleteBranch(@Nullable String actor, String name) {
        return branches.delete(actor, name);
    }

    /**
     * Merges a branch into another, on the calling thread.
     *
     * @throws service.core.error.ServiceException CONFLICT with every conflict, unless it is a dry run
     */
    public MergeResult merge(WriteTerms terms, MergeRequest request, Settings settings, RequestBudget budget) {
        return merges.run(terms, request, settings, budget);
    }

    /**
     * Passes on a page of the net entity changes between two states.
     *
     * @param from a branch or a commit id; null only with a token
     * @param to a branch or a commit id; null only with a token
     * @return the token of the next page, or null after the last
     */
    public @Nullable String diff(
            @Nullable String from,
            @Nullable String to,
            @Nullable String pageToken,
            ChangeSelection selection,
            Settings settings,
            RequestBudget budget,
            DiffSink sink) {
        return diffs.page(from, to, pageToken, selection, settings, budget, sink);
    }

    public SnapshotRecord snapshot(ReadTarget target) {
        return history.snapshot(target);
    }

    /**
     * The first-parent history of a branch, newest first.
     *
     * @param before a commit id, exclusive, or null for the head
     */
    public Page commits(String branch, int limit, @Nullable String before) {
        return history.commits(branch, limit, before);
    }

    /** The commits that a write of the actor under a key made: one or none. */
    public Page commitsOfKey(@Nullable String actor, String key, @Nullable String branch) {
        return history.commitsOfKey(actor, key, branch);
    }

    public CommitRecord commit(String id) {
        return history.commit(id);
    }

    public SchemaRecord schema(ReadTarget target) {
        return history.schema(target);
    }

    /**
     * Compares the schema of {@code main} with a desired one, on the calling thread. Writes nothing; refusals are part
     * of the plan.
     *
     * @param source the whole desired schema
     * @param approval the approved drops of types that still have entities
     */
    public MigrationPlan planSchema(String source, DropApproval approval, RequestBudget budget) {
        return migrations.plan(source, approval, budget);
    }

    /**
     * Changes the schema as one commit on {@code main}; blocks the calling thread until it is durable.
     *
     * @throws service.core.error.ServiceException CONFLICT when the migration is refused or other branches exist
     */
    public MigrationResult applySchema(SchemaRequest request, RequestBudget budget) {
        return migrations.apply(request, budget);
    }

    /**
     * Streams a state as NDJSON, nodes before edges, each by type name then id, at the speed of the stream, with
     * bounded memory.
     *
     * @param typeNames only these types; empty for all
     */
    public void export(ReadTarget target, List<String> typeNames, OutputStream into) {
        export.run(target, typeNames, into);
    }

    /**
     * Reads the value of a Blob property.
     *
     * @throws service.core.error.ServiceException BAD_REQUEST for a type or property that the schema does not have,
     *     NOT_FOUND for a missing entity or blob
     */
    public BlobCell blob(ReadTarget target, BlobCell.Address address) {
        return blobs.cell(target, address);
    }

    /** Copies bytes of a blob at the speed of the stream, with one piece of them in memory. */
    public void copyBlob(Value.ManagedBlob blob, long from, long length, OutputStream into) throws IOException {
        blobs.copy(blob, from, length, into);
    }

    /**
     * Passes on one page of a branch's change feed.
     *
     * @param sink takes the blocks, and decides when the page is full
     * @throws service.core.error.ServiceException CHANGE_FEED_GAP when cleanup has removed the first event, or the
     *     graph was restored to a state before the cursor
     */
    public FeedOutcome changes(FeedRequest request, BlockSink sink) {
        return feed.page(request, sink);
    }

    /**
     * Waits without a thread. Completes with true when the page's branch has moved on or is gone, with false when the
     * time is over. A caller that no longer waits completes it.
     */
    public CompletableFuture<Boolean> awaitNews(FeedOutcome page, Duration timeout) {
        return feed.news(page, timeout);
    }

    /** Passes on a branch's change feed without end, from the position in the request, which has no page token. */
    public FeedStream changeStream(FeedRequest request) {
        return feed.stream(request);
    }

    /**
     * Passes on a page of the changes of one commit relative to its first parent.
     *
     * @return the token of the next page, or null at the end
     */
    public @Nullable String commitChanges(
            String commitId, @Nullable String pageToken, ChangeSelection selection, Settings settings, BlockSink sink) {
        return feed.commitChanges(commitId, pageToken, selection, settings, sink);
    }

    /**
     * Streams the entities of a branch's head as {@link #export} does, then one line with the commit and a cursor. The
     * feed from the cursor has every later commit and no earlier one.
     */
    public void baseline(@Nullable String branch, ChangeSelection selection, OutputStream into) {
        feed.baseline(branch, selection, into);
    }
}
