package service.core.graph.load;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import service.core.blob.BlobIntake;
import service.core.blob.StagedBlobs;
import service.core.budget.RequestBudget;
import service.core.event.ChangeBlock;
import service.core.event.ChangeReader;
import service.core.event.CommitKind;
import service.core.event.Event;
import service.core.graph.branch.Branches;
import service.core.graph.check.CheckedChanges;
import service.core.graph.check.GraphWriter;
import service.core.graph.check.RulesCache;
import service.core.graph.read.Blobs;
import service.core.graph.request.Budgets;
import service.core.graph.request.CommitRecord;
import service.core.graph.request.FreshIds;
import service.core.graph.request.RequestDigest;
import service.core.graph.request.Targets;
import service.core.graph.request.UnreadBranch;
import service.core.graph.request.WriteKey;
import service.core.graph.request.WriteTerms;
import service.core.json.Json;
import service.core.policy.Action;
import service.core.port.Branch;
import service.core.port.CommitLog;
import service.core.port.GraphSession;
import service.core.port.GraphStorage;
import service.core.port.GraphView;
import service.core.port.WriteCommand;
import service.core.port.WriteSession;
import service.core.schema.Catalog;
import service.core.value.EntityKind;
import service.core.value.Ulid;

/**
 * Loads records as one commit. They are decoded on the caller's thread. A small batch is looked up, compared and
 * checked on the writer's thread; a large one on the caller's, over the current head, and the writer only validates it
 * against the commits since. A load that creates its branch is two events in one step, because the creation of a branch
 * is an event: it is decided over the base's head first, so that a refused load leaves no branch.
 */
public final class Loads {
    /** A batch of at most this many records occupies the writer for milliseconds only. */
    private static final int SMALL_RECORDS_MAX = 256;

    /**
     * Maximum number of changed entities of later commits that the writer compares with a batch prepared ahead: tens of
     * milliseconds, less than the batch takes the writer if it must be prepared again.
     */
    private static final long SINCE_MAX = 1 << 20;

    /** The same for a batch with records that change nothing, which are searched one by one. */
    private static final long SINCE_MAX_UNCHANGED = 65_536;

    /** After this number of attempts the writer makes the changes itself. */
    private static final int ATTEMPTS_AHEAD = 3;

    private static final String BRANCH = "branch";
    private static final String BASE = "base_branch";
    private static final String CREATED = "branch_created";
    private static final String MODE = "mode";
    private static final String NODES = "nodes";
    private static final String EDGES = "edges";
    private static final String NEW_EDGES = "edges_without_id";

    private final GraphStorage storage;
    private final CommitLog log;
    private final RulesCache rules;
    private final Blobs blobs;
    private final int recordsMax;

    public Loads(GraphWriter writer, Blobs blobs) {
        this.storage = writer.storage();
        this.log = writer.log();
        this.rules = writer.rules();
        this.recordsMax = writer.entitiesMax();
        this.blobs = blobs;
    }

    private record Request(
            WriteTerms terms,
            String branch,
            @Nullable String from,
            @Nullable Ulid condition,
            @Nullable WriteKey key,
            LoadBatch batch,
            RequestBudget budget,
            StagedBlobs staged) {}

    /** The writer's result; null when the caller's thread must prepare the batch again. */
    private record Attempt(@Nullable LoadResult result) {}

    public CompletableFuture<LoadResult> run(
            WriteTerms terms,
            String branch,
            @Nullable String from,
            LoadMode mode,
            InputStream records,
            RequestBudget budget) {
        Ulid expected = Targets.condition(terms.condition());
        RequestDigest digest = new RequestDigest("load")
                .add(branch)
                .add(from)
                .add(mode.wireName())
                .add(terms.condition());
        InputStream input = terms.key() == null ? records : digest.reading(records);
        WriteKey.First first = first(terms);
        if (first != null && terms.key() != null) {
            drain(input);
            first.requireSame(digest.bytes(), terms.key());
            return CompletableFuture.completedFuture(replayed(first, terms.actor()));
        }
        Catalog catalog = catalog(terms, branch, from);
        BlobIntake intake = blobs.intake();
        return blobs.closing(intake, () -> {
            LoadBatch batch = LoadBlocks.read(input, catalog, mode, intake, recordsMax, budget);
            WriteKey key = WriteKey.of(terms, digest);
            Request request = new Request(terms, branch, from, expected, key, batch, budget, intake.staged());
            return UnreadBranch.write(
                    terms.caller(),
                    branch,
                    () -> batch.size() <= SMALL_RECORDS_MAX ? runOnWriter(request) : runAhead(request));
        });
    }

