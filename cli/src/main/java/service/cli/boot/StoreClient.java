package service.cli.boot;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import service.cli.client.CommandFailure;
import service.cli.client.GraphClient;
import service.core.budget.RequestBudget;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.gq.plan.Plan;
import service.core.graph.GraphAccess;
import service.core.graph.branch.DiffStates;
import service.core.graph.branch.MergeRequest;
import service.core.graph.branch.MergeResult;
import service.core.graph.branch.ResolutionJson;
import service.core.graph.feed.ChangeSelection;
import service.core.graph.feed.FeedOutcome;
import service.core.graph.feed.FeedRequest;
import service.core.graph.load.LoadMode;
import service.core.graph.read.BlobCell;
import service.core.graph.request.BranchRecord;
import service.core.graph.request.MutationCall;
import service.core.graph.request.ReadTarget;
import service.core.graph.request.Settings;
import service.core.graph.request.StoredQuery;
import service.core.graph.request.WriteOptions;
import service.core.json.Json;
import service.core.json.JsonWriter;
import service.core.policy.Caller;
import service.core.wire.DiffPage;
import service.core.wire.FeedPage;
import service.core.wire.QueryResponse;
import service.core.wire.WireRecords;

/** A graph on this machine, opened for one command; answers with the JSON that a server would send. */
public final class StoreClient implements GraphClient {
    private static final String MAIN = "main";

    private final OpenedGraph opened;
    private final boolean ofCluster;
    private final boolean writable;
    private final GraphAccess graph;
    private volatile boolean cancelled;

    /** The future that a long poll waits for; null without a poll. */
    private volatile @Nullable CompletableFuture<Boolean> awaited;

    private StoreClient(OpenedGraph opened, boolean ofCluster, boolean writable, Caller caller) {
        this.opened = opened;
        this.ofCluster = ofCluster;
        this.writable = writable;
        this.graph = opened.graph().as(caller);
    }

    /**
     * Opens a graph for reading; a server may be writing to it meanwhile. The applied policy decides for a named actor.
     * Without one everything can be read: a user who can open the directory has its files.
     */
    public static StoreClient reading(GraphDirectory directory, @Nullable String actor) {
        Caller caller = actor == null ? Caller.unrestricted(null) : directory.caller(actor);
        return new StoreClient(
                OpenedGraph.reading(directory, Engine.ofProcess()), directory.isOfCluster(), false, caller);
    }

    /** Opens a graph for writing, which takes its writer lock. */
    public static StoreClient writing(GraphDirectory directory, @Nullable String actor) {
        Caller caller = directory.caller(actor);
        return new StoreClient(
                OpenedGraph.writing(directory, Engine.ofProcess()), directory.isOfCluster(), true, caller);
    }

    @Override
    public ObjectNode query(ObjectNode body) {
        Request request = new Request(body);
        return read((response, budget) -> graph().query(
                        request.target(),
                        request.required("query"),
                        request.text("name"),
                        request.params(),
                        request.settings(graph().settings()),
                        budget,
                        response));
    }

    private ObjectNode read(BiConsumer<QueryResponse, RequestBudget> run) {
        return inBudget(budget -> {
            QueryResponse response = new QueryResponse(true);
            run.accept(response, budget);
            return object(response);
        });
    }

    /** Runs a request with a new budget. */
    private <T> T inBudget(Function<RequestBudget, T> request) {
        try (RequestBudget budget = graph().budget(() -> cancelled)) {
            return request.apply(budget);
        } catch (CancellationException e) {
            throw CommandFailure.cancelled();
        }
    }

    @Override
    public ObjectNode mutate(ObjectNode body, @Nullable String condition, @Nullable String key) {
        Request request = new Request(body);
        MutationCall call =
                new MutationCall(request.branch(), request.required("query"), request.text("name"), request.params());
        return inBudget(budget -> await(
                graph().mutate(new WriteOptions(condition, key), call, request.settings(graph().settings()), budget),
                WireRecords::mutation));
    }

    @Override
    public ObjectNode invoke(String name, ObjectNode body, @Nullable String condition, @Nullable String key) {
        if (!ofCluster) {
            throw ServiceException.badRequest(
                    "a store has no stored queries; give a source with --query or -e, or --cluster"
                            + " or --server and --graph");
        }
        Request request = new Request(body);
        StoredQuery query = graph().storedQuery(name);
        query.requireKind(request.text("expect"));
        return query.plan() instanceof Plan.Mutation
                ? invokeMutation(query, request, condition, key)
                : invokeRead(query, request, condition);
    }

    private ObjectNode invokeRead(StoredQuery query, Request request, @Nullable String condition) {
        if (condition != null) {
            throw ServiceException.badRequest(
                    "stored query `" + query.name() + "` reads; a condition goes with a write");
        }
        return read((response, budget) -> graph().queryStored(
                        request.target(), query.name(), request.params(), graph().settings(), budget, response));
    }

