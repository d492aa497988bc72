package service.cli.shell;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import service.cli.client.CommandFailure;
import service.core.error.ServiceException;
import service.core.json.Json;

/**
 * Reads the parameters and settings that are typed in a command or in the shell, by the rules of request bodies:
 * numbers stay as they are written, and a key that occurs twice is refused. Any thread.
 */
public final class ParameterText {
    private static final ObjectMapper ANY = new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

    private ParameterText() {}

    /**
     * A JSON object.
     *
     * @param option what the message names
     */
    public static ObjectNode object(String json, String option) {
        if (read(json, option) instanceof ObjectNode object) {
            return object;
        }
        throw CommandFailure.usage(option + " must be a JSON object");
    }

    /**
     * A JSON value where the text is one, else the text itself: {@code -p name=ada} needs no quotes.
     *
     * @param name what the message names
     */
    public static JsonNode value(String text, String name) {
        return isJson(text) ? read(text, name) : JsonNodeFactory.instance.textNode(text);
    }

    private static boolean isJson(String text) {
        try {
            JsonNode node = ANY.readTree(text);
            return node != null && !node.isMissingNode();
        } catch (JsonProcessingException | NumberFormatException e) {
            return false;
        }
    }

    private static JsonNode read(String json, String what) {
        try {
            return Json.read(json, what);
        } catch (ServiceException refused) {
            throw CommandFailure.usage(refused.getMessage());
        }
    }
}
