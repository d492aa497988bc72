package service.http.route;

import java.util.List;
import service.core.graph.RequestSettings;
import service.core.graph.Settings;
import service.core.wire.QueryResponse;
import service.core.wire.WireRecords;
import service.http.auth.Action;

/**
 * {@code POST /query}, {@code POST /mutate}, {@code POST /mutate/if-graph-commit}: GQ in the body.
 */
final class QueryRoutes {
    private QueryRoutes() {}

    static List<Route> routes() {
        return List.of(
                Route.post(
                                "/graphs/{graph_id}/query",
                                Action.READ,
                                BodyRule.JSON,
                                QueryRoutes::query)
                        .with(Route.Condition.REFUSED),
                Route.post(
                                "/graphs/{graph_id}/mutate",
                                Action.CHANGE,
                                BodyRule.JSON,
                                QueryRoutes::mutate)
                        .with(Route.Condition.REFUSED),
                Route.post(
                                "/graphs/{graph_id}/mutate/if-graph-commit",
                                Action.CHANGE,
                                BodyRule.JSON,
                                QueryRoutes::mutate)
                        .with(Route.Condition.REQUIRED));
    }

    private static Answer query(Call call) {
        Fields fields = call.fields("query", "name", "params", "branch", "snapshot", "settings");
        Settings settings = RequestSettings.merge(Settings.DEFAULTS, fields.object("settings"));
        QueryResponse response = new QueryResponse(settings.memoryMaxBytes(), true);
        call.requireGraph()
                .query(
                        fields.target(),
                        fields.requireText("query"),
                        fields.text("name"),
                        fields.object("params"),
                        settings,
                        call.cancelled(),
                        response);
        return new Answer.Kept(response.size(), response::writeTo);
    }

    private static Answer mutate(Call call) {
        Fields fields = call.fields("query", "name", "params", "branch", "settings");
        Settings settings = RequestSettings.merge(Settings.DEFAULTS, fields.object("settings"));
        return Answer.later(
                call.requireGraph()
                        .mutate(
                                call.caller().actor(),
                                fields.text("branch", "main"),
                                fields.requireText("query"),
                                fields.text("name"),
                                fields.object("params"),
                                settings,
                                call.condition()),
                WireRecords::mutation);
    }
}
