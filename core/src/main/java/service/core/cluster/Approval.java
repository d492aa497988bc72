package service.core.cluster;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;
import service.core.json.Json;

/**
 * The permission to delete a graph or to drop types that hold entities. It is good for one desired state and one
 * revision of the ledger.
 *
 * @param id ULID
 * @param resource {@code graph.<id>} or {@code schema.<id>}
 * @param configDigest of the desired state that was approved
 * @param ledgerRevision the ledger at that time
 * @param reason what is lost, in words
 * @param approvedAt RFC 3339
 */
public record Approval(
        String id,
        String resource,
        String configDigest,
        long ledgerRevision,
        String reason,
        String approvedAt,
        @Nullable String approvedBy) {
    /** The artifact as JSON. */
    public ObjectNode json() {
        return Json.object()
                .put("approval_id", id)
                .put("resource", resource)
                .put("config_digest", configDigest)
                .put("ledger_revision", ledgerRevision)
                .put("reason", reason)
                .put("approved_at", approvedAt)
                .put("approved_by", approvedBy);
    }

    /**
     * Reads an artifact.
     *
     * @throws service.core.error.ServiceException when it is not JSON
     */
    static Approval parse(byte[] bytes) {
        ObjectNode json = Json.readObject(bytes, "the approval");
        return new Approval(
                json.path("approval_id").asText(),
                json.path("resource").asText(),
                json.path("config_digest").asText(),
                json.path("ledger_revision").asLong(),
                json.path("reason").asText(),
                json.path("approved_at").asText(),
                json.path("approved_by").isTextual() ? json.get("approved_by").asText() : null);
    }

    /** Who approved it and when. */
    String words() {
        return approvedAt + (approvedBy == null ? "" : " by " + approvedBy);
    }
}
