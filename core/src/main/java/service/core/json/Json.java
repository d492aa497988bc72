package service.core.json;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParseException;
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
 * Reads JSON trees: UTF-8 only, duplicate keys and trailing text refused, numbers kept exactly. The tokens {@code NaN}
 * and {@code Infinity} are accepted here, so that the reader of the value can name it in its refusal. Any thread.
 */
public final class Json {
    /** Deeper than any request needs; low enough that recursion over a tree cannot overflow the stack. */
    private static final int NESTING_MAX = 64;

    /** The body of a load may be one string of NDJSON: 32 MiB. */
    private static final int STRING_CHARS_MAX = 32 << 20;

    private static final StreamReadConstraints CONSTRAINTS = StreamReadConstraints.builder()
            .maxNestingDepth(NESTING_MAX)
            .maxStringLength(STRING_CHARS_MAX)
            .maxNumberLength(400)
            .build();

    private static final JsonFactory STREAMING = JsonFactory.builder()
            .streamReadConstraints(CONSTRAINTS)
            .recyclerPool(JsonRecyclerPools.threadLocalPool())
            .enable(StreamReadFeature.USE_FAST_DOUBLE_PARSER)
            .build();

    private static final JsonMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(CONSTRAINTS)
                    .recyclerPool(JsonRecyclerPools.threadLocalPool())
                    .build())
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .build();

    private static final ObjectReader EMBEDDED =
            MAPPER.reader().without(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

    /** What a decoder puts where bytes are not UTF-8. */
    private static final char REPLACEMENT = '\uFFFD';

    private static final int ENCODING_BYTES = 4;

    /** Heap bytes per byte of text: the text as a string, and the strings of the tree. */
    private static final long CHARACTER_BYTES = 3;

    /** Heap bytes of a node with its place in the parent: an empty object in a map is the largest. */
    private static final long NODE_BYTES = 64;

    /**
     * Jackson reports an exponent of many digits by a {@link NumberFormatException}, and any other fault by its own.
     */
    private static final String EXPONENT = "a number has an exponent that is too large";

    private Json() {}

    /**
     * Reads one JSON object.
     *
     * @param what how the message names the text, such as {@code the request body}
     * @throws ServiceException BAD_REQUEST with the fault and its position
     */
    public static ObjectNode readObject(byte[] utf8, String what) {
        return requireObject(read(utf8, what), what);
    }

    /** The value as an object; BAD_REQUEST for another one. */
    public static ObjectNode requireObject(JsonNode node, String what) {
        if (node instanceof ObjectNode object) {
            return object;
        }
        throw ServiceException.badRequest(what + " must be a JSON object, not " + JsonValues.describe(node));
    }

    /**
     * An upper estimate of the heap bytes that {@link #read} needs for a text: its characters, and a node of the tree
     * for each sign that separates or opens a value. Signs within strings count too.
     */
    public static long treeBytes(byte[] utf8) {
        long nodes = 1;
        for (byte b : utf8) {
            nodes += b == ',' || b == ':' || b == '[' || b == '{' ? 1 : 0;
        }
        return CHARACTER_BYTES * utf8.length + NODE_BYTES * nodes;
    }

    /** A new empty object. */
    public static ObjectNode object() {
        return MAPPER.createObjectNode();
    }

    /** Reads one JSON value; see {@link #readObject}. */
    public static JsonNode read(byte[] utf8, String what) {
        if (isOtherEncoding(utf8)) {
            throw ServiceException.badRequest(what + " is not UTF-8 text");
        }
        String text = new String(utf8, StandardCharsets.UTF_8);
        if (text.indexOf(REPLACEMENT) >= 0) {
            if (!isUtf8(utf8)) {
                throw ServiceException.badRequest(what + " is not UTF-8 text");
            }
        } else if (text.length() == utf8.length) {
            try {
                // Almost all bodies are ASCII. Jackson reads their bytes without decoding them into characters first.
                JsonNode node = MAPPER.readTree(utf8);
                if (!node.isMissingNode()) {
                    return node;
                }
            } catch (IOException | NumberFormatException e) {
                // The text below gives the message, with positions in characters.
            }
        }
        return read(text, what);
    }

    /** Whether Jackson could take the bytes for UTF-16 or UTF-32, which it recognizes by zeros among the first four. */
    private static boolean isOtherEncoding(byte[] bytes) {
        for (int i = 0; i < Math.min(ENCODING_BYTES, bytes.length); i++) {
            if (bytes[i] == 0) {
                return true;
            }
        }
        return false;
    }

    private static boolean isUtf8(byte[] bytes) {
        try {
            StandardCharsets.UTF_8
                    .newDecoder()
                    .onMalformedInput(CodingErrorAction.REPORT)
                    .onUnmappableCharacter(CodingErrorAction.REPORT)
                    .decode(ByteBuffer.wrap(bytes));
            return true;
        } catch (CharacterCodingException e) {
            return false;
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
        } catch (NumberFormatException e) {
            throw ServiceException.badRequest(what + " is not valid JSON: " + EXPONENT);
        }
    }

    /** BAD_REQUEST with the fault of a text and its position. */
    public static ServiceException invalid(JsonProcessingException fault, String what) {
        return ServiceException.badRequest(what + " is not valid JSON: " + explain(fault) + at(fault));
    }

    /**
     * The factory for streaming over long inputs. It does not check for duplicate keys: the reader of a known record
     * does that at less cost.
     */
    public static JsonFactory streamingFactory() {
        return STREAMING;
    }

    /** The value at the parser's current token as a tree. Leaves the parser at the last token of the value. */
    public static JsonNode tree(JsonParser parser) throws IOException {
        try {
            return EMBEDDED.readTree(parser);
        } catch (NumberFormatException e) {
            throw new JsonParseException(parser, EXPONENT, e);
        }
    }

    /** Explains why a text is not JSON; see {@link JsonFaults}. */
    public static String explain(JacksonException fault) {
        return JsonFaults.explain(fault);
    }

    private static String at(JsonProcessingException fault) {
        JsonLocation location = fault.getLocation();
        return location == null ? "" : " (line " + location.getLineNr() + ", column " + location.getColumnNr() + ")";
    }
}
