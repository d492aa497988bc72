package service.http.route;

import java.util.List;
import service.core.graph.SearchAccess;
import service.core.graph.read.SearchIndexes;
import service.core.policy.Action;
import service.core.wire.SearchJson;

/** {@code /search}: the state of the search indexes and their rebuild. */
final class SearchRoutes {
    private SearchRoutes() {}

    static List<Route> routes() {
        return List.of(
                Route.get("/graphs/{graph_id}/search", Action.ADMIN, SearchRoutes::status),
                Route.post(
                        "/graphs/{graph_id}/search/rebuild",
                        Action.ADMIN,
                        BodyRule.OPTIONAL_JSON,
                        SearchRoutes::rebuild));
    }

    private static Answer status(Call call) {
        SearchIndexes.Report report = access(call).searchStatus(call.budget());
        return Answer.json(json -> SearchJson.status(json, report));
    }

    private static Answer rebuild(Call call) {
        List<String> properties =
                call.body().isAbsent() ? List.of() : call.fields("properties").texts("properties");
        SearchIndexes.Report report = access(call).rebuildSearch(properties, call.budget());
        return Answer.json(json -> SearchJson.status(json, report));
    }

    private static SearchAccess access(Call call) {
        return call.requireGraph().graph().searchFor(call.requireGraph().caller());
    }
}
