package service.http.route;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import service.core.error.ServiceException;
import service.core.graph.load.LoadMode;
import service.core.json.Json;

/**
 * The fields of a JSON request body. Unknown fields and fields of a wrong type are refused with their name; null counts
 * as absent.
 */
public final class Fields {
    private final ObjectNode object;

    private Fields(ObjectNode object) {
        this.object = object;
    }

    static Fields parse(byte[] body, String... known) {
        if (body.length == 0) {
            throw ServiceException.badRequest("a JSON object is required as the body");
        }
        return of(Json.readObject(body, "the request body"), known);
    }

    /** The fields of an object that may have these and no others. */
    public static Fields of(ObjectNode object, String... known) {
        List<String> names = List.of(known);
        for (Iterator<String> fields = object.fieldNames(); fields.hasNext(); ) {
            String name = fields.next();
            if (!names.contains(name)) {
                throw ServiceException.badRequest("field `" + name + "` is unknown here; "
                        + (names.isEmpty() ? "none is taken" : "known: " + String.join(", ", known)));
            }
        }
        return new Fields(object);
    }

    /** The value of a text field; null when it is absent. */
    public @Nullable String text(String name) {
        JsonNode node = present(name);
        if (node == null) {
            return null;
        }
        if (!node.isTextual()) {
            throw wrongType(name, "a string");
        }
        return node.textValue();
    }

    String text(String name, String fallback) {
        String text = text(name);
        return text == null ? fallback : text;
    }

    /** The value of a text field that must be there. */
    public String requireText(String name) {
        String text = text(name);
        if (text == null) {
            throw ServiceException.badRequest("field `" + name + "` is required");
        }
        return text;
    }

    /** The value of a boolean field; false when it is absent. */
    public boolean flag(String name) {
        return Boolean.TRUE.equals(flagOrNull(name));
    }

    /** The value of a boolean field; null when it is absent. */
    @Nullable
    Boolean flagOrNull(String name) {
        JsonNode node = present(name);
        if (node != null && !node.isBoolean()) {
            throw wrongType(name, "true or false");
        }
        return node == null ? null : node.booleanValue();
    }

    /** The value of a field with a whole number; null when it is absent. */
    @Nullable
    Long wholeNumber(String name) {
        JsonNode node = present(name);
        if (node != null && !(node.isIntegralNumber() && node.canConvertToLong())) {
            throw wrongType(name, "an integer");
        }
        return node == null ? null : node.longValue();
    }

    /** The value of a field with a whole number from {@code min} to {@code max}; null when it is absent. */
    public @Nullable Integer wholeNumber(String name, int min, int max) {
        Long number = wholeNumber(name);
        if (number != null && (number < min || number > max)) {
            throw wrongType(name, "an integer from " + min + " to " + max);
        }
        return number == null ? null : number.intValue();
    }

    /** The value of an object field; null when it is absent. */
    public @Nullable ObjectNode object(String name) {
        JsonNode node = present(name);
        if (node == null) {
            return null;
        }
        if (node instanceof ObjectNode found) {
            return found;
        }
        throw wrongType(name, "an object");
    }

    @Nullable
    ArrayNode array(String name) {
        JsonNode node = present(name);
        if (node == null) {
            return null;
        }
        if (node instanceof ArrayNode found) {
            return found;
        }
        throw wrongType(name, "an array");
    }

    /** No UTF-8 has half a surrogate pair, so what is made of one would be of another text. */
    private static void requireWhole(String name, int place, String text) {
        for (int i = 0; i < text.length(); i += Character.charCount(text.codePointAt(i))) {
            if (Character.getType(text.codePointAt(i)) == Character.SURROGATE) {
                throw ServiceException.badRequest(
                        "text %d of `%s` is not valid: half a surrogate pair at position %d".formatted(place, name, i));
            }
        }
    }

    List<String> texts(String name) {
        ArrayNode array = array(name);
        List<String> texts = new ArrayList<>();
        if (array != null) {
            for (JsonNode item : array) {
                if (!item.isTextual()) {
                    throw wrongType(name, "an array of strings");
                }
                requireWhole(name, texts.size(), item.textValue());
                texts.add(item.textValue());
            }
        }
        return texts;
    }

    static LoadMode mode(@Nullable String name) {
        if (name == null) {
            return LoadMode.MERGE;
        }
        for (LoadMode mode : LoadMode.values()) {
            if (mode.wireName().equals(name)) {
                return mode;
            }
        }
        throw ServiceException.badRequest(
                "`mode` must be merge, append or overwrite, not `" + name.toLowerCase(Locale.ROOT) + "`");
    }

    private @Nullable JsonNode present(String name) {
        JsonNode node = object.get(name);
        return node == null || node.isNull() ? null : node;
    }

    private static ServiceException wrongType(String name, String expected) {
        return ServiceException.badRequest("field `" + name + "` must be " + expected);
    }
}
