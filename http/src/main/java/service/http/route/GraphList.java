package service.http.route;

import java.util.TreeSet;
import service.core.cluster.ServedCluster;
import service.core.json.JsonWriter;

/** The list of {@code GET /graphs/discovery} and of the MCP tool {@code graphs}. */
public final class GraphList {
    private GraphList() {}

    /** Writes every applied graph in the order of ids, also a quarantined one, without its state. */
    public static void write(JsonWriter json, ServedCluster cluster) {
        TreeSet<String> ids = new TreeSet<>(cluster.served().keySet());
        ids.addAll(cluster.quarantined().keySet());
        json.beginObject().field("graphs").beginArray();
        for (String id : ids) {
            json.beginObject()
                    .field("graph_id")
                    .string(id)
                    .field("display_name")
                    .string(id)
                    .endObject();
        }
        json.endArray().endObject();
    }
}
