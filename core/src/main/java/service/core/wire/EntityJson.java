package service.core.wire;

import org.jspecify.annotations.Nullable;
import service.core.graph.branch.EntityBlame;
import service.core.graph.branch.EntityHistory;
import service.core.graph.branch.EntityPage;
import service.core.json.ImageJson;
import service.core.json.JsonWriter;
import service.core.schema.EntityType;
import service.core.value.Ulid;

/** The history of an entity as JSON ({@code docs/http.md}). Any thread. */
public final class EntityJson {
    private EntityJson() {}

    /** A page of changes. */
    public static void page(JsonWriter json, EntityPage page) {
        begin(json, page.entity(), page.at());
        json.field("changes").beginArray();
        page.changes().forEach(entry -> entry(json, entry));
        json.endArray();
        if (page.nextBefore() != null) {
            json.field("next_before").string(page.nextBefore());
        }
        end(json, page.truncatedAt());
    }

    /** Who set the present values. */
    public static void blame(JsonWriter json, EntityBlame blame) {
        begin(json, blame.entity(), blame.at());
        json.field("properties").beginArray();
        for (EntityBlame.Line line : blame.lines()) {
            json.beginObject();
            switch (line) {
                case EntityBlame.Line.OfProperty of -> {
                    json.field("name").string(of.property().name());
                    json.field("value").value(of.value(), of.property().type());
                }
                case EntityBlame.Line.OfEnd end -> {
                    json.field("name").string(end.name());
                    ImageJson.end(json.field("value"), end.end(), end.storedType(), end.id());
                }
            }
            json.field("commit");
            WireRecords.commit(json, line.commit());
            json.endObject();
        }
        json.endArray();
        end(json, blame.truncatedAt());
    }

    private static void begin(JsonWriter json, EntityHistory.Entity entity, Ulid at) {
        json.beginObject();
        json.field("entity_kind").string(entity.kind().wireName());
        json.field("type_name").string(entity.type());
        json.field("entity_id").string(entity.id());
        json.field("graph_commit_id").string(at.toString());
    }

    private static void end(JsonWriter json, @Nullable Ulid truncatedAt) {
        if (truncatedAt != null) {
            json.field("truncated_at").string(truncatedAt.toString());
        }
        json.endObject();
    }

    private static void entry(JsonWriter json, EntityPage.Entry entry) {
        EntityType type = entry.type();
        json.beginObject();
        json.field("op").string(entry.before() == null ? "insert" : entry.after() == null ? "delete" : "update");
        json.field("type").beginObject();
        json.field("id").string(Integer.toString(type.identity()));
        json.field("name").string(type.name());
        json.endObject();
        ImageJson.field(json, "before", entry.before(), type);
        ImageJson.field(json, "after", entry.after(), type);
        json.field("commit");
        WireRecords.commit(json, entry.commit());
        json.endObject();
    }
}
