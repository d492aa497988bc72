package service.core.schema.migrate;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One step of a migration.
 *
 * @param kind {@code node}, {@code edge} or {@code interface}
 * @param typeName the desired name of the type; for a dropped type its accepted one
 * @param property null when the step concerns the type itself; {@code from} or {@code to} for an end of an edge
 * @param before what the step removes or replaces, as a schema writes it: an old name, a type, a constraint,
 *     annotations, an end of an edge
 * @param after what the step adds or puts in its place
 */
public record MigrationStep(
        Action action,
        String kind,
        String typeName,
        @Nullable String property,
        @Nullable String before,
        @Nullable String after) {
    /** The kinds of steps, named on the wire in lower case. */
    public enum Action {
        ADD_TYPE,
        RENAME_TYPE,
        DROP_TYPE,
        ADD_PROPERTY,
        RENAME_PROPERTY,
        DROP_PROPERTY,
        EXTEND_ENUM,
        ADD_CONSTRAINT,
        DROP_CONSTRAINT,
        UPDATE_ANNOTATIONS,
        RELAX_NULLABILITY,
        WIDEN_END,
        NARROW_END,
        UNSUPPORTED;

        public String wireName() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * The step as events, feeds and plans show it: {@code {"step","kind","type_name","property"?,"from"?,"constraint"?,
     * "before"?,"after"?}}. A rename has {@code from}, a constraint {@code constraint}, other steps before and after.
     */
    public ObjectNode toJson() {
        ObjectNode json = JsonNodeFactory.instance
                .objectNode()
                .put("step", action.wireName())
                .put("kind", kind)
                .put("type_name", typeName);
        put(json, "property", property);
        switch (action) {
            case RENAME_TYPE, RENAME_PROPERTY -> put(json, "from", before);
            case ADD_CONSTRAINT -> put(json, "constraint", after);
            case DROP_CONSTRAINT -> put(json, "constraint", before);
            case ADD_TYPE,
                    DROP_TYPE,
                    ADD_PROPERTY,
                    DROP_PROPERTY,
                    EXTEND_ENUM,
                    UPDATE_ANNOTATIONS,
                    RELAX_NULLABILITY,
                    WIDEN_END,
                    NARROW_END,
                    UNSUPPORTED -> {
                put(json, "before", before);
                put(json, "after", after);
            }
        }
        return json;
    }

    private static void put(ObjectNode json, String name, @Nullable String text) {
        if (text != null) {
            json.put(name, text);
        }
    }
}
