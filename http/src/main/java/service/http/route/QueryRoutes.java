package service.http.route;

import java.util.List;
import service.core.budget.NoWaiting;
import service.core.graph.request.MutationCall;
import service.core.graph.request.Settings;
import service.core.policy.Action;
import service.core.wire.ArrowResponse;
import service.core.wire.FirstRows;
import service.core.wire.QueryResponse;
import service.core.wire.ReadAnswer;
import service.core.wire.WireRecords;

/** {@code POST /query}, {@code POST /mutate}, {@code POST /mutate/if-graph-commit}: GQ in the body. */
final class QueryRoutes {
    /** Longer bodies are parsed on a worker thread. */
    private static final int SMALL_BYTES_MAX = 4 << 10;

    /** More rows than any answer may have. */
    private static final int ROWS_MAX = 1_000_000_000;

    private QueryRoutes() {}

    /** The actions of branch statements, which a mutation may be. */
    static final Action[] BRANCH_ACTIONS = {Action.BRANCH_CREATE, Action.BRANCH_DELETE, Action.BRANCH_MERGE};

    static List<Route> routes() {
        return List.of(
                Route.post("/graphs/{graph_id}/query", Action.READ, BodyRule.JSON, QueryRoutes::query)
                        .with(Route.Condition.REFUSED)
                        .answering(Media.JSON, Media.ARROW)
                        .with(QueryRoutes::isSmall),
                Route.post("/graphs/{graph_id}/mutate", Action.CHANGE, BodyRule.RECORDS_JSON, QueryRoutes::mutate)
                        .orWith(BRANCH_ACTIONS)
                        .withKey()
                        .with(QueryRoutes::isSmall),
                Route.post(
                                "/graphs/{graph_id}/mutate/if-graph-commit",
                                Action.CHANGE,
                                BodyRule.RECORDS_JSON,
                                QueryRoutes::mutate)
                        .orWith(BRANCH_ACTIONS)
                        .with(Route.Condition.REQUIRED)
                        .withKey()
                        .with(QueryRoutes::isSmall));
    }

    /** Whether the body is short enough to parse on the I/O thread. */
    static boolean isSmall(Call call) {
        return call.body().length() <= SMALL_BYTES_MAX;
    }

    /** Leaves the I/O thread for a worker thread, unless the query is brief. */
    private static void requireBrief(Call call, Fields fields) {
        if (!call.requireGraph().graph().isBrief(fields.requireText("query"), fields.text("name"))) {
            NoWaiting.giveUp();
        }
    }

    /** An empty answer of a read in the form that the client asks for. */
    static ReadAnswer answer(Call call) {
        return call.media() == Media.ARROW ? new ArrowResponse() : new QueryResponse(true, call.int64());
    }

    private static Answer query(Call call) {
        Fields fields = call.fields("query", "name", "params", "branch", "snapshot", "as_of", "settings", "max_rows");
        requireBrief(call, fields);
        Settings settings = call.requireGraph().settings().withRequest(fields.object("settings"));
        Integer rowsMax = fields.wholeNumber("max_rows", 1, ROWS_MAX);
        ReadAnswer response = answer(call);
        call.requireGraph()
                .query(
                        call.target(fields),
                        fields.requireText("query"),
                        fields.text("name"),
                        fields.object("params"),
                        settings,
                        call.budget(),
                        rowsMax == null ? response : new FirstRows(response, Math.min(rowsMax, settings.rowLimit())));
        return Answer.pieces(call.media(), response.pieces());
    }

    private static Answer mutate(Call call) {
        Fields fields = call.noted("query", "name", "params", "branch", "settings");
        requireBrief(call, fields);
        Settings settings = call.requireGraph().settings().withRequest(fields.object("settings"));
        MutationCall mutation = new MutationCall(
                fields.text("branch", "main"),
                fields.requireText("query"),
                fields.text("name"),
                fields.object("params"));
        call.requireUsualSize(() -> mutation.takesRecords(settings, call.budget()));
        return Answer.written(
                call.requireGraph().mutate(call.options(fields), mutation, settings, call.budget()),
                WireRecords::mutation);
    }
}
