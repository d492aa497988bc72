package service.core.graph.load;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import service.core.graph.request.Receipts;
import service.core.graph.request.WriteKey;
import service.core.json.Json;
import service.core.port.GraphSession;

/** Receipts of loads. Any thread. */
final class LoadReceipts implements Receipts<LoadResult> {
    static final LoadReceipts INSTANCE = new LoadReceipts();

    private static final String BRANCH = "branch";
    private static final String BASE = "base_branch";
    private static final String CREATED = "branch_created";
    private static final String MODE = "mode";
    private static final String NODES = "nodes";
    private static final String EDGES = "edges";
    private static final String NEW_EDGES = "edges_without_id";

    private LoadReceipts() {}

    @Override
    public ObjectNode write(LoadResult result) {
        ObjectNode receipt = Json.object().put(BRANCH, result.target().branch());
        receipt.put(BASE, result.target().base());
        receipt.put(CREATED, result.target().created()).put(MODE, result.mode().name());
        write(result.nodes(), receipt.putArray(NODES));
        write(result.edges(), receipt.putArray(EDGES));
        if (result.edgesWithoutId() > 0) {
            receipt.put(NEW_EDGES, result.edgesWithoutId());
        }
        return receipt;
    }

    private static void write(List<LoadResult.TypeLoad> loads, ArrayNode into) {
        loads.forEach(load -> into.addObject().put(load.name(), load.entitiesLoaded()));
    }

    @Override
    public LoadResult read(GraphSession session, WriteKey.First first) {
        return read(first);
    }

    static LoadResult read(WriteKey.First first) {
        JsonNode receipt = first.receipt();
        return new LoadResult(
                new LoadResult.Target(
                        receipt.path(BRANCH).asText(),
                        receipt.path(BASE).textValue(),
                        receipt.path(CREATED).asBoolean()),
                LoadMode.valueOf(receipt.path(MODE).asText()),
                read(receipt.path(NODES)),
                read(receipt.path(EDGES)),
                receipt.path(NEW_EDGES).asLong(),
                first.actor(),
                first.commit(),
                true);
    }

    private static List<LoadResult.TypeLoad> read(JsonNode loads) {
        List<LoadResult.TypeLoad> read = new ArrayList<>();
        loads.forEach(type -> type.properties()
                .forEach(load -> read.add(
                        new LoadResult.TypeLoad(load.getKey(), load.getValue().asLong()))));
        return read;
    }
}
