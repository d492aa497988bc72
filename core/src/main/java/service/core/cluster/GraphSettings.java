package service.core.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.blob.ExternalBases;
import service.core.cluster.ClusterConfig.GraphConfig;
import service.core.json.Json;
import service.core.port.GraphRules;
import service.core.port.RetentionPolicy;

/** The settings of a graph's resource other than its schema and queries, as JSON in the ledger. */
final class GraphSettings {
    private static final String EXTERNAL_BLOBS = "external_blobs";
    private static final String RETENTION = "retention";
    private static final String FAST_FORWARD = "fast_forward";
    private static final String NEVER = "never";

    private GraphSettings() {}

    static String of(GraphConfig graph) {
        ObjectNode settings = JsonNodeFactory.instance.objectNode();
        if (graph.retention() != null) {
            settings.set(RETENTION, Json.read(graph.retention(), "retention"));
        }
        if (!graph.externalBlobs().isEmpty()) {
            graph.externalBlobs().forEach(settings.putArray(EXTERNAL_BLOBS)::add);
        }
        if (!graph.fastForwards()) {
            settings.put(FAST_FORWARD, NEVER);
        }
        return settings.toString();
    }

    /** The rules of a graph; IllegalArgumentException for a base of external blobs that is not allowed. */
    static GraphRules rules(Resource graph) {
        JsonNode settings =
                graph.settings() == null ? MissingNode.getInstance() : Json.read(graph.settings(), "settings");
        List<String> bases = new ArrayList<>();
        for (JsonNode base : settings.path(EXTERNAL_BLOBS)) {
            bases.add(base.asText());
        }
        return new GraphRules(
                ExternalBases.of(bases), !settings.path(FAST_FORWARD).asText().equals(NEVER));
    }

    /** The amount of history that a graph keeps; null for all of it. */
    static @Nullable RetentionPolicy retention(Resource graph) {
        JsonNode retention = graph.settings() == null
                ? null
                : Json.read(graph.settings(), "settings").get(RETENTION);
        if (retention == null) {
            return null;
        }
        return RetentionPolicy.of(
                retention.has("keep") ? retention.get("keep").asLong() : null,
                retention.has("older_than") ? retention.get("older_than").asText() : null);
    }
}
