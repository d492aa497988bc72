package service.core.graph.request;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import service.core.value.EntityKind;

/**
 * What a revert, a restore or a pick did not bring to the branch, because its schema does not have it any more.
 *
 * @param typeName the name that the type had then
 * @param property null for whole entities of a type
 * @param count of entities
 */
public record LeftOut(
        EntityKind kind, String typeName, @Nullable String property, long count) {
    private static final String LEFT_OUT = "left_out";
    private static final String KIND = "entity_kind";
    private static final String TYPE = "type";
    private static final String PROPERTY = "property";
    private static final String COUNT = "count";

    /** Adds what was left out to a receipt. */
    public static void write(List<LeftOut> all, ObjectNode receipt) {
        if (all.isEmpty()) {
            return;
        }
        ArrayNode into = receipt.putArray(LEFT_OUT);
        for (LeftOut each : all) {
            into.addObject()
                    .put(KIND, each.kind.wireName())
                    .put(TYPE, each.typeName)
                    .put(PROPERTY, each.property)
                    .put(COUNT, each.count);
        }
    }

    /** What a receipt says was left out. */
    public static List<LeftOut> read(JsonNode receipt) {
        List<LeftOut> all = new ArrayList<>();
        for (JsonNode each : receipt.path(LEFT_OUT)) {
            all.add(new LeftOut(
                    Objects.requireNonNull(EntityKind.ofWireName(each.path(KIND).asText())),
                    each.path(TYPE).asText(),
                    each.path(PROPERTY).textValue(),
                    each.path(COUNT).asLong()));
        }
        return all;
    }
}
