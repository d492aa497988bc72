package service.cli.boot;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import service.core.budget.RequestBudget;
import service.core.error.ServiceException;
import service.core.graph.GraphAccess;
import service.core.graph.schema.MigrationResult;
import service.core.graph.schema.SchemaRequest;
import service.core.json.Json;
import service.core.json.JsonWriter;
import service.core.schema.migrate.DropApproval;
import service.core.schema.migrate.MigrationPlan;
import service.core.wire.MigrationJson;

/** Plans and applies the schema of a store. */
final class StoreSchema {
    private final GraphAccess graph;

    /** @param ofCluster whether a cluster's ledger holds the schema of the graph */
    StoreSchema(GraphAccess graph, boolean ofCluster) {
        this.graph = graph;
        if (ofCluster) {
            throw ServiceException.conflict(
                    "the schema of a cluster's graph is part of the cluster: edit the schema file and run `service cluster plan`, then `service cluster apply`");
        }
    }

    /** @param allowedDrops names of types that may be dropped although they have entities */
    ObjectNode plan(String source, List<String> allowedDrops, RequestBudget budget) {
        MigrationPlan plan = graph.planSchema(source, approval(allowedDrops), budget);
        return object(json -> MigrationJson.plan(json, plan));
    }

    ObjectNode apply(String source, List<String> allowedDrops, RequestBudget budget) {
        SchemaRequest request = new SchemaRequest(source, approval(allowedDrops), null);
        MigrationResult result = graph.applySchema(request, budget);
        return object(json -> MigrationJson.result(json, result));
    }

    private static DropApproval approval(List<String> allowedDrops) {
        return new DropApproval(false, Set.copyOf(allowedDrops), "add `--allow-drop %s`");
    }

    private static ObjectNode object(Consumer<JsonWriter> body) {
        return Json.readObject(JsonWriter.bytes(body), "the answer");
    }
}
