package service.core.json;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.core.util.JsonRecyclerPools;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import service.core.error.ServiceException;

/**
 * The one way in which the service reads JSON trees: UTF-8 only, duplicate keys and trailing text refused, numbers kept
 * exactly. The tokens {@code NaN} and {@code Infinity} are read, so that the value that holds one can be named when it
 * is refused. Any thread.
 */
public final class Json {
    /** Deeper than any request of ours; shallow enough that nothing recursive overflows. */
    private static final int NESTING_MAX = 64;

    /** A load's body may be one string of NDJSON: 32 MiB. */
    private static final int STRING_CHARS_MAX = 32 << 20;

    private static final StreamReadConstraints CONSTRAINTS = StreamReadConstraints.builder()
            .maxNestingDepth(NESTING_MAX)
            .maxStringLength(STRING_CHARS_MAX)
            .maxNumberLength(400)
            .build();

    private static final JsonFactory STREAMING = JsonFactory.builder()
            .streamReadConstraints(CONSTRAINTS)
            .recyclerPool(JsonRecyclerPools.sharedConcurrentDequePool())
            .enable(StreamReadFeature.USE_FAST_DOUBLE_PARSER)
            .build();

    private static final JsonMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(CONSTRAINTS)
                    .recyclerPool(JsonRecyclerPools.sharedConcurrentDequePool())
                    .build())
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .build();

    private static final ObjectReader EMBEDDED =
            MAPPER.reader().without(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

    private Json() {}

    /**
     * Reads one JSON object.
     *
     * @param what how the message names the text, such as {@code the request body}
     * @throws ServiceException BAD_REQUEST saying what is wrong and where
     */
    public static ObjectNode readObject(byte[] utf8, String what) {
        JsonNode node = read(utf8, what);
        if (node instanceof ObjectNode object) {
            return object;
        }
        throw ServiceException.badRequest(what + " must be a JSON object, not " + JsonValues.describe(node));
    }

    /** An empty object to fill. */
    public static ObjectNode object() {
        return MAPPER.createObjectNode();
    }

    /** Reads one JSON value; see {@link #readObject}. */
    public static JsonNode read(byte[] utf8, String what) {
        try {
            return read(
                    StandardCharsets.UTF_8
                            .newDecoder()
                            .onMalformedInput(CodingErrorAction.REPORT)
                            .onUnmappableCharacter(CodingErrorAction.REPORT)
                            .decode(ByteBuffer.wrap(utf8))
                            .toString(),
                    what);
        } catch (CharacterCodingException e) {
            throw ServiceException.badRequest(what + " is not UTF-8 text");
        }
    }

    /** Reads one JSON value; see {@link #readObject}. */
    public static JsonNode read(String text, String what) {
        try {
            JsonNode node = MAPPER.readTree(text);
            if (node.isMissingNode()) {
                throw ServiceException.badRequest(what + " is empty; send a JSON value");
            }
            return node;
        } catch (JsonProcessingException e) {
            throw invalid(e, what);
        }
    }

    /** BAD_REQUEST saying what is wrong with a text and where. */
    public static ServiceException invalid(JsonProcessingException fault, String what) {
        return ServiceException.badRequest(what + " is not valid JSON: " + explain(fault) + at(fault));
    }

    /** For streaming over long inputs: no check for duplicate keys, which the reader of a known record does cheaper. */
    public static JsonFactory streamingFactory() {
        return STREAMING;
    }

    /** The value at the parser's current token as a tree; the parser is left at its end. */
    public static JsonNode tree(JsonParser parser) throws IOException {
        return EMBEDDED.readTree(parser);
    }

    /** What is wrong with a text that is no JSON, in our words: {@link JsonFaults}. */
    public static String explain(JacksonException fault) {
        return JsonFaults.explain(fault);
    }

    private static String at(JsonProcessingException fault) {
        JsonLocation location = fault.getLocation();
        return location == null ? "" : " (line " + location.getLineNr() + ", column " + location.getColumnNr() + ")";
    }
}
