package service.log.backup;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import service.log.retain.Retention;

/**
 * The description of a backup in its file.
 *
 * @param graphId the graph's id in its cluster, or its store's name
 * @param graph the identity that it got when it was made
 * @param headOffset of the last event
 * @param base the image that a replay starts from, or null
 * @param createdAt RFC 3339
 */
public record BackupManifest(
        String graphId, String graph, long headOffset, Retention.@Nullable Base base, String createdAt) {
    private static final ObjectMapper JSON = new ObjectMapper();

    byte[] encode() {
        ObjectNode node = JSON.createObjectNode();
        node.put("graph_id", graphId)
                .put("graph", graph)
                .put("head_offset", headOffset)
                .put("created_at", createdAt);
        if (base != null) {
            node.putObject("base").put("offset", base.offset()).put("digest", base.digest());
        }
        try {
            return JSON.writeValueAsBytes(node);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a tree of texts and numbers is JSON", e);
        }
    }

    static BackupManifest decode(byte[] bytes) throws IOException {
        JsonNode node = JSON.readTree(new String(bytes, StandardCharsets.UTF_8));
        JsonNode base = node.path("base");
        return new BackupManifest(
                node.path("graph_id").asText(),
                node.path("graph").asText(),
                node.path("head_offset").asLong(),
                base.isObject()
                        ? new Retention.Base(
                                base.path("offset").asLong(),
                                base.path("digest").asText())
                        : null,
                node.path("created_at").asText());
    }
}
