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
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import service.core.blob.BlobIntake;
import service.core.event.CommitKind;
import service.core.event.Event;
import service.core.graph.branch.Branches;
import service.core.graph.check.ChangeSet;
import service.core.graph.check.RulesCache;
import service.core.graph.read.Blobs;
import service.core.graph.request.Budgets;
import service.core.graph.request.CommitRecord;
import service.core.graph.request.RequestDigest;
import service.core.graph.request.Targets;
import service.core.graph.request.WriteKey;
import service.core.graph.request.WriteTerms;
import service.core.json.Json;
import service.core.port.Branch;
import service.core.port.GraphSession;
import service.core.port.GraphStorage;
import service.core.port.GraphView;
import service.core.port.WriteCommand;
import service.core.port.WriteSession;
import service.core.schema.Catalog;
import service.core.value.EntityKind;
import service.core.value.Ulid;

/**
 * Loading records as one commit: decoded on the caller's thread, looked up, compared and checked on the writer's. A
 * load that makes its branch is two events in one step, because a branch is an event of its own: it is decided over the
 * base's head first, so that a refused load leaves no branch.
 */
public final class Loads {
    private static final String BRANCH = "branch";
    private static final String BASE = "base_branch";
    private static final String CREATED = "branch_created";
    private static final String MODE = "mode";
    private static final String NODES = "nodes";
    private static final String EDGES = "edges";

    private final GraphStorage storage;
    private final RulesCache rules;
    private final Blobs blobs;
    private final int recordsMax;

    public Loads(GraphStorage storage, RulesCache rules, Blobs blobs, int recordsMax) {
        this.storage = storage;
        this.rules = rules;
        this.blobs = blobs;
        this.recordsMax = recordsMax;
    }

    private record Request(
            @Nullable String actor,
            String branch,
            @Nullable String from,
            @Nullable Ulid condition,
            @Nullable WriteKey key,
            LoadBatch batch) {}

    public CompletableFuture<LoadResult> run(
            WriteTerms terms, String branch, @Nullable String from, LoadMode mode, InputStream records) {
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
        Catalog catalog = catalog(branch, from);
        BlobIntake intake = blobs.intake();
        return blobs.closing(intake, () -> {
            LoadBatch batch = LoadBlocks.read(input, catalog, mode, intake, recordsMax);
            WriteKey key = WriteKey.of(terms, digest);
            Request request = new Request(terms.actor(), branch, from, expected, key, batch);
            return storage.log().submit(session -> decide(session, request), intake.staged());
        });
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

    /** The schema of the branch, or of what it is to be made from. */
    private Catalog catalog(String branch, @Nullable String from) {
        boolean missing;
        Catalog catalog;
        try (GraphSession session = storage.session()) {
            missing = from != null && session.branch(branch) == null;
            Branch base = Targets.branch(session, from != null && missing ? from : branch);
            try (GraphView view = session.view(base.headPoint())) {
                catalog = view.catalog();
            }
        }
        if (missing) {
            Branches.checkName(branch);
        }
        return catalog;
    }

    private WriteCommand.Decision<LoadResult> decide(WriteSession session, Request request) {
        WriteKey.First first = request.key == null ? null : request.key.find(session, session.nowMicros());
        if (first != null) {
            return new WriteCommand.Decision.Nothing<>(replayed(first, request.actor));
        }
        Branch branch = session.branch(request.branch);
        if (branch == null && request.from != null) {
            return decideFork(session, request, Targets.branch(session, request.from));
        }
        Branch target = Targets.branch(session, request.branch);
        Targets.checkCondition(target, request.condition);
        ChangeSet changes = changes(session, target, request);
        if (changes.isEmpty()) {
            LoadResult result = result(request, false, null);
            return WriteKey.unchanged(request.key, target, () -> receipt(result), result);
        }
        return new WriteCommand.Decision.Append<>(
                commit(request, target, changes, false), event -> loaded(request, false, event));
    }

    private WriteCommand.Decision<LoadResult> decideFork(WriteSession session, Request request, Branch base) {
        Targets.checkCondition(base, request.condition);
        ChangeSet changes = changes(session, base, request);
        WriteCommand.Draft fork = new WriteCommand.Draft.CreateBranch(request.branch, base, request.actor);
        if (!changes.isEmpty()) {
            return new WriteCommand.Decision.AppendPair<>(
                    fork,
                    forked -> commit(request, Targets.branch(forked, request.branch), changes, true),
                    event -> loaded(request, true, event));
        }
        LoadResult result = result(request, true, null);
        WriteKey key = request.key;
        return key == null
                ? new WriteCommand.Decision.Append<>(fork, event -> result)
                : new WriteCommand.Decision.AppendPair<>(
                        fork,
                        forked -> key.remember(Targets.branch(forked, request.branch), () -> receipt(result)),
                        event -> result);
    }

    private ChangeSet changes(WriteSession session, Branch branch, Request request) {
        try (GraphView view = session.view(branch.headPoint())) {
            return new LoadRun(request.batch, view, () -> session.nextId().toString()).run(rules);
        }
    }

    private static WriteCommand.Draft commit(Request request, Branch branch, ChangeSet changes, boolean created) {
        return new WriteCommand.Draft.Commit(
                CommitKind.LOAD,
                branch,
                null,
                request.actor,
                WriteKey.entry(request.key, () -> receipt(result(request, created, null))),
                null,
                changes.changes());
    }

    private static LoadResult loaded(Request request, boolean created, Event event) {
        return result(request, created, CommitRecord.of(((Event.Commit) event).header()));
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
                request.branch,
                request.from,
                created,
                request.batch.mode,
                nodes,
                edges,
                total(nodes) + total(edges),
                request.actor,
                commit,
                false);
    }

    private static long total(List<LoadResult.TypeLoad> loads) {
        return loads.stream().mapToLong(LoadResult.TypeLoad::entitiesLoaded).sum();
    }

    /** What an answer says beyond its commit. */
    private static ObjectNode receipt(LoadResult result) {
        ObjectNode receipt = Json.object().put(BRANCH, result.branch());
        receipt.put(BASE, result.baseBranch());
        receipt.put(CREATED, result.branchCreated()).put(MODE, result.mode().name());
        write(result.nodes(), receipt.putArray(NODES));
        write(result.edges(), receipt.putArray(EDGES));
        return receipt;
    }

    private static void write(List<LoadResult.TypeLoad> loads, ArrayNode into) {
        loads.forEach(load -> into.addObject().put(load.name(), load.entitiesLoaded()));
    }

    private static LoadResult replayed(WriteKey.First first, @Nullable String actor) {
        JsonNode receipt = first.receipt();
        List<LoadResult.TypeLoad> nodes = read(receipt.path(NODES));
        List<LoadResult.TypeLoad> edges = read(receipt.path(EDGES));
        return new LoadResult(
                receipt.path(BRANCH).asText(),
                receipt.path(BASE).textValue(),
                receipt.path(CREATED).asBoolean(),
                LoadMode.valueOf(receipt.path(MODE).asText()),
                nodes,
                edges,
                total(nodes) + total(edges),
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
