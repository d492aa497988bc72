package service.core.cluster;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import service.core.json.Json;

/**
 * {@code __cluster/state.json}: the applied state of a cluster. Every write is a new revision.
 *
 * @param clusterId ULID, minted by the first apply
 * @param incarnation ULID, minted with it; different after a root was created again
 * @param revision from 1, one more with each write
 * @param applied null before the first apply is complete
 * @param statuses the resources that the last refresh found different from what was applied, by address
 * @param approvals the approvals that applies have used, oldest first
 * @param recoveries the interrupted steps that were settled, oldest first
 */
record Ledger(
        String clusterId,
        String incarnation,
        long revision,
        @Nullable Applied applied,
        NavigableMap<String, Status> statuses,
        List<UsedApproval> approvals,
        List<SettledRecovery> recoveries) {
    private static final int VERSION = 1;

    /** Settled recoveries that are kept. */
    private static final int RECOVERIES_MAX = 100;

    private static final ObjectMapper JSON = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

    /**
     * The applied revision.
     *
     * @param appliedAt RFC 3339
     * @param resources by address, without their content, which is in the catalog
     */
    record Applied(
            String configDigest,
            String appliedAt,
            @Nullable String appliedBy,
            NavigableMap<String, Resource> resources) {}

    /**
     * What a refresh has found.
     *
     * @param status as in {@link ClusterStatus.ResourceStatus}
     */
    record Status(String status, List<String> conditions) {}

    /**
     * An approval and the revision of the ledger that was written when it was used.
     *
     * @param usedAt RFC 3339
     */
    record UsedApproval(String approvalId, String resource, long ledgerRevision, String usedAt) {}

    /**
     * An interrupted step and what was found of it.
     *
     * @param outcome {@code done} or {@code not_done}
     * @param settledAt RFC 3339
     */
    record SettledRecovery(String recoveryId, String operation, String graphId, String outcome, String settledAt) {}

    /** The next ledger, one revision later. */
    Ledger next(
            Applied state,
            NavigableMap<String, Status> found,
            List<UsedApproval> moreApprovals,
            List<SettledRecovery> moreRecoveries) {
        List<UsedApproval> allApprovals = new ArrayList<>(approvals);
        allApprovals.addAll(moreApprovals);
        List<SettledRecovery> allRecoveries = new ArrayList<>(recoveries);
        allRecoveries.addAll(moreRecoveries);
        return new Ledger(
                clusterId,
                incarnation,
                revision + 1,
                state,
                found,
                allApprovals,
                allRecoveries.subList(Math.max(0, allRecoveries.size() - RECOVERIES_MAX), allRecoveries.size()));
    }

    /** The ledger before the first one, at revision 0. */
    static Ledger empty(String clusterId, String incarnation) {
        return new Ledger(clusterId, incarnation, 0, null, new TreeMap<>(), List.of(), List.of());
    }

    byte[] toBytes() {
        ObjectNode root = JSON.createObjectNode()
                .put("version", VERSION)
                .put("cluster_id", clusterId)
                .put("incarnation", incarnation)
                .put("ledger_revision", revision);
        if (applied == null) {
            root.putNull("applied");
        } else {
            ObjectNode state = root.putObject("applied")
                    .put("config_digest", applied.configDigest())
                    .put("applied_at", applied.appliedAt())
                    .put("applied_by", applied.appliedBy());
            ObjectNode resources = state.putObject("resources");
            applied.resources().forEach((address, resource) -> write(resources.putObject(address), resource));
        }
        ObjectNode statusNodes = root.putObject("statuses");
        statuses.forEach((address, status) -> {
            ObjectNode node = statusNodes.putObject(address).put("status", status.status());
            status.conditions().forEach(node.putArray("conditions")::add);
        });
        ArrayNode approvalNodes = root.putArray("approvals");
        approvals.forEach(used -> approvalNodes
                .addObject()
                .put("approval_id", used.approvalId())
                .put("resource", used.resource())
                .put("ledger_revision", used.ledgerRevision())
                .put("used_at", used.usedAt()));
        ArrayNode recoveryNodes = root.putArray("recoveries");
        recoveries.forEach(settled -> recoveryNodes
                .addObject()
                .put("recovery_id", settled.recoveryId())
                .put("operation", settled.operation())
                .put("graph_id", settled.graphId())
                .put("outcome", settled.outcome())
                .put("settled_at", settled.settledAt()));
        try {
            return (JSON.writeValueAsString(root) + "\n").getBytes(StandardCharsets.UTF_8);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void write(ObjectNode node, Resource resource) {
        node.put("digest", resource.digest());
        if (resource.kind() == Resource.Kind.POLICY) {
            ArrayNode bindings = node.putArray("applies_to");
            resource.bindings().forEach(bindings::add);
        }
        if (resource.settings() != null) {
            node.set("settings", Json.read(resource.settings(), "settings"));
        }
    }

    /**
     * Reads a ledger.
     *
     * @throws IllegalArgumentException with the fault
     */
    static Ledger parse(byte[] bytes) {
        JsonNode root = Json.readObject(bytes, "the ledger");
        if (root.path("version").asInt() != VERSION) {
            throw new IllegalArgumentException(
                    "the ledger has version " + root.path("version") + "; this build reads " + VERSION);
        }
        JsonNode applied = root.path("applied");
        return new Ledger(
                required(root, "cluster_id"),
                required(root, "incarnation"),
                root.path("ledger_revision").asLong(),
                applied.isObject() ? parseApplied(applied) : null,
                parseStatuses(root.path("statuses")),
                parseApprovals(root.path("approvals")),
                parseRecoveries(root.path("recoveries")));
    }

    private static NavigableMap<String, Status> parseStatuses(JsonNode nodes) {
        NavigableMap<String, Status> statuses = new TreeMap<>();
        nodes.properties().forEach(entry -> {
            List<String> conditions = new ArrayList<>();
            entry.getValue().path("conditions").forEach(condition -> conditions.add(condition.asText()));
            statuses.put(entry.getKey(), new Status(required(entry.getValue(), "status"), conditions));
        });
        return statuses;
    }

    private static List<UsedApproval> parseApprovals(JsonNode nodes) {
        List<UsedApproval> approvals = new ArrayList<>();
        nodes.forEach(node -> approvals.add(new UsedApproval(
                required(node, "approval_id"),
                required(node, "resource"),
                node.path("ledger_revision").asLong(),
                required(node, "used_at"))));
        return approvals;
    }

    private static List<SettledRecovery> parseRecoveries(JsonNode nodes) {
        List<SettledRecovery> recoveries = new ArrayList<>();
        nodes.forEach(node -> recoveries.add(new SettledRecovery(
                required(node, "recovery_id"),
                required(node, "operation"),
                required(node, "graph_id"),
                required(node, "outcome"),
                required(node, "settled_at"))));
        return recoveries;
    }

    private static Applied parseApplied(JsonNode node) {
        NavigableMap<String, Resource> resources = new TreeMap<>();
        node.path("resources")
                .properties()
                .forEach(entry -> resources.put(entry.getKey(), parseResource(entry.getKey(), entry.getValue())));
        return new Applied(
                required(node, "config_digest"),
                required(node, "applied_at"),
                node.path("applied_by").isTextual() ? node.path("applied_by").asText() : null,
                resources);
    }

    private static Resource parseResource(String address, JsonNode node) {
        List<String> bindings = new ArrayList<>();
        node.path("applies_to").forEach(scope -> bindings.add(scope.asText()));
        return new Resource(
                Resource.Kind.ofAddress(address),
                address,
                required(node, "digest"),
                null,
                bindings,
                node.has("settings") ? node.get("settings").toString() : null);
    }

    private static String required(JsonNode node, String field) {
        if (!node.path(field).isTextual()) {
            throw new IllegalArgumentException("the ledger has no `" + field + "`");
        }
        return node.path(field).asText();
    }
}
