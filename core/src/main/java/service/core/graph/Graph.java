package service.core.graph;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import service.core.budget.NoWaiting;
import service.core.budget.ProcessBudget;
import service.core.budget.RequestBudget;
import service.core.gq.QueryCompiler;
import service.core.graph.branch.BranchStatements;
import service.core.graph.branch.Branches;
import service.core.graph.branch.CommitSearch;
import service.core.graph.branch.Diffs;
import service.core.graph.branch.EntityHistory;
import service.core.graph.branch.Merges;
import service.core.graph.branch.Tags;
import service.core.graph.branch.Undo;
import service.core.graph.check.GraphWriter;
import service.core.graph.check.RulesCache;
import service.core.graph.feed.ChangeFeed;
import service.core.graph.load.Loads;
import service.core.graph.mutate.Mutations;
import service.core.graph.read.Blobs;
import service.core.graph.read.Embeddings;
import service.core.graph.read.Export;
import service.core.graph.read.Reads;
import service.core.graph.read.SearchIndexes;
import service.core.graph.request.BriefCalls;
import service.core.graph.request.History;
import service.core.graph.request.Moves;
import service.core.graph.request.NewestState;
import service.core.graph.request.RefusingLog;
import service.core.graph.request.Settings;
import service.core.graph.request.StoredQueries;
import service.core.graph.request.StoredQuerySource;
import service.core.graph.schema.SchemaMigrations;
import service.core.policy.Caller;
import service.core.port.CommitLog;
import service.core.port.EmbeddingSource;
import service.core.port.FollowLag;
import service.core.port.GraphRules;
import service.core.port.GraphStorage;
import service.core.port.QueryExecutor;
import service.core.port.StorageGauges;
import service.core.port.WritableGraphStorage;

/**
 * One served graph. HTTP, MCP and the command line call its use-cases through {@link #as}, one class each.
 *
 * <p>Thread rule: any thread. The opener of the storage closes it.
 */
public final class Graph {
    private final String id;
    private final GraphStorage storage;
    private final CommitLog log;
    final Reads reads;
    final Mutations mutations;
    final Loads loads;
    final Branches branches;
    final Tags tags;
    final EntityHistory entities;
    final Merges merges;
    final Undo undo;
    final Diffs diffs;
    final History history;
    final Moves moves;
    final CommitSearch search;
    final SearchIndexes indexes;
    final StoredQueries stored;
    final Export export;
    final Embeddings embeddings;
    final Blobs blobs;
    final ChangeFeed feed;
    final NewestState newest;
    private final Settings settings;
    private final ProcessBudget process;
    final SchemaMigrations migrations;
    private final BriefCalls brief = new BriefCalls();
    private final AtomicReference<@Nullable String> damage = new AtomicReference<>();

    /**
     * @param storage the graph's opened storage
     * @param stored sources of the stored queries of the applied revision
     * @param rules what the cluster declares for the graph
     * @param engine shared by the graphs of the process
     */
    public Graph(
            String id, GraphStorage storage, List<StoredQuerySource> stored, GraphRules rules, GraphEngine engine) {
        QueryExecutor executor = engine.executor();
        QueryCompiler compiler = engine.compiler();
        this.settings = engine.settings();
        this.process = engine.process();
        this.id = id;
        this.storage = storage;
        this.log = storage instanceof WritableGraphStorage writable ? writable.log() : new RefusingLog(id);
        GraphWriter writer = new GraphWriter(storage, log, new RulesCache(), engine.batchRecordsMax());
        this.blobs = new Blobs(storage, rules.externalBlobs());
        this.stored = new StoredQueries(storage, compiler, stored);
        this.branches = new Branches(storage, log);
        this.tags = new Tags(storage, log);
        this.entities = new EntityHistory(storage);
        this.merges = new Merges(writer, branches, rules.fastForwards());
        this.undo = new Undo(writer);
        this.diffs = new Diffs(storage, engine.process());
        this.history = new History(storage);
        this.moves = new Moves(storage);
        this.search = new CommitSearch(storage);
        this.indexes = new SearchIndexes(storage);
        EmbeddingSource source = rules.embeddings();
        this.embeddings =
                new Embeddings(source == null ? null : engine.embedders().of(source));
        this.reads = new Reads(storage, executor, compiler, brief, embeddings);
        this.mutations = new Mutations(
                writer, executor, compiler, brief, blobs, new BranchStatements(log, branches, merges, undo));
        this.loads = new Loads(writer, blobs, branches, settings);
        this.export = new Export(storage);
        this.feed = new ChangeFeed(storage, engine.pages());
        this.migrations = new SchemaMigrations(storage, log);
        this.newest = new NewestState(storage);
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

    /** Marks this graph as damaged until it is opened again. Only the first finding is kept. */
    public void markDamaged(String finding) {
        damage.compareAndSet(null, finding);
    }

    /** {@link GraphStorage#damageIn}. */
    public @Nullable String damageIn(Throwable failure) {
        return storage.damageIn(failure);
    }

    /** The first damage that a request has met since the graph was opened, or that its storage reports; or null. */
    public @Nullable String damage() {
        String met = damage.get();
        return met == null ? storage.damage() : met;
    }

    /** {@link GraphStorage#detached}: why the graph is not written any more, though it is open; or null. */
    public @Nullable String detached() {
        return storage.detached();
    }

    /** The process's settings; a request may lower them. */
    public Settings settings() {
        return settings;
    }

    /** How far this process is behind the one that writes the graph; null when this process writes it. */
    public @Nullable FollowLag lag() {
        return storage.lag();
    }

    /**
     * Whether a write would be refused now because too many wait: to be asked before its body is read.
     *
     * @throws service.core.error.ServiceException CONFLICT in a process that only reads the graph
     */
    public boolean isWriterFull() {
        return log.isFull();
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

    /** {@link GraphStorage#isStoreSilent}. */
    public boolean isStoreSilent() {
        return storage.isStoreSilent();
    }

    /** {@link GraphStorage#isShared}. */
    public boolean isShared() {
        return storage.isShared();
    }

    /** This graph, when its sessions show everything that was committed before, by any process. May block. */
    Graph atNewest(RequestBudget budget) {
        newest.await(budget);
        return this;
    }

    /**
     * Waits without a thread until reads show everything that was committed, by any process, at some moment after this
     * call.
     *
     * @return completes with true when they do; with false when the store does not answer or the time is over
     */
    public CompletableFuture<Boolean> awaitNewest(Duration timeout) {
        CompletableFuture<Boolean> newest =
                storage.awaitTail(System.nanoTime()).handle((offset, failure) -> failure == null);
        return newest.isDone() ? newest : newest.completeOnTimeout(false, timeout.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** {@link GraphStorage#gauges}. */
    public @Nullable StorageGauges gauges() {
        return storage.gauges();
    }

    /** {@link ChangeFeed#lag}. */
    public Map<String, Long> feedLag() {
        return feed.lag();
    }

    /** What the log of the graph says to one caller. */
    public LogAccess logOf(Caller caller) {
        return new LogAccess(this, caller);
    }

    /** The graph for one caller: every use-case, with all decisions on what the caller may do. */
    public GraphAccess as(Caller caller) {
        return new GraphAccess(this, caller);
    }

    /** The search indexes of the graph for one caller. */
    public SearchAccess searchFor(Caller caller) {
        return new SearchAccess(this, caller);
    }

    /** The past of the graph for one caller. */
    public HistoryAccess pastFor(Caller caller) {
        return new HistoryAccess(this, caller);
    }
}
