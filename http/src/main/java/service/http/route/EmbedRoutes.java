package service.http.route;

import java.util.List;
import service.core.error.ServiceException;
import service.core.graph.GraphAccess;
import service.core.graph.read.Embeddings;
import service.core.graph.request.Settings;
import service.core.policy.Action;
import service.core.wire.SearchJson;

/** {@code /embed}: vectors of texts, which a client then writes. */
final class EmbedRoutes {
    private EmbedRoutes() {}

    static List<Route> routes() {
        return List.of(Route.post("/graphs/{graph_id}/embed", Action.CHANGE, BodyRule.JSON, EmbedRoutes::embed));
    }

    private static Answer embed(Call call) {
        Fields fields = call.fields("texts", "dimensions", "model", "settings");
        GraphAccess graph = call.requireGraph();
        Settings settings = graph.settings().withRequest(fields.object("settings"));
        Long dimensions = fields.wholeNumber("dimensions");
        if (dimensions == null) {
            throw ServiceException.badRequest("field `dimensions` is required");
        }
        Embeddings.Result result = graph.graph()
                .searchFor(graph.caller())
                .embed(
                        new Embeddings.Request(fields.texts("texts"), dimensions, fields.text("model")),
                        settings,
                        call.budget());
        return Answer.json(json -> SearchJson.embeddings(json, result));
    }
}
