package service.core.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.json.Json;

/**
 * A plan in a file ({@code plan --out}). It names the state that it was made for and carries no authority: an apply
 * makes the plan again and refuses when the two differ.
 *
 * @param json the plan as {@link ClusterJson#plan} writes it, with {@code version} and {@code canonical_root}
 */
public record SavedPlan(ObjectNode json) {
    private static final int VERSION = 1;

    static SavedPlan of(ClusterRoot root, ChangePlan plan) {
        ObjectNode json = Json.object().put("version", VERSION).put("canonical_root", root.canonical());
        json.setAll(ClusterJson.plan(plan));
        return new SavedPlan(json);
    }

    /**
     * Reads a file.
     *
     * @throws ServiceException BAD_REQUEST when it is no saved plan
     */
    public static SavedPlan parse(byte[] bytes) {
        ObjectNode json = Json.readObject(bytes, "the saved plan");
        if (json.path("version").asInt() != VERSION || !json.path("changes").isArray()) {
            throw ServiceException.badRequest(
                    "the file is no saved plan of this build; make one with `service cluster plan --out FILE`");
        }
        return new SavedPlan(json);
    }

    /**
     * Compares with the plan that was made again.
     *
     * @throws ServiceException PRECONDITION_FAILED when something has moved
     */
    void requireFresh(ClusterRoot root, ChangePlan now) {
        SavedPlan again = of(root, now);
        String moved = moved(again);
        if (moved != null) {
            throw new ServiceException(
                    ErrorCode.PRECONDITION_FAILED,
                    "the saved plan is stale: " + moved + "; make a new one with `service cluster plan --out FILE`");
        }
    }

    private @Nullable String moved(SavedPlan again) {
        if (differs(again, "canonical_root")) {
            return "it is for the root " + json.path("canonical_root").asText();
        }
        if (differs(again, "config_digest")) {
            return "the files have changed";
        }
        if (differs(again, "ledger_cas")) {
            return "the ledger has moved from revision %d to %d"
                    .formatted(
                            json.path("ledger_revision").asLong(),
                            again.json.path("ledger_revision").asLong());
        }
        return core(json).equals(core(again.json)) ? null : "the graphs or approvals have changed";
    }

    private boolean differs(SavedPlan again, String field) {
        return !json.path(field).equals(again.json.path(field));
    }

    /** The changes without their reasons, which can contain counts and times. */
    private static JsonNode core(ObjectNode plan) {
        JsonNode changes = plan.path("changes").deepCopy();
        changes.forEach(change -> ((ObjectNode) change).remove("reason"));
        return changes;
    }
}
