package service.core.graph;

import java.io.InputStream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import service.core.event.CommitKind;
import service.core.event.Event;
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
 * Loading records as one commit: decoded on the caller's thread, looked up, compared and checked on
 * the writer's.
 *
 * <p>A load that makes its branch is two events, because a branch is an event of its own: the first
 * command decides the whole load over the base's head and creates the branch only when the load
 * would succeed, so that a refused load leaves no branch behind.
 */
final class Loads {
    private final GraphStorage storage;
    private final RulesCache rules;

    Loads(GraphStorage storage, RulesCache rules) {
        this.storage = storage;
        this.rules = rules;
    }

    private record Request(
            @Nullable String actor,
            String branch,
            @Nullable String from,
            @Nullable Ulid condition,
            LoadBatch batch) {}

    CompletableFuture<LoadResult> run(
            @Nullable String actor,
            String branch,
            @Nullable String from,
            LoadMode mode,
            InputStream records,
            @Nullable String condition) {
        Ulid expected = Targets.condition(condition);
        Catalog catalog;
        boolean missing;
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
        LoadBatch batch = LoadReader.read(records, catalog, mode);
        Request request = new Request(actor, branch, from, expected, batch);
        if (from == null || !missing) {
            return storage.log().submit(session -> decide(session, request, false));
        }
        return storage.log()
                .submit(session -> decideBranch(session, request, from))
                .thenCompose(
                        created ->
                                storage.log().submit(session -> decide(session, request, created)));
    }

    /** Creates the branch, when the load over its base would succeed; answers whether it did. */
    private WriteCommand.Decision<Boolean> decideBranch(
            WriteSession session, Request request, String from) {
        if (session.branch(request.branch) != null) {
            return new WriteCommand.Decision.Nothing<>(false);
        }
        Branch base = Targets.branch(session, from);
        Targets.checkCondition(base, request.condition);
        changes(session, base, request);
        return new WriteCommand.Decision.Append<>(
                new WriteCommand.Draft.CreateBranch(request.branch, base, request.actor),
                event -> true);
    }

    private ChangeSet changes(WriteSession session, Branch branch, Request request) {
        try (GraphView view = session.view(branch.headPoint())) {
            return new LoadRun(request.batch, view, () -> session.nextId().toString()).run(rules);
        }
    }

    private WriteCommand.Decision<LoadResult> decide(
            WriteSession session, Request request, boolean created) {
        Branch branch = Targets.branch(session, request.branch);
        Targets.checkCondition(branch, request.condition);
        ChangeSet changes = changes(session, branch, request);
        if (changes.isEmpty()) {
            return new WriteCommand.Decision.Nothing<>(result(request, created, null));
        }
        return new WriteCommand.Decision.Append<>(
                new WriteCommand.Draft.Commit(
                        CommitKind.LOAD,
                        branch,
                        null,
                        request.actor,
                        null,
                        null,
                        changes.changes()),
                event ->
                        result(request, created, CommitRecord.of(((Event.Commit) event).header())));
    }

    private static LoadResult result(
            Request request, boolean created, @Nullable CommitRecord commit) {
        List<LoadResult.TypeLoad> nodes = new ArrayList<>();
        List<LoadResult.TypeLoad> edges = new ArrayList<>();
        long total = 0;
        for (LoadType type : request.batch.types) {
            total += type.records.size();
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
                total,
                request.actor,
                commit);
    }
}
