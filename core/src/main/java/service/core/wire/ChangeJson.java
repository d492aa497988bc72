package service.core.wire;

import service.core.event.EntityChange;
import service.core.json.ImageJson;
import service.core.json.JsonWriter;
import service.core.schema.Catalog;
import service.core.schema.EntityType;

/**
 * Writes one entity change as JSON ({@code data.md} §8). The change feed, commit changes, diffs and the images of merge
 * conflicts use the same form. Any thread.
 */
public final class ChangeJson {
    private ChangeJson() {}

    /** The operation: {@code insert}, {@code update} or {@code delete}. */
    public static String operation(EntityChange change) {
        return change.before() == null ? "insert" : change.after() == null ? "delete" : "update";
    }

    /**
     * Writes {@code {kind, type, id, op, before?, after?}}.
     *
     * @param before the schema of the state before, which names the properties in {@code before}
     * @param after the schema of the state after
     */
    public static void change(JsonWriter json, EntityChange change, Catalog before, Catalog after) {
        EntityType old = before.type(change.typeIdentity());
        EntityType current = after.type(change.typeIdentity());
        EntityType named = current != null ? current : old;
        if (named == null) {
            throw new IllegalArgumentException("no type has identity " + change.typeIdentity());
        }
        json.beginObject();
        json.field("kind").string(change.kind().wireName());
        json.field("type").beginObject();
        json.field("id").string(Integer.toString(change.typeIdentity()));
        json.field("name").string(named.name()).endObject();
        json.field("id").string(change.id());
        json.field("op").string(operation(change));
        ImageJson.field(json, "before", change.before(), old == null ? named : old);
        ImageJson.field(json, "after", change.after(), named);
        json.endObject();
    }
}
