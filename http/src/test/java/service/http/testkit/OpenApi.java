package service.http.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.Error;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SchemaRegistryConfig;
import com.networknt.schema.SpecificationVersion;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The document {@code openapi.json}: its operations, and its schemas as validators. Any thread.
 *
 * <p>Clients must accept members that the document does not name, so its schemas of answers are open. These validators
 * are stricter: an object with listed properties has no others. Otherwise a new field would not be missed here.
 */
public final class OpenApi {
    private static final String ID = "https://service.invalid/openapi.json";
    private static final String COMPONENTS = "#/components/";

    /** Where the validator has the components: in a keyword of JSON Schema. */
    private static final String DEFINITIONS = "#/$defs/";

    private static final String REFERENCE = "$ref";
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final OpenApi DOCUMENT = new OpenApi(resource());

    private final JsonNode root;
    private final List<PathItem> items = new ArrayList<>();
    private final SchemaRegistry registry;
    private final Map<String, Schema> schemas = new ConcurrentHashMap<>();

    /** A path of the document, as segments. */
    private record PathItem(String path, List<String> segments, JsonNode operations) {
        boolean matches(List<String> given) {
            if (given.size() != segments.size()) {
                return false;
            }
            for (int i = 0; i < given.size(); i++) {
                if (!isVariable(segments.get(i)) && !segments.get(i).equals(given.get(i))) {
                    return false;
                }
            }
            return true;
        }

        long variables() {
            return segments.stream().filter(PathItem::isVariable).count();
        }

        private static boolean isVariable(String segment) {
            return segment.startsWith("{");
        }
    }

    private OpenApi(JsonNode root) {
        this.root = root;
        root.path("paths")
                .properties()
                .forEach(entry -> items.add(new PathItem(entry.getKey(), segments(entry.getKey()), entry.getValue())));
        JsonNode strict = root.path("components").deepCopy();
        close(strict);
        String definitions =
                JSON.createObjectNode().set("$defs", strict).toString().replace(COMPONENTS, DEFINITIONS);
        registry = SchemaRegistry.withDefaultDialect(
                SpecificationVersion.DRAFT_2020_12,
                builder -> builder.schemas(Map.of(ID, definitions))
                        .schemaRegistryConfig(SchemaRegistryConfig.builder()
                                .formatAssertionsEnabled(true)
                                .build()));
    }

    /** The document of this build. */
    public static OpenApi document() {
        return DOCUMENT;
    }

    private static JsonNode resource() {
        try (InputStream in = OpenApi.class.getResourceAsStream("/openapi.json")) {
            return JSON.readTree(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void close(JsonNode node) {
        if (node instanceof ObjectNode object
                && object.path("type").asText().equals("object")
                && object.has("properties")
                && !object.has("additionalProperties")) {
            object.put("additionalProperties", false);
        }
        node.forEach(OpenApi::close);
    }

    /** The whole document. */
    public JsonNode root() {
        return root;
    }

    /** The object that a reference names, or the node itself when it is none. */
    public JsonNode resolve(JsonNode node) {
        String reference = node.path(REFERENCE).asText();
        return reference.isEmpty() ? node : root.at(reference.substring(1));
    }

    /**
     * The operation that describes the answer to a request, or null.
     *
     * @param path the raw path without the query string
     */
    public @Nullable JsonNode operation(String method, String path) {
        List<String> given = segments(path);
        PathItem best = null;
        for (PathItem item : items) {
            if (item.matches(given) && (best == null || item.variables() < best.variables())) {
                best = item;
            }
        }
        if (best == null) {
            return null;
        }
        String name = method.toLowerCase(java.util.Locale.ROOT);
        JsonNode found = best.operations.path(name);
        if (found.isMissingNode() && name.equals("head")) {
            found = best.operations.path("get");
        }
        return found.isMissingNode() ? null : found;
    }

    private static List<String> segments(String path) {
        return List.of(path.split("/", -1));
    }

    /**
     * What is wrong with a value; empty when it is valid.
     *
     * @param reference such as {@code #/components/schemas/Commit}
     */
    public List<String> faults(String reference, JsonNode value) {
        Schema schema = schemas.computeIfAbsent(
                reference, name -> registry.getSchema(SchemaLocation.of(ID + name.replace(COMPONENTS, DEFINITIONS))));
        List<Error> errors = schema.validate(value);
        return errors.stream().map(Error::toString).toList();
    }

    /** The reference of a schema, which must be one to {@code components}. */
    public static String reference(JsonNode schema) {
        String reference = schema.path(REFERENCE).asText();
        if (reference.isEmpty()) {
            throw new IllegalArgumentException("not a reference into components: " + schema);
        }
        return reference;
    }
}
