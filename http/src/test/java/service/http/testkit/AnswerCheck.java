package service.http.testkit;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/**
 * Compares an answer with {@code openapi.json}: its status, its headers, its media type, and its body or the lines of
 * its stream. Any thread.
 */
public final class AnswerCheck {
    /** Headers of HTTP itself, which the document does not list. */
    private static final Set<String> PLAIN_HEADERS = Set.of(
            "allow",
            "connection",
            "content-encoding",
            "content-length",
            "content-type",
            "date",
            "keep-alive",
            "transfer-encoding",
            "vary");

    private static final String ERROR = "#/components/schemas/Error";
    private static final ObjectMapper JSON = new ObjectMapper();

    private AnswerCheck() {}

    /**
     * An answer.
     *
     * @param headers by their names
     * @param body as received; null when the receiver has not kept it
     */
    public record Received(int status, Map<String, List<String>> headers, byte @Nullable [] body) {
        private Map<String, String> byLowerName() {
            Map<String, String> values = new TreeMap<>();
            headers.forEach((name, all) -> values.put(name.toLowerCase(Locale.ROOT), String.join(", ", all)));
            return values;
        }
    }

    /**
     * Compares the answer with the operation of the request. Requests that no operation describes must be refused.
     *
     * @param target the path and the query string
     * @throws AssertionError naming every difference
     */
    public static void check(String method, String target, Received received) {
        List<String> faults = faults(method, target, received);
        if (!faults.isEmpty()) {
            throw new AssertionError("%s %s answers %d, which differs from openapi.json:%n%s"
                    .formatted(method, target, received.status, String.join("\n", faults)));
        }
    }

    /** The routes of tests and of the console, which the document does not list. */
    private static boolean isUnlisted(String path) {
        return path.equals("/") || path.equals("/console") || path.startsWith("/console/") || path.startsWith("/test/");
    }

    private static List<String> faults(String method, String target, Received received) {
        String path = target.replaceFirst("[?].*", "");
        JsonNode operation = OpenApi.document().operation(method, path);
        if (operation == null) {
            return path.equals("/openapi.json") || (received.status < 400 && isUnlisted(path))
                    ? List.of()
                    : refusalFaults(method, received);
        }
        JsonNode responses = operation.path("responses");
        JsonNode listed = responses.path(Integer.toString(received.status));
        if (listed.isMissingNode()) {
            return List.of("the document does not list the status");
        }
        JsonNode response = OpenApi.document().resolve(listed);
        List<String> faults = new ArrayList<>(headerFaults(response.path("headers"), received));
        if (method.equals("HEAD")) {
            return faults;
        }
        faults.addAll(bodyFaults(response.path("content"), received));
        return faults;
    }

    private static List<String> refusalFaults(String method, Received received) {
        if (received.status < 400) {
            return List.of("the document has no such operation");
        }
        JsonNode common =
                OpenApi.document().root().at("/components/responses/NotFound").path("headers");
        List<String> faults = new ArrayList<>();
        for (Map.Entry<String, JsonNode> header : common.properties()) {
            headerFault(header.getKey(), header.getValue(), received.byLowerName(), faults);
        }
        if (!method.equals("HEAD") && received.body != null) {
            value(ERROR, plain(received), faults);
        }
        return faults;
    }

    private static List<String> headerFaults(JsonNode documented, Received received) {
        List<String> faults = new ArrayList<>();
        Map<String, String> given = received.byLowerName();
        List<String> known = new ArrayList<>(PLAIN_HEADERS);
        for (Map.Entry<String, JsonNode> header : documented.properties()) {
            known.add(header.getKey().toLowerCase(Locale.ROOT));
            headerFault(header.getKey(), header.getValue(), given, faults);
        }
        given.keySet().stream()
                .filter(name -> !known.contains(name) && !name.startsWith(":"))
                .forEach(name -> faults.add("the document does not list the header " + name));
        return faults;
    }

    private static void headerFault(String name, JsonNode listed, Map<String, String> given, List<String> faults) {
        JsonNode header = OpenApi.document().resolve(listed);
        String value = given.get(name.toLowerCase(Locale.ROOT));
        if (value == null) {
            if (header.path("required").asBoolean()) {
                faults.add("the header " + name + " is missing");
            }
            return;
        }
        boolean isNumber = header.at("/schema/type").asText().equals("integer") && value.matches("[0-9]{1,18}");
        JsonNode node = isNumber ? LongNode.valueOf(Long.parseLong(value)) : TextNode.valueOf(value);
        OpenApi.document()
                .faults(OpenApi.reference(listed) + "/schema", node)
                .forEach(fault -> faults.add("header " + name + ": " + fault));
    }

    private static List<String> bodyFaults(JsonNode content, Received received) {
        byte[] body = received.body;
        if (content.isMissingNode()) {
            return body == null || body.length == 0 ? List.of() : List.of("the document lists no body");
        }
        // Each text may be asked for with this parameter; the document says so once, for all of them.
        String mediaType =
                received.byLowerName().getOrDefault("content-type", "").replace(";int64=string", "");
        JsonNode media = content.path(mediaType);
        if (media.isMissingNode()) {
            return List.of("the document does not list the media type " + mediaType);
        }
        if (body == null) {
            return List.of();
        }
        List<String> faults = new ArrayList<>();
        JsonNode schema = media.path("schema");
        switch (mediaType) {
            case "application/json" -> value(OpenApi.reference(schema), plain(received), faults);
            case "application/x-ndjson" -> {
                String line = OpenApi.reference(schema.path("contentSchema"));
                text(received).lines().forEach(text -> value(line, text, faults));
            }
            case "text/event-stream" -> {
                String data = OpenApi.reference(schema.path("contentSchema"));
                text(received)
                        .lines()
                        .filter(line -> line.startsWith("data: "))
                        .forEach(line -> value(data, line.substring("data: ".length()), faults));
            }
            case "application/octet-stream", "application/vnd.apache.arrow.stream" -> {}
            default -> faults.add("this check does not read bodies of the media type " + mediaType);
        }
        return faults;
    }

    private static void value(String reference, String text, List<String> faults) {
        value(reference, text.getBytes(StandardCharsets.UTF_8), faults);
    }

    private static void value(String reference, byte[] text, List<String> faults) {
        try {
            JsonNode value = JSON.readTree(text);
            if (value.isMissingNode()) {
                faults.add("the body is empty");
            } else {
                OpenApi.document().faults(reference, value).forEach(fault -> faults.add(reference + " " + fault));
            }
        } catch (JsonProcessingException e) {
            faults.add("not JSON: " + e.getOriginalMessage());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String text(Received received) {
        return new String(plain(received), StandardCharsets.UTF_8);
    }

    /** The body without its content coding. */
    private static byte[] plain(Received received) {
        byte[] body = received.body == null ? new byte[0] : received.body;
        if (!"gzip".equals(received.byLowerName().get("content-encoding"))) {
            return body;
        }
        try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(body))) {
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
