package service.http.route;

import java.util.List;
import service.core.error.Reason;
import service.core.error.ServiceException;
import service.core.gq.lint.Lint;
import service.core.graph.GraphAccess;
import service.core.graph.request.SchemaRecord;
import service.core.graph.request.SourceWork;
import service.core.policy.Action;
import service.core.port.Branch;
import service.core.wire.CatalogJson;
import service.core.wire.LintJson;
import service.core.wire.WireRecords;

/**
 * {@code /schema}, {@code /catalog}, {@code /lint}; and {@code /schema/apply}, which is always refused because the
 * cluster owns the schema.
 */
final class SchemaRoutes {
    private SchemaRoutes() {}

    static List<Route> routes() {
        return List.of(
                Route.get("/graphs/{graph_id}/schema", Action.READ, SchemaRoutes::schema)
                        .with("branch", "snapshot", "as_of"),
                Route.get("/graphs/{graph_id}/catalog", Action.READ, SchemaRoutes::catalog)
                        .with("branch", "snapshot", "as_of"),
                Route.post("/graphs/{graph_id}/lint", Action.READ, BodyRule.JSON, SchemaRoutes::lint),
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

    private static Answer catalog(Call call) {
        SchemaRecord schema = call.requireGraph().schema(call.target());
        return Answer.json(json -> CatalogJson.write(json, schema));
    }

    /** Checks queries against the schema of a state, and runs nothing. */
    private static Answer lint(Call call) {
        long start = System.nanoTime();
        Fields fields = call.fields("query", "branch", "snapshot", "as_of");
        String source = fields.requireText("query");
        GraphAccess graph = call.requireGraph();
        SchemaRecord schema = graph.schema(call.target(fields));
        Lint.Checked checked;
        try (SourceWork work = new SourceWork(source, graph.settings(), start, call.budget())) {
            checked = Lint.of(source, schema.catalog(), work);
            work.forgotten();
        }
        return Answer.json(json -> LintJson.write(json, checked));
    }

    private static Answer refuseApply(Call call) {
        GraphAccess graph = call.requireGraph();
        graph.caller().require(Action.SCHEMA_APPLY, graph.id(), Branch.MAIN);
        throw ServiceException.conflict(
                Reason.SCHEMA,
                "a served graph takes its schema from the cluster; edit the schema file and run `service cluster apply`");
    }
}