    private CompletableFuture<LoadResult> runOnWriter(Request request) {
        return request.budget.holdUntil(log.submit(
                        session -> decide(session, request, onWriter(session, request)), request.staged)
                .thenApply(attempt -> Objects.requireNonNull(attempt.result)));
    }

    /** Makes the changes on the calling thread and waits for the writer. */
    private CompletableFuture<LoadResult> runAhead(Request request) {
        for (int attempt = 0; attempt < ATTEMPTS_AHEAD; attempt++) {
            try (CheckedChanges ahead = ahead(request)) {
                Attempt outcome = request.budget.blocking(() -> CommitLog.await(log.submit(
                        session -> decide(session, request, validated(session, request, ahead)), request.staged)));
                if (outcome.result != null) {
                    return CompletableFuture.completedFuture(outcome.result);
                }
            }
        }
        return runOnWriter(request);
    }

    private CheckedChanges ahead(Request request) {
        try (GraphSession session = storage.session()) {
            Branch base = base(session, request);
            Targets.checkCondition(base, request.condition, request.terms.caller());
            return changes(session, base, request, request.budget, new FreshIds(Budgets.nowMicros()));
        }
    }

    /** The branch that the records are compared with: the target, or the base that it will be created from. */
    private static Branch base(GraphSession session, Request request) {
        Branch branch = session.branch(request.branch);
        return branch != null ? branch : base(session, request.terms, request.branch, request.from);
    }

    /** The base of a branch that a load creates. */
    private static Branch base(GraphSession session, WriteTerms terms, String branch, @Nullable String from) {
        if (from == null) {
            return Targets.branch(session, branch, terms.caller());
        }
        terms.require(Action.BRANCH_CREATE, branch);
        return Branches.base(session, from, branch, terms.caller());
    }

    /** The changes of a load over a branch; null when the caller's thread must make them again. */
    @FunctionalInterface
    private interface ChangesOver {
        @Nullable
        ChangeBlock of(Branch branch);
    }

    private ChangesOver onWriter(WriteSession session, Request request) {
        Supplier<String> newIds = () -> session.nextId().toString();
        return branch -> changes(session, branch, request, request.budget.onWriter(), newIds)
                .changes();
    }

    private static ChangesOver validated(WriteSession session, Request request, CheckedChanges ahead) {
        boolean allChange = request.batch.mode != LoadMode.OVERWRITE
                && request.batch.size() == ahead.changes().count();
        CheckedChanges.Watch watch = allChange ? CheckedChanges.Watch.NOTHING : since -> concerns(request.batch, since);
        long sinceMax = allChange ? SINCE_MAX : SINCE_MAX_UNCHANGED;
        return branch -> ahead.advance(session, branch, sinceMax, watch) == CheckedChanges.Verdict.VALID
                ? ahead.changes()
                : null;
    }

    /** Whether the batch has a record of the entity, even if it changes nothing. */
    private static boolean concerns(LoadBatch batch, ChangeReader since) {
        LoadType type = batch.ofType(since.type());
        return type != null && (batch.mode == LoadMode.OVERWRITE || LoadBatch.lineOf(type, since.id()) > 0);
    }

    private WriteKey.@Nullable First first(WriteTerms terms) {
        if (terms.key() == null) {
            return null;
        }
        try (GraphSession session = storage.session()) {
            return WriteKey.find(session, Budgets.nowMicros(), terms.actor(), terms.key());
        }
    }

