package service.http.route;

import java.util.List;
import service.core.error.Reason;
import service.core.error.ServiceException;
import service.core.graph.GraphAccess;
import service.core.graph.request.SchemaRecord;
import service.core.policy.Action;
import service.core.port.Branch;
import service.core.wire.WireRecords;

/** {@code /schema}; and {@code /schema/apply}, which is always refused because the cluster owns the schema. */
final class SchemaRoutes {
    private SchemaRoutes() {}

    static List<Route> routes() {
        return List.of(
                Route.get("/graphs/{graph_id}/schema", Action.READ, SchemaRoutes::schema)
                        .with("branch", "snapshot", "as_of"),
                Route.post(
                        "/graphs/{graph_id}/schema/apply",
                        Action.SCHEMA_APPLY,
                        BodyRule.IGNORED,
                        SchemaRoutes::refuseApply));
    }

    private static Answer schema(Call call) {
        SchemaRecord schema = call.requireGraph().schema(call.target());
        return Answer.json(json -> WireRecords.schema(json, schema));
    }

    private static Answer refuseApply(Call call) {
        GraphAccess graph = call.requireGraph();
        graph.caller().require(Action.SCHEMA_APPLY, graph.id(), Branch.MAIN);
        throw ServiceException.conflict(
                Reason.SCHEMA,
                "a served graph takes its schema from the cluster; edit the schema file and run `service cluster apply`");
    }
}
