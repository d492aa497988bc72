package service.core.graph.branch;

import java.nio.charset.StandardCharsets;
import java.util.List;
import service.core.json.ImageJson;
import service.core.json.Int64Form;
import service.core.json.JsonWriter;

/** Merge conflicts as JSON ({@code docs/branches.md}). Any thread. */
public final class ConflictJson {
    private ConflictJson() {}

    /** Writes {@code [{entity_kind, type_name, entity_id, kind, message, properties?, base?, …}]}. */
    public static void write(JsonWriter json, List<MergeConflict> conflicts) {
        json.beginArray();
        for (MergeConflict conflict : conflicts) {
            json.beginObject();
            json.field("entity_kind").string(conflict.type().kind().wireName());
            json.field("type_name").string(conflict.type().name());
            json.field("entity_id").string(conflict.entityId());
            json.field("kind").string(conflict.kind().wireName());
            json.field("message").string(conflict.message());
            if (!conflict.properties().isEmpty()) {
                json.field("properties").beginArray();
                conflict.properties().forEach(json::string);
                json.endArray();
            }
            ImageJson.field(json, "base", conflict.base(), conflict.type());
            ImageJson.field(json, "source", conflict.source(), conflict.type());
            ImageJson.field(json, "target", conflict.target(), conflict.type());
            json.endObject();
        }
        json.endArray();
    }

    static String array(Int64Form int64, List<MergeConflict> conflicts) {
        return new String(JsonWriter.bytes(int64, json -> write(json, conflicts)), StandardCharsets.UTF_8);
    }
}
