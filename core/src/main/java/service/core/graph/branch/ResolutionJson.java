package service.core.graph.branch;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import service.core.error.ServiceException;
import service.core.json.JsonWriter;

/**
 * Resolutions of a merge as JSON: {@code [{entity_kind, type_name, entity_id, take}]}, or {@code [{entity_kind,
 * type_name, entity_id, property, take | value}]}. Any thread.
 */
public final class ResolutionJson {
    private static final String SHAPE = "an object of `entity_kind`, `type_name`, `entity_id` and `take`, all strings,"
            + " with `property` for one property of it, and then with `value` in the place of `take` if wanted";
    private static final List<String> NAMES = List.of("entity_kind", "type_name", "entity_id");
    private static final Set<String> KNOWN =
            Set.of("entity_kind", "type_name", "entity_id", "property", "take", "value");

    private ResolutionJson() {}

    /**
     * Reads resolutions.
     *
     * @param resolutions absent or null for none
     * @throws ServiceException {@code bad_request} for any other shape
     */
    public static List<Resolution> read(@Nullable JsonNode resolutions) {
        List<Resolution> found = new ArrayList<>();
        if (resolutions == null || resolutions.isNull() || resolutions.isMissingNode()) {
            return found;
        }
        if (!resolutions.isArray()) {
            throw ServiceException.badRequest("field `resolutions` must be an array");
        }
        for (JsonNode item : resolutions) {
            if (!isShaped(item)) {
                throw ServiceException.badRequest(
                        "item " + found.size() + " of `resolutions` must be " + SHAPE + ", and nothing else");
            }
            found.add(Resolution.of(
                    item.path("entity_kind").textValue(),
                    item.path("type_name").textValue(),
                    item.path("entity_id").textValue(),
                    item.path("property").textValue(),
                    item.has("take")
                            ? Resolution.side(item.path("take").textValue())
                            : new Resolution.Given(item.path("value"))));
        }
        return found;
    }

    private static boolean isShaped(JsonNode item) {
        boolean known = NAMES.stream().allMatch(name -> item.path(name).isTextual());
        for (String name : (Iterable<String>) item::fieldNames) {
            known &= KNOWN.contains(name);
        }
        boolean property = item.has("property");
        boolean take = item.has("take");
        return known
                && (!property || item.path("property").isTextual())
                && (!take || item.path("take").isTextual())
                && take != item.has("value")
                && (take || property);
    }

    /** Writes the form that {@link #read} reads. */
    static String array(List<Resolution> resolutions) {
        return new String(
                JsonWriter.bytes(json -> {
                    json.beginArray();
                    for (Resolution resolution : resolutions) {
                        json.beginObject();
                        json.field("entity_kind").string(resolution.kind().wireName());
                        json.field("type_name").string(resolution.typeName());
                        json.field("entity_id").string(resolution.entityId());
                        if (resolution.property() != null) {
                            json.field("property").string(resolution.property());
                        }
                        switch (resolution.choice()) {
                            case Resolution.Side side -> json.field("take").string(side.wireName());
                            case Resolution.Given(JsonNode value) ->
                                json.field("value").json(value.toString().getBytes(StandardCharsets.UTF_8));
                        }
                        json.endObject();
                    }
                    json.endArray();
                }),
                StandardCharsets.UTF_8);
    }
}
