package service.core.cluster;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import service.core.json.Json;

/** The JSON of {@code service cluster …} ({@code docs/cluster-reference.md}). */
public final class ClusterJson {
    private ClusterJson() {}

    public static ObjectNode plan(ChangePlan plan) {
        ObjectNode answer = object();
        ArrayNode changes = answer.putArray("changes");
        for (ChangePlan.Change change : plan.changes()) {
            ObjectNode node = changes.addObject()
                    .put("resource", change.resource())
                    .put("change", change.kind().wireName())
                    .put("disposition", change.disposition().wireName());
            if (change.reason() != null) {
                node.put("reason", change.reason());
            }
            if (change.isBlocked() && !change.codes().isEmpty()) {
                change.codes().forEach(node.putArray("codes")::add);
            }
            if (!change.migration().isEmpty()) {
                ArrayNode steps = node.putArray("migration");
                change.migration().forEach(step -> steps.add(Json.read(step, "the step")));
            }
        }
        plan.approvalsRequired().forEach(answer.putArray("approvals_required")::add);
        return answer.put("converged", plan.converged())
                .put("ledger_revision", plan.ledger().revision())
                .put("ledger_cas", plan.ledger().cas())
                .put("config_digest", plan.configDigest());
    }

    public static ObjectNode status(ClusterStatus status) {
        ObjectNode answer = object().put("cluster_id", status.cluster().clusterId())
                .put("incarnation", status.cluster().incarnation())
                .put("canonical_root", status.cluster().canonicalRoot())
                .put("ledger_revision", status.ledger().revision())
                .put("ledger_cas", status.ledger().cas())
                .put("applied_digest", status.ledger().appliedDigest());
        ArrayNode resources = answer.putArray("resources");
        for (ClusterStatus.ResourceStatus resource : status.resources()) {
            ObjectNode node = resources
                    .addObject()
                    .put("resource", resource.resource())
                    .put("digest", resource.digest())
                    .put("status", resource.status());
            resource.conditions().forEach(node.putArray("conditions")::add);
        }
        if (status.lock() != null) {
            answer.set("lock", status.lock());
        }
        return answer.put("pending_recoveries", status.pendingRecoveries());
    }

    private static ObjectNode object() {
        return JsonNodeFactory.instance.objectNode();
    }
}