    private ObjectNode invokeMutation(
            StoredQuery query, Request request, @Nullable String condition, @Nullable String key) {
        if (request.text("snapshot") != null || request.text("as_of") != null) {
            throw ServiceException.badRequest("stored query `"
                    + query.name()
                    + "` is a mutation; it takes `branch`, and no `snapshot` or `as_of`");
        }
        if (!writable) {
            throw CommandFailure.usage("stored query `" + query.name() + "` writes: run it with `service mutate`");
        }
        return inBudget(budget -> await(
                graph().mutateStored(
                                new WriteOptions(condition, key),
                                request.branch(),
                                query.name(),
                                request.params(),
                                graph().settings(),
                                budget),
                WireRecords::mutation));
    }

    @Override
    public ObjectNode queries() {
        return object(json -> WireRecords.storedQueries(json, graph().storedQueries()));
    }

    @Override
    public ObjectNode load(
            @Nullable String branch, @Nullable String from, String mode, @Nullable String key, Records records) {
        return inBudget(budget -> await(
                graph().load(
                                new WriteOptions(null, key),
                                branch == null ? MAIN : branch,
                                from,
                                LoadMode.valueOf(mode.toUpperCase(Locale.ROOT)),
                                records.content(),
                                budget),
                WireRecords::load));
    }

    @Override
    public ObjectNode branches() {
        return object(json -> WireRecords.branches(json, graph().branches()));
    }

    @Override
    public ObjectNode branch(String name) {
        BranchRecord branch = graph().branch(name);
        return object(json -> WireRecords.branch(json, branch));
    }

    @Override
    public ObjectNode createBranch(String name, @Nullable String from) {
        return await(graph().createBranch(name, from == null ? MAIN : from), WireRecords::branch);
    }

    @Override
    public ObjectNode deleteBranch(String name) {
        return await(graph().deleteBranch(name), WireRecords::branch);
    }

    @Override
    public ObjectNode merge(ObjectNode body) {
        Request request = new Request(body);
        String target = request.text("target");
        MergeRequest merge = new MergeRequest(
                request.required("source"),
                target == null ? MAIN : target,
                body.path("delete_branch").asBoolean(),
                body.path("dry_run").asBoolean(),
                ResolutionJson.read(body.get("resolutions")));
        return inBudget(budget -> {
            MergeResult result = graph().merge(WriteOptions.NONE, merge, request.settings(graph().settings()), budget);
            return object(json -> WireRecords.merge(json, result));
        });
    }

    @Override
    public ObjectNode diff(States states, @Nullable String pageToken, Filters filters) {
        return inBudget(budget -> {
            DiffPage page = new DiffPage(FeedPage.LIMIT_DEFAULT, budget);
            DiffStates ends = new DiffStates(
                    states.from(),
                    states.to(),
                    states.sinceMergeBase() ? DiffStates.Since.MERGE_BASE : DiffStates.Since.FROM);
            String next = graph().diff(ends, pageToken, selection(filters), graph().settings(), budget, page);
            return Json.readObject(page.finish(next).toByteArray(), "the answer");
        });
    }

    @Override
    public ObjectNode snapshot(Target target) {
        return object(json -> WireRecords.snapshot(json, graph().snapshot(point(target))));
    }

    @Override
    public ObjectNode commits(@Nullable String branch, int limit, @Nullable String before) {
        return object(
                json -> WireRecords.commits(json, graph().commits(branch == null ? MAIN : branch, limit, before)));
    }

    @Override
    public ObjectNode commit(String id) {
        return object(json -> WireRecords.commit(json, graph().commit(id)));
    }

    @Override
    public ObjectNode commitChanges(String id, @Nullable String pageToken, int limit, Filters filters) {
        return inBudget(budget -> {
            FeedPage page = FeedPage.ofCommit(limit(limit), budget);
            return object(
                    page.finish(graph().commitChanges(id, pageToken, selection(filters), graph().settings(), page)));
        });
    }

    @Override
    public ObjectNode changes(FeedPoll poll) {
        long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(poll.waitSeconds());
        FeedRequest request = new FeedRequest(
                poll.branch(),
                poll.cursor(),
                poll.start(),
                poll.pageToken(),
                selection(poll.filters()),
                graph().settings());
        while (true) {
            FeedRequest now = request;
            FeedOutcome outcome;
            long leftNanos;
            try (RequestBudget budget = graph().budget(() -> cancelled)) {
                FeedPage page = FeedPage.ofFeed(limit(poll.limit()), graph().caller(), budget);
                outcome = graph().changes(now, page);
                page.finish(outcome);
                leftNanos = deadlineNanos - System.nanoTime();
                if (page.blocks() > 0 || leftNanos <= 0) {
                    return object(page);
                }
            }
            awaitNews(outcome, Duration.ofNanos(leftNanos));
            request = now.from(outcome.cursor());
        }
    }

