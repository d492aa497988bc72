package service.core.cluster;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import service.core.config.ConfigDiagnostic;

/** The JSON of {@code service cluster …} ({@code cluster.md} §3). */
public final class ClusterJson {
    private ClusterJson() {}

    public static ObjectNode validation(List<ConfigDiagnostic> diagnostics) {
        ObjectNode answer = object().put("ok", diagnostics.isEmpty());
        ArrayNode array = answer.putArray("diagnostics");
        for (ConfigDiagnostic diagnostic : diagnostics) {
            array.addObject()
                    .put("code", diagnostic.code())
                    .put("message", diagnostic.message())
                    .put("file", diagnostic.file())
                    .put("line", diagnostic.line())
                    .put("column", diagnostic.column());
        }
        return answer;
    }

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
        }
        answer.putArray("approvals_required");
        return answer.put("converged", plan.converged())
                .put("ledger_revision", plan.ledgerRevision())
                .put("ledger_cas", plan.ledgerCas())
                .put("config_digest", plan.configDigest());
    }

    public static ObjectNode status(ClusterStatus status) {
        ObjectNode answer = object().put("cluster_id", status.clusterId())
                .put("incarnation", status.incarnation())
                .put("canonical_root", status.canonicalRoot())
                .put("ledger_revision", status.ledgerRevision())
                .put("ledger_cas", status.ledgerCas())
                .put("applied_digest", status.appliedDigest());
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
