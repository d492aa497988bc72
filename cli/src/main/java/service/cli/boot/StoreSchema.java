package service.cli.boot;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import service.core.budget.RequestBudget;
import service.core.error.ServiceException;
import service.core.event.Note;
import service.core.graph.GraphAccess;
import service.core.graph.schema.MigrationResult;
import service.core.graph.schema.SchemaRequest;
import service.core.json.Json;
import service.core.json.JsonWriter;
import service.core.policy.Caller;
import service.core.schema.migrate.DropApproval;
import service.core.schema.migrate.MigrationPlan;
import service.core.wire.MigrationJson;

/** The schema of a store, which changes without a plan of a cluster. Closing it closes the graph. */
public final class StoreSchema implements AutoCloseable {
    private final OpenedGraph opened;
    private final GraphAccess graph;

    private StoreSchema(OpenedGraph opened, Caller caller) {
        this.opened = opened;
        this.graph = opened.graph().as(caller);
    }

    /** Opens a store to compare its schema. */
    public static StoreSchema reading(GraphAddress store, @Nullable String actor) {
        requireStore(store);
        Caller caller = actor == null ? Caller.unrestricted(null) : store.caller(actor);
        return new StoreSchema(OpenedGraph.reading(store, Engine.ofProcess()), caller);
    }

    /** Opens a store to change its schema; takes its writer lock. */
    public static StoreSchema writing(GraphAddress store, @Nullable String actor) {
        requireStore(store);
        return new StoreSchema(OpenedGraph.writing(store, Engine.ofProcess()), store.caller(actor));
    }

    private static void requireStore(GraphAddress directory) {
        if (directory.isOfCluster()) {
            throw ofCluster();
        }
    }

    /** The refusal for a graph of a cluster. */
    public static ServiceException ofCluster() {
        return ServiceException.conflict("the schema of a cluster's graph is part of the cluster: edit the schema file"
                + " and run `service cluster plan`, then `service cluster apply`");
    }

    /**
     * Compares the schema in force with a desired one.
     *
     * @param allowedDrops names of types that may be dropped although they have entities
     */
    public ObjectNode plan(String source, List<String> allowedDrops) {
        try (RequestBudget budget = graph.budget(() -> false)) {
            MigrationPlan plan = graph.planSchema(source, approval(allowedDrops), budget);
            return object(json -> MigrationJson.plan(json, plan));
        }
    }

    /**
     * Changes the schema; the answer of {@link #plan} with the {@code commit}.
     *
     * @param note why; null without
     */
    public ObjectNode apply(String source, List<String> allowedDrops, @Nullable Note note) {
        try (RequestBudget budget = graph.budget(() -> false)) {
            MigrationResult result =
                    graph.applySchema(new SchemaRequest(source, approval(allowedDrops), null, note), budget);
            return object(json -> MigrationJson.result(json, result));
        }
    }

    private static DropApproval approval(List<String> allowedDrops) {
        return new DropApproval(false, Set.copyOf(allowedDrops), "add `--allow-drop %s`");
    }

    private static ObjectNode object(Consumer<JsonWriter> body) {
        return Json.readObject(JsonWriter.bytes(body), "the answer");
    }

    @Override
    public void close() {
        opened.close();
    }
}