    private void awaitNews(FeedOutcome outcome, Duration timeout) {
        CompletableFuture<Boolean> news = graph().awaitNews(outcome, timeout);
        awaited = news;
        if (cancelled) {
            news.complete(false);
        }
        var unused = news.join();
        awaited = null;
    }

    @Override
    public void baseline(@Nullable String branch, Filters filters, OutputStream into) {
        graph().baseline(branch, selection(filters), into);
    }

    private static int limit(int asked) {
        return asked == 0 ? FeedPage.LIMIT_DEFAULT : FeedPage.requireLimit(asked);
    }

    private static ChangeSelection selection(Filters filters) {
        return new ChangeSelection(filters.kinds(), filters.types(), filters.operations());
    }

    @Override
    public ObjectNode schema(Target target) {
        return object(json -> WireRecords.schema(json, graph().schema(point(target))));
    }

    @Override
    public ObjectNode planSchema(String source, List<String> allowedDrops) {
        return inBudget(budget -> new StoreSchema(graph(), ofCluster).plan(source, allowedDrops, budget));
    }

    @Override
    public ObjectNode applySchema(String source, List<String> allowedDrops) {
        return inBudget(budget -> new StoreSchema(graph(), ofCluster).apply(source, allowedDrops, budget));
    }

    @Override
    public void export(Target target, List<String> typeNames, OutputStream into) {
        graph().export(point(target), typeNames, into);
    }

    @Override
    public ObjectNode blobStat(Target target, Cell cell) {
        BlobCell found = cell(target, cell);
        return object(json -> WireRecords.blob(json, found));
    }

    @Override
    public void blob(Target target, Cell cell, @Nullable Long offset, @Nullable Long length, OutputStream into) {
        switch (cell(target, cell)) {
            case BlobCell.External external -> throw CommandFailure.external(external.uri());
            case BlobCell.Managed managed -> {
                long size = managed.blob().size();
                long from = offset == null ? 0 : offset;
                if (from >= size && (offset != null || length != null)) {
                    throw new ServiceException(
                            ErrorCode.RANGE_NOT_SATISFIABLE,
                            "the range begins after the end: the value has " + size + " bytes");
                }
                long count = length == null ? size - from : Math.min(length, size - from);
                try {
                    graph().copyBlob(managed.blob(), from, count, into);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        }
    }

    private BlobCell cell(Target target, Cell cell) {
        return graph().blob(
                        point(target), new BlobCell.Address(cell.entity(), cell.type(), cell.id(), cell.property()));
    }

    @Override
    public void cancel() {
        cancelled = true;
        CompletableFuture<Boolean> news = awaited;
        if (news != null) {
            news.complete(false);
        }
    }

    @Override
    public void close() {
        opened.close();
    }

    private GraphAccess graph() {
        return graph;
    }

    private static ReadTarget point(Target target) {
        return ReadTarget.of(target.branch(), target.snapshot(), target.asOf());
    }

    /** Waits for a write and rethrows its refusal on this thread. */
    private static <T> ObjectNode await(CompletableFuture<T> write, BiConsumer<JsonWriter, T> render) {
        T result;
        try {
            result = write.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
        return object(json -> render.accept(json, result));
    }

    private static ObjectNode object(Consumer<JsonWriter> body) {
        return Json.readObject(JsonWriter.bytes(body), "the answer");
    }

    private static ObjectNode object(FeedPage page) {
        return Json.readObject(page.toByteArray(), "the answer");
    }

    private static ObjectNode object(QueryResponse response) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            response.writeTo(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return Json.readObject(bytes.toByteArray(), "the answer");
    }

    /** The request body of {@code POST /query} and {@code /mutate}, as {@code RequestOptions} makes it. */
    private record Request(ObjectNode body) {
        @Nullable
        String text(String field) {
            JsonNode node = body.get(field);
            return node == null ? null : node.asText();
        }

        String required(String field) {
            String text = text(field);
            if (text == null) {
                throw ServiceException.badRequest("the request has no `" + field + "`");
            }
            return text;
        }

        String branch() {
            String branch = text("branch");
            return branch == null ? MAIN : branch;
        }

        ReadTarget target() {
            return ReadTarget.of(text("branch"), text("snapshot"), text("as_of"));
        }

        @Nullable
        ObjectNode params() {
            return body.get("params") instanceof ObjectNode params ? params : null;
        }

        Settings settings(Settings process) {
            return process.withRequest(body.get("settings") instanceof ObjectNode settings ? settings : null);
        }
    }
}
