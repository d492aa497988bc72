package service.core.wire;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.graph.schema.MigrationResult;
import service.core.graph.schema.UpgradeResult;
import service.core.json.JsonWriter;
import service.core.schema.migrate.MigrationPlan;
import service.core.schema.migrate.SchemaRefusal;

/** Plans and results of migrations as JSON. */
public final class MigrationJson {
    private MigrationJson() {}

    /**
     * Writes a plan: {@code {"accepted_digest", "schema_digest", "converged", "steps": [step], "refusals": [{"code",
     * "kind", "type_name", "property"?, "entity_id"?, "count", "message"}], "drops": [{"kind", "type_name",
     * "entity_count", "approved"}]}}.
     */
    public static void plan(JsonWriter json, MigrationPlan plan) {
        json.beginObject();
        fields(json, plan);
        json.endObject();
    }

    /** Writes the plan that was applied, with its {@code commit}: null when nothing was to do. */
    public static void result(JsonWriter json, MigrationResult result) {
        json.beginObject();
        fields(json, result.plan());
        json.field("commit");
        WireRecords.commit(json, result.commit());
        json.endObject();
    }

    /**
     * Writes the answer to an upgrade of a branch: {@code branch}, {@code outcome} and {@code actor_id}, then the
     * members of a plan, and {@code commit}.
     */
    public static void upgrade(JsonWriter json, UpgradeResult result) {
        json.beginObject();
        json.field("branch").string(result.branch());
        json.field("outcome").string(result.outcome().wireName());
        json.field("actor_id").string(result.actor());
        fields(json, result.steps(), result.outcome() == UpgradeResult.Outcome.ALREADY_UP_TO_DATE, result.refusals());
        json.field("commit");
        WireRecords.commit(json, result.commit());
        json.endObject();
    }

    private static void fields(JsonWriter json, MigrationPlan plan) {
        fields(json, UpgradeResult.Steps.of(plan), plan.isNothing(), plan.refusals());
    }

    private static void fields(
            JsonWriter json, UpgradeResult.Steps steps, boolean converged, List<SchemaRefusal> refusals) {
        json.field("accepted_digest").string(steps.before());
        json.field("schema_digest").string(steps.after());
        json.field("converged").value(converged);
        json.field("steps").beginArray();
        steps.steps().forEach(step -> json.json(step.getBytes(StandardCharsets.UTF_8)));
        json.endArray();
        json.field("refusals").beginArray();
        refusals.forEach(refusal -> refusal(json, refusal));
        json.endArray();
        json.field("drops").beginArray();
        for (MigrationPlan.Drop drop : steps.drops()) {
            json.beginObject().field("kind").string(drop.kind());
            json.field("type_name").string(drop.typeName());
            json.field("entity_count").value(drop.count());
            json.field("approved").value(drop.approved()).endObject();
        }
        json.endArray();
    }

    private static void refusal(JsonWriter json, SchemaRefusal refusal) {
        json.beginObject().field("code").string(refusal.code());
        json.field("kind").string(refusal.kind());
        json.field("type_name").string(refusal.typeName());
        optional(json, "property", refusal.property());
        optional(json, "entity_id", refusal.entityId());
        json.field("count").value(refusal.count());
        json.field("message").string(refusal.message()).endObject();
    }

    private static void optional(JsonWriter json, String name, @Nullable String text) {
        if (text != null) {
            json.field(name).string(text);
        }
    }
}
