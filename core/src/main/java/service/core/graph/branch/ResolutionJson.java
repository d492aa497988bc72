package service.core.graph.branch;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import service.core.error.ServiceException;
import service.core.json.JsonWriter;

/** Resolutions of a merge as JSON: {@code [{entity_kind, type_name, entity_id, take}]}. Any thread. */
public final class ResolutionJson {
    private static final String SHAPE = "an object of `entity_kind`, `type_name`, `entity_id` and `take`, all strings";
    private static final Set<String> KNOWN = Set.of("entity_kind", "type_name", "entity_id", "take");

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
            if (item.size() != KNOWN.size()
                    || !KNOWN.stream().allMatch(name -> item.path(name).isTextual())) {
                throw ServiceException.badRequest(
                        "item " + found.size() + " of `resolutions` must be " + SHAPE + ", and nothing else");
            }
            found.add(Resolution.of(
                    item.path("entity_kind").textValue(),
                    item.path("type_name").textValue(),
                    item.path("entity_id").textValue(),
                    item.path("take").textValue()));
        }
        return found;
    }

    /** Writes {@code [{entity_kind, type_name, entity_id, take}]}. */
    static String array(List<Resolution> resolutions) {
        return new String(
                JsonWriter.bytes(json -> {
                    json.beginArray();
                    for (Resolution resolution : resolutions) {
                        json.beginObject();
                        json.field("entity_kind").string(resolution.kind().wireName());
                        json.field("type_name").string(resolution.typeName());
                        json.field("entity_id").string(resolution.entityId());
                        json.field("take").string(resolution.take().wireName());
                        json.endObject();
                    }
                    json.endArray();
                }),
                StandardCharsets.UTF_8);
    }
}
