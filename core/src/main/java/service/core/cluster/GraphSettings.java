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
import service.core.port.EmbeddingSource;
import service.core.port.GraphRules;
import service.core.port.RetentionPolicy;

/** The settings of a graph's resource other than its schema and queries, as JSON in the ledger. */
final class GraphSettings {
    private static final String EXTERNAL_BLOBS = "external_blobs";
    private static final String RETENTION = "retention";
    private static final String FAST_FORWARD = "fast_forward";
    private static final String NEVER = "never";
    private static final String EMBEDDINGS = "embedding_provider";

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
        EmbeddingSource embeddings = graph.embeddings();
        if (embeddings != null) {
            settings.set(EMBEDDINGS, json(embeddings));
        }
        return settings.toString();
    }

    /** A provider with the name of the variable of its key; the key itself is never written. */
    private static ObjectNode json(EmbeddingSource source) {
        ObjectNode provider = JsonNodeFactory.instance.objectNode();
        provider.put("name", source.name()).put("kind", source.kind().word());
        if (source.baseUrl() != null) {
            provider.put("base_url", source.baseUrl());
        }
        provider.put("model", source.model());
        if (source.keyVariable() != null) {
            provider.put("api_key", "${" + source.keyVariable() + "}");
        }
        if (source.dimensions() > 0) {
            provider.put("dimensions", source.dimensions());
        }
        return provider;
    }

    private static @Nullable EmbeddingSource embeddings(JsonNode provider) {
        if (provider.isMissingNode()) {
            return null;
        }
        String word = provider.path("kind").asText();
        EmbeddingSource.Kind kind = EmbeddingSource.Kind.named(word);
        if (kind == null) {
            throw new IllegalArgumentException("the kind `" + word + "` of its embedding provider is unknown");
        }
        String key = provider.path("api_key").asText();
        return new EmbeddingSource(
                provider.path("name").asText(),
                kind,
                provider.has("base_url") ? provider.get("base_url").asText() : null,
                provider.path("model").asText(),
                key.isEmpty() ? null : key.substring("${".length(), key.length() - 1),
                provider.path("dimensions").asInt());
    }

    /** The rules of a graph; IllegalArgumentException, saying which, for settings that cannot be used. */
    static GraphRules rules(Resource graph) {
        JsonNode settings =
                graph.settings() == null ? MissingNode.getInstance() : Json.read(graph.settings(), "settings");
        List<String> bases = new ArrayList<>();
        for (JsonNode base : settings.path(EXTERNAL_BLOBS)) {
            bases.add(base.asText());
        }
        return new GraphRules(
                externalBlobs(bases),
                !settings.path(FAST_FORWARD).asText().equals(NEVER),
                embeddings(settings.path(EMBEDDINGS)));
    }

    private static ExternalBases externalBlobs(List<String> bases) {
        try {
            return ExternalBases.of(bases);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("a base of its external blobs " + e.getMessage(), e);
        }
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
