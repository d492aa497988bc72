package service.core.wire;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import service.core.graph.schema.MigrationResult;
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

    private static void fields(JsonWriter json, MigrationPlan plan) {
        json.field("accepted_digest").string(plan.accepted().digest());
        json.field("schema_digest").string(plan.desired().digest());
        json.field("converged").value(plan.isNothing());
        json.field("steps").beginArray();
        plan.steps().forEach(step -> json.json(step.toJson().toString().getBytes(StandardCharsets.UTF_8)));
        json.endArray();
        json.field("refusals").beginArray();
        plan.refusals().forEach(refusal -> refusal(json, refusal));
        json.endArray();
        json.field("drops").beginArray();
        for (MigrationPlan.Drop drop : plan.drops()) {
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
