package service.http.route;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import service.core.error.ServiceException;
import service.core.graph.GraphAccess;
import service.core.graph.request.CommitFilter;
import service.core.graph.request.CommitQuery;
import service.core.graph.request.CommitRecord;
import service.core.graph.request.Page;
import service.core.graph.request.SnapshotRecord;
import service.core.graph.request.TimeBudget;
import service.core.graph.request.WriteOptions;
import service.core.policy.Action;
import service.core.wire.WireRecords;

/** {@code /snapshot}, {@code /commits}, {@code /commits/{ref}}. */
final class HistoryRoutes {
    private static final int LIMIT_DEFAULT = 100;
    private static final int LIMIT_MAX = 1_000;

    private static final String[] FILTERS = {
        "branch",
        "limit",
        "before",
        "idempotency_key",
        "all",
        "actor",
        "since",
        "until",
        "entity",
        "id",
        Percent.META_ANY,
        "stat"
    };

    /** What a request that finds one write may name besides its key. */
    private static final Set<String> BESIDE_KEY = Set.of("idempotency_key", "branch", "limit");

    private HistoryRoutes() {}

    static List<Route> routes() {
        return List.of(
                Route.get("/graphs/{graph_id}/snapshot", Action.READ, HistoryRoutes::snapshot)
                        .with("branch", "snapshot", "as_of"),
                Route.get("/graphs/{graph_id}/commits", Action.READ, HistoryRoutes::commits)
                        .with(FILTERS)
                        .withRepeatable("kind", "type"),
                Route.get("/graphs/{graph_id}/commits/{ref}", Action.READ, HistoryRoutes::commit));
    }

    private static Answer snapshot(Call call) {
        SnapshotRecord snapshot = call.requireGraph().snapshot(call.target());
        return Answer.json(json -> WireRecords.snapshot(json, snapshot));
    }

    private static Answer commits(Call call) {
        String key = call.parameter("idempotency_key");
        Page page = key == null ? listed(call) : ofKey(call, key);
        return Answer.json(json -> WireRecords.commits(json, page));
    }

    private static Page ofKey(Call call, String key) {
        for (String other : call.line().parameters().keySet()) {
            if (!BESIDE_KEY.contains(other)) {
                throw ServiceException.badRequest("`idempotency_key` finds one write; give it without `" + other + "`");
            }
        }
        limit(call.parameter("limit"));
        WriteOptions.requireKey(key);
        return call.requireGraph().commitsOfKey(key, call.parameter("branch"));
    }

    private static Page listed(Call call) {
        String branch = call.parameter("branch");
        boolean all = call.flag("all");
        if (all && branch != null) {
            throw ServiceException.badRequest("`all` lists the commits of every branch; give it without `branch`");
        }
        String before = call.parameter("before");
        CommitQuery query = new CommitQuery(
                all ? null : branch == null ? "main" : branch,
                limit(call.parameter("limit")),
                before == null || CommitQuery.isOffset(before) ? before : call.commitId(before),
                filter(call),
                call.flag("stat"));
        TimeBudget time =
                TimeBudget.start("listing commits", call.requireGraph().settings(), call.budget());
        return call.log().commits(query, time);
    }

    private static CommitFilter filter(Call call) {
        String entity = call.parameter("entity");
        String id = call.parameter("id");
        if ((entity == null) != (id == null)) {
            throw ServiceException.badRequest("`entity` and `id` name one entity together, with its `type`");
        }
        SortedMap<String, String> meta = new TreeMap<>();
        for (Map.Entry<String, List<String>> parameter :
                call.line().parameters().entrySet()) {
            if (parameter.getKey().startsWith(Percent.META)) {
                meta.put(
                        parameter.getKey().substring(Percent.META.length()),
                        parameter.getValue().getFirst());
            }
        }
        return new CommitFilter(
                call.parameter("actor"),
                CommitFilter.kinds(call.parameters("kind")),
                CommitFilter.micros(call.parameter("since"), "since"),
                CommitFilter.micros(call.parameter("until"), "until"),
                call.parameters("type"),
                entity == null || id == null ? null : new CommitFilter.Entity(entity, id),
                meta);
    }

    private static Answer commit(Call call) {
        GraphAccess graph = call.requireGraph();
        CommitRecord commit = graph.commit(graph.commitId(call.variable("{ref}"), call.budget()));
        return Answer.json(json -> WireRecords.commit(json, commit));
    }

    /** The number of commits, moves or branches in a page. */
    static int limit(@Nullable String text) {
        return limit(text, LIMIT_DEFAULT, LIMIT_MAX);
    }

    /** The number of entries of a page that a request asks for. */
    static int limit(@Nullable String text, int byDefault, int max) {
        if (text == null) {
            return byDefault;
        }
        if (text.matches("[0-9]{1,4}")) {
            int limit = Integer.parseInt(text);
            if (limit >= 1 && limit <= max) {
                return limit;
            }
        }
        throw ServiceException.badRequest("`limit` must be an integer from 1 to " + max + ", not `" + text + "`");
    }
}
