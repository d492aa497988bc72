package service.http.auth.token;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;

/** JSON of tests. */
final class Trees {
    private static final ObjectMapper JSON = new ObjectMapper();

    private Trees() {}

    /** Parses JSON whose double quotes are written as single ones. */
    static JsonNode parse(String json) {
        try {
            return JSON.readTree(json.replace('\'', '"'));
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(json, e);
        }
    }

    static byte[] utf8(ObjectNode node) {
        return node.toString().getBytes(StandardCharsets.UTF_8);
    }
}
