package service.http.route;

import java.util.List;
import service.core.graph.GraphAccess;
import service.core.graph.request.ReadTarget;
import service.core.policy.Action;

/** {@code POST /export}: the state of a branch, snapshot or time as NDJSON, or as Arrow. */
final class ExportRoutes {
    private ExportRoutes() {}

    static List<Route> routes() {
        return List.of(
                Route.post("/graphs/{graph_id}/export", Action.EXPORT, BodyRule.OPTIONAL_JSON, ExportRoutes::export)
                        .answering(Media.NDJSON, Media.ARROW));
    }

    private static Answer export(Call call) {
        GraphAccess graph = call.requireGraph();
        Fields fields = call.body().isAbsent() ? null : call.fields("branch", "snapshot", "as_of", "type_names");
        ReadTarget target = call.target(fields);
        graph.requireExport(target);
        List<String> types = fields == null ? List.of() : fields.texts("type_names");
        if (call.media() == Media.ARROW) {
            return Answer.streamed(Media.ARROW, into -> graph.exportTables(target, types, call.budget(), into));
        }
        return Answer.streamed(Media.NDJSON, into -> graph.export(target, types, call.int64(), call.budget(), into));
    }
}
