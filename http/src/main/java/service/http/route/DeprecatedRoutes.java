package service.http.route;

import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.error.ServiceException;
import service.core.graph.request.MutationCall;
import service.core.graph.request.Settings;
import service.core.policy.Action;
import service.core.wire.QueryResponse;
import service.core.wire.WireRecords;

/**
 * {@code POST /read}, {@code /change} and {@code /ingest}: the former names of {@code /query}, {@code /mutate} and
 * {@code /load}. They take no settings; a header of every answer names the successor.
 */
final class DeprecatedRoutes {
    private static final String GRAPH = "/graphs/{graph_id}";

    private DeprecatedRoutes() {}

    static List<Route> routes() {
        return List.of(
                Route.post(GRAPH + "/read", Action.READ, BodyRule.JSON, DeprecatedRoutes::read)
                        .with(Route.Condition.REFUSED)
                        .succeededBy(GRAPH + "/query"),
                Route.post(GRAPH + "/change", Action.CHANGE, BodyRule.JSON, DeprecatedRoutes::change)
                        .orWith(QueryRoutes.BRANCH_ACTIONS)
                        .withKey()
                        .succeededBy(GRAPH + "/mutate"),
                Route.post(GRAPH + "/ingest", Action.CHANGE, BodyRule.LOAD_JSON, DeprecatedRoutes::ingest)
                        .withKey()
                        .succeededBy(GRAPH + "/load"));
    }

    private static Answer read(Call call) {
        Fields fields = call.fields("query_source", "query_name", "params", "branch", "snapshot", "as_of");
        Settings settings = call.requireGraph().settings();
        QueryResponse response = new QueryResponse(false, call.int64());
        call.requireGraph()
                .query(
                        call.target(fields),
                        fields.requireText("query_source"),
                        fields.text("query_name"),
                        fields.object("params"),
                        settings,
                        call.budget(),
                        response);
        return Answer.pieces(Media.JSON, response.pieces());
    }

    private static Answer change(Call call) {
        Fields fields = call.noted("query", "query_source", "name", "query_name", "params", "branch");
        String source = either(fields, "query", "query_source");
        if (source == null) {
            throw ServiceException.badRequest("field `query` or `query_source` is required");
        }
        return Answer.written(
                call.requireGraph()
                        .mutate(
                                call.options(fields),
                                new MutationCall(
                                        fields.text("branch", "main"),
                                        source,
                                        either(fields, "name", "query_name"),
                                        fields.object("params")),
                                call.requireGraph().settings(),
                                call.budget()),
                WireRecords::mutation);
    }

    private static Answer ingest(Call call) {
        return LoadRoutes.loadJson(call, "main");
    }

    /** The value of a field that has two names; a request may give one of them. */
    private static @Nullable String either(Fields fields, String name, String older) {
        String value = fields.text(name);
        String other = fields.text(older);
        if (value != null && other != null) {
            throw ServiceException.badRequest(
                    "`" + name + "` and `" + older + "` are two names of one field; give one");
        }
        return value != null ? value : other;
    }
}