    private static void drain(InputStream input) {
        try {
            input.transferTo(OutputStream.nullOutputStream());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The schema of the branch, or of the base that it will be created from. */
    private Catalog catalog(WriteTerms terms, String branch, @Nullable String from) {
        boolean missing;
        Catalog catalog;
        try (GraphSession session = storage.session()) {
            Branch target = session.branch(branch);
            missing = from != null && target == null;
            Branch base = target != null ? target : base(session, terms, branch, from);
            try (GraphView view = session.view(base.headPoint())) {
                catalog = view.catalog();
            }
        }
        if (missing) {
            Branches.checkName(branch);
        }
        return catalog;
    }

    private static WriteCommand.Decision<Attempt> decide(WriteSession session, Request request, ChangesOver over) {
        WriteKey.First first = request.key == null ? null : request.key.find(session, session.nowMicros());
        if (first != null) {
            return new WriteCommand.Decision.Nothing<>(new Attempt(replayed(first, request.terms.actor())));
        }
        boolean forks = request.from != null && session.branch(request.branch) == null;
        Branch base = base(session, request);
        Targets.checkCondition(base, request.condition, request.terms.caller());
        ChangeBlock changes = over.of(base);
        if (changes == null) {
            return new WriteCommand.Decision.Nothing<>(new Attempt(null));
        }
        return forks ? decideFork(request, base, changes) : decide(request, base, changes);
    }

    private static WriteCommand.Decision<Attempt> decide(Request request, Branch target, ChangeBlock changes) {
        if (changes.isEmpty()) {
            LoadResult result = result(request, false, null);
            return WriteKey.unchanged(request.key, target, () -> receipt(result), new Attempt(result));
        }
        return new WriteCommand.Decision.Append<>(
                commit(request, target, changes, false), event -> loaded(request, false, event));
    }

    private static WriteCommand.Decision<Attempt> decideFork(Request request, Branch base, ChangeBlock changes) {
        WriteCommand.Draft fork = new WriteCommand.Draft.CreateBranch(request.branch, base, request.terms.actor());
        if (!changes.isEmpty()) {
            return new WriteCommand.Decision.AppendPair<>(
                    fork,
                    forked -> commit(
                            request, Targets.branch(forked, request.branch, request.terms.caller()), changes, true),
                    event -> loaded(request, true, event));
        }
        Attempt result = new Attempt(result(request, true, null));
        WriteKey key = request.key;
        return key == null
                ? new WriteCommand.Decision.Append<>(fork, event -> result)
                : new WriteCommand.Decision.AppendPair<>(
                        fork,
                        forked -> key.remember(
                                Targets.branch(forked, request.branch, request.terms.caller()),
                                () -> receipt(result(request, true, null))),
                        event -> result);
    }

    private CheckedChanges changes(
            GraphSession session, Branch branch, Request request, RequestBudget budget, Supplier<String> newIds) {
        try (GraphView view = session.view(branch.headPoint())) {
            return new LoadRun(request.batch, view, newIds, budget).run(branch, rules);
        }
    }

    private static WriteCommand.Draft commit(Request request, Branch branch, ChangeBlock changes, boolean created) {
        return new WriteCommand.Draft.Commit(
                CommitKind.LOAD,
                branch,
                null,
                request.terms.actor(),
                WriteKey.entry(request.key, () -> receipt(result(request, created, null))),
                null,
                changes);
    }

    private static Attempt loaded(Request request, boolean created, Event event) {
        return new Attempt(result(request, created, CommitRecord.of(((Event.Commit) event).header())));
    }

    private static LoadResult result(Request request, boolean created, @Nullable CommitRecord commit) {
        List<LoadResult.TypeLoad> nodes = new ArrayList<>();
        List<LoadResult.TypeLoad> edges = new ArrayList<>();
        for (LoadType type : request.batch.types) {
            (type.type.kind() == EntityKind.NODE ? nodes : edges)
                    .add(new LoadResult.TypeLoad(type.type.name(), type.records.size()));
        }
        nodes.sort(Comparator.comparing(LoadResult.TypeLoad::name));
        edges.sort(Comparator.comparing(LoadResult.TypeLoad::name));
        return new LoadResult(
                new LoadResult.Target(request.branch, request.from, created),
                request.batch.mode,
                nodes,
                edges,
                request.batch.edgesWithoutId(),
                request.terms.actor(),
                commit,
                false);
    }

    /** What an answer says beyond its commit. */
    private static ObjectNode receipt(LoadResult result) {
        ObjectNode receipt = Json.object().put(BRANCH, result.target().branch());
        receipt.put(BASE, result.target().base());
        receipt.put(CREATED, result.target().created()).put(MODE, result.mode().name());
        write(result.nodes(), receipt.putArray(NODES));
        write(result.edges(), receipt.putArray(EDGES));
        if (result.edgesWithoutId() > 0) {
            receipt.put(NEW_EDGES, result.edgesWithoutId());
        }
        return receipt;
    }

    private static void write(List<LoadResult.TypeLoad> loads, ArrayNode into) {
        loads.forEach(load -> into.addObject().put(load.name(), load.entitiesLoaded()));
    }

    private static LoadResult replayed(WriteKey.First first, @Nullable String actor) {
        JsonNode receipt = first.receipt();
        return new LoadResult(
                new LoadResult.Target(
                        receipt.path(BRANCH).asText(),
                        receipt.path(BASE).textValue(),
                        receipt.path(CREATED).asBoolean()),
                LoadMode.valueOf(receipt.path(MODE).asText()),
                read(receipt.path(NODES)),
                read(receipt.path(EDGES)),
                receipt.path(NEW_EDGES).asLong(),
                actor,
                first.commit(),
                true);
    }

    private static List<LoadResult.TypeLoad> read(JsonNode loads) {
        List<LoadResult.TypeLoad> read = new ArrayList<>();
        loads.forEach(type -> type.properties()
                .forEach(load -> read.add(
                        new LoadResult.TypeLoad(load.getKey(), load.getValue().asLong()))));
        return read;
    }
}
