package service.http.route;

import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.error.ServiceException;
import service.core.graph.GraphAccess;
import service.core.graph.request.CommitRecord;
import service.core.graph.request.Page;
import service.core.graph.request.SnapshotRecord;
import service.core.graph.request.WriteOptions;
import service.core.policy.Action;
import service.core.wire.WireRecords;

/** {@code /snapshot}, {@code /commits}, {@code /commits/{ref}}. */
final class HistoryRoutes {
    private static final int LIMIT_DEFAULT = 100;
    private static final int LIMIT_MAX = 1_000;

    private HistoryRoutes() {}

    static List<Route> routes() {
        return List.of(
                Route.get("/graphs/{graph_id}/snapshot", Action.READ, HistoryRoutes::snapshot)
                        .with("branch", "snapshot", "as_of"),
                Route.get("/graphs/{graph_id}/commits", Action.READ, HistoryRoutes::commits)
                        .with("branch", "limit", "before", "idempotency_key"),
                Route.get("/graphs/{graph_id}/commits/{ref}", Action.READ, HistoryRoutes::commit));
    }

    private static Answer snapshot(Call call) {
        SnapshotRecord snapshot = call.requireGraph().snapshot(call.target());
        return Answer.json(json -> WireRecords.snapshot(json, snapshot));
    }

    private static Answer commits(Call call) {
        String branch = call.parameter("branch");
        String key = call.parameter("idempotency_key");
        if (key != null) {
            if (call.parameter("before") != null) {
                throw ServiceException.badRequest("`idempotency_key` finds one write; give it without `before`");
            }
            limit(call.parameter("limit"));
            WriteOptions.requireKey(key);
            Page found = call.requireGraph().commitsOfKey(key, branch);
            return Answer.json(json -> WireRecords.commits(json, found));
        }
        Page page = call.requireGraph()
                .commits(
                        branch == null ? "main" : branch,
                        limit(call.parameter("limit")),
                        call.commitId(call.parameter("before")));
        return Answer.json(json -> WireRecords.commits(json, page));
    }

    private static Answer commit(Call call) {
        GraphAccess graph = call.requireGraph();
        CommitRecord commit = graph.commit(graph.commitId(call.variable("{ref}"), call.budget()));
        return Answer.json(json -> WireRecords.commit(json, commit));
    }

    private static int limit(@Nullable String text) {
        if (text == null) {
            return LIMIT_DEFAULT;
        }
        if (text.matches("[0-9]{1,4}")) {
            int limit = Integer.parseInt(text);
            if (limit >= 1 && limit <= LIMIT_MAX) {
                return limit;
            }
        }
        throw ServiceException.badRequest("`limit` must be an integer from 1 to " + LIMIT_MAX + ", not `" + text + "`");
    }
}
