package service.core.wire;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import service.core.event.EntityChange;
import service.core.json.ImageJson;
import service.core.json.JsonWriter;
import service.core.schema.Catalog;
import service.core.schema.EntityType;
import service.core.schema.Property;

/**
 * Writes one entity change as JSON ({@code docs/change-data-capture.md}). The change feed, commit changes, diffs and
 * the images of merge conflicts use the same form. Any thread.
 */
public final class ChangeJson {
    private ChangeJson() {}

    /** The operation: {@code insert}, {@code update} or {@code delete}. */
    public static String operation(EntityChange change) {
        return change.before() == null ? "insert" : change.after() == null ? "delete" : "update";
    }

    /**
     * Writes {@code {kind, type, id, op, before?, after?}}. Names are those of the state after, also in {@code before},
     * so that a rename alone is no difference; what only the state before has keeps its name.
     *
     * @param before the schema of the state before
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
        ImageJson.field(json, "before", change.before(), old == null ? named : old, names(old, current));
        ImageJson.field(json, "after", change.after(), named);
        json.endObject();
    }

    private static Function<Property, String> names(@Nullable EntityType old, @Nullable EntityType current) {
        if (old == null || current == null || old.equals(current)) {
            return Property::name;
        }
        // A property may have been dropped, and another one may have got its name.
        boolean clash = old.properties().stream()
                .filter(property -> current.property(property.identity()) == null)
                .anyMatch(dropped -> current.properties().stream()
                        .anyMatch(kept -> kept.name().equals(dropped.name()) && old.property(kept.identity()) != null));
        if (clash) {
            return Property::name;
        }
        return property -> {
            Property now = current.property(property.identity());
            return now == null ? property.name() : now.name();
        };
    }
}
