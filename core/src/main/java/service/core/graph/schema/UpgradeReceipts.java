package service.core.graph.schema;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import service.core.event.SchemaChange;
import service.core.graph.request.CommitRecord;
import service.core.graph.request.Receipts;
import service.core.graph.request.WriteKey;
import service.core.json.Json;
import service.core.port.GraphSession;
import service.core.schema.migrate.MigrationPlan;

/** Receipts of upgrades; the steps are in the commit. */
final class UpgradeReceipts implements Receipts<UpgradeResult> {
    @Override
    public ObjectNode write(UpgradeResult result) {
        ObjectNode receipt = Json.object()
                .put("branch", result.branch())
                .put("outcome", result.outcome().name())
                .put("before", result.steps().before())
                .put("after", result.steps().after());
        ArrayNode drops = receipt.putArray("drops");
        for (MigrationPlan.Drop drop : result.steps().drops()) {
            drops.addObject()
                    .put("kind", drop.kind())
                    .put("type", drop.typeName())
                    .put("count", drop.count());
        }
        return receipt;
    }

    @Override
    public UpgradeResult read(GraphSession session, WriteKey.First first) {
        JsonNode receipt = first.receipt();
        List<MigrationPlan.Drop> drops = new ArrayList<>();
        for (JsonNode drop : receipt.path("drops")) {
            drops.add(new MigrationPlan.Drop(
                    drop.path("kind").asText(),
                    drop.path("type").asText(),
                    drop.path("count").asLong(),
                    true));
        }
        return new UpgradeResult(
                receipt.path("branch").asText(),
                UpgradeResult.Outcome.valueOf(receipt.path("outcome").asText()),
                first.actor(),
                new UpgradeResult.Steps(
                        receipt.path("before").asText(), receipt.path("after").asText(), steps(session, first), drops),
                List.of(),
                first.commit(),
                true);
    }

    private static List<String> steps(GraphSession session, WriteKey.First first) {
        CommitRecord commit = first.commit();
        SchemaChange change =
                commit == null ? null : session.header(commit.logOffset()).schema();
        return change == null ? List.of() : change.steps();
    }
}
