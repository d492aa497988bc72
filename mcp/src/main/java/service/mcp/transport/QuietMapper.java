package service.mcp.transport;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.json.TypeRef;
import io.modelcontextprotocol.json.jackson2.JacksonMcpJsonMapper;
import io.modelcontextprotocol.spec.McpError;
import io.modelcontextprotocol.spec.McpSchema;
import java.io.IOException;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import service.core.json.Json;
import service.core.json.VisibleEscapes;

/**
 * The mapper that the SDK uses. It refuses parameters of a wrong shape with an {@link McpError} and a text without
 * values: the SDK logs other exceptions as warnings and sends their messages to the client, and those of Jackson quote
 * the parameters. In what it writes, characters that steer a terminal are escapes. Any thread.
 */
final class QuietMapper implements McpJsonMapper {
    private final JsonMapper json = JsonMapper.builder(new JsonFactory().setCharacterEscapes(new VisibleEscapes()))
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .build();

    private final JacksonMcpJsonMapper mapper = new JacksonMcpJsonMapper(json);

    /** The arguments of a tool call as a tree, with their numbers as they were sent. */
    ObjectNode tree(@Nullable Map<String, Object> arguments) {
        return arguments == null ? Json.object() : json.valueToTree(arguments);
    }

    /** A value as a tree; null is a node, too. */
    JsonNode node(@Nullable Object value) {
        return json.valueToTree(value);
    }

    @Override
    public <T> T readValue(String content, Class<T> type) throws IOException {
        return mapper.readValue(content, type);
    }

    @Override
    public <T> T readValue(byte[] content, Class<T> type) throws IOException {
        return mapper.readValue(content, type);
    }

    @Override
    public <T> T readValue(String content, TypeRef<T> type) throws IOException {
        return mapper.readValue(content, type);
    }

    @Override
    public <T> T readValue(byte[] content, TypeRef<T> type) throws IOException {
        return mapper.readValue(content, type);
    }

    @Override
    public <T> T convertValue(Object from, Class<T> type) {
        return checked(() -> mapper.convertValue(from, type));
    }

    @Override
    public <T> T convertValue(Object from, TypeRef<T> type) {
        return checked(() -> mapper.convertValue(from, type));
    }

    private static <T> T checked(Supplier<@Nullable T> conversion) {
        T converted;
        try {
            converted = conversion.get();
        } catch (IllegalArgumentException e) {
            converted = null;
        }
        if (converted == null) {
            throw McpError.builder(McpSchema.ErrorCodes.INVALID_PARAMS)
                    .message("`params` do not have the shape that the method takes")
                    .build();
        }
        return converted;
    }

    @Override
    public String writeValueAsString(Object value) throws IOException {
        return mapper.writeValueAsString(value);
    }

    @Override
    public byte[] writeValueAsBytes(Object value) throws IOException {
        return mapper.writeValueAsBytes(value);
    }
}
