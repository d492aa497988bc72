package service.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * The routes of {@code docs/http.md} are made from {@code openapi.json}: the page has every route, with the words and
 * the example of the document, and nothing else after its heading {@code ## Routes}. With {@code SERVICE_DOCS_WRITE} in
 * the environment the page is rewritten.
 */
final class HttpPageTest {
    private static final Path ROOT = Path.of(System.getProperty("service.root"));
    private static final Path PAGE = ROOT.resolve("docs/http.md");
    private static final String ROUTES = "## Routes\n";

    private final JsonNode document;

    HttpPageTest() throws IOException {
        document = new ObjectMapper()
                .readTree(ROOT.resolve("http/src/main/resources/openapi.json").toFile());
    }

    @Test
    void thePageHasEveryRouteOfTheDocument() throws IOException {
        String page = Files.readString(PAGE);
        int start = page.indexOf(ROUTES);
        assertThat(start).isPositive();
        String now = page.substring(0, start) + ROUTES + routes();
        if (System.getenv("SERVICE_DOCS_WRITE") != null) {
            Files.writeString(PAGE, now);
            return;
        }
        assertThat(page).isEqualTo(now);
    }

    private String routes() {
        StringBuilder text = new StringBuilder();
        for (JsonNode tag : document.path("tags")) {
            text.append("\n### ").append(tag.path("description").asText()).append('\n');
            for (Map.Entry<String, JsonNode> path : document.path("paths").properties()) {
                for (Map.Entry<String, JsonNode> method : path.getValue().properties()) {
                    JsonNode route = method.getValue();
                    if (route.path("tags")
                            .path(0)
                            .asText()
                            .equals(tag.path("name").asText())) {
                        append(text, method.getKey().toUpperCase(Locale.ROOT), path.getKey(), route);
                    }
                }
            }
        }
        return text.toString();
    }

    private void append(StringBuilder text, String method, String path, JsonNode route) {
        text.append("\n`").append(method).append(' ').append(path).append("`\n\n");
        text.append(route.path("deprecated").asBoolean() ? "Deprecated. " : "")
                .append(route.path("description").asText())
                .append("\n\n```text\n")
                .append(curl(method, path, route))
                .append("\n```\n");
    }

    /** The request of the examples, with the parameters that it needs. */
    private String curl(String method, String path, JsonNode route) {
        String target = path;
        List<String> query = new ArrayList<>();
        List<String> headers = new ArrayList<>();
        for (JsonNode given : route.path("parameters")) {
            JsonNode parameter = resolved(given);
            String name = parameter.path("name").asText();
            String value = parameter.path("example").asText();
            // The first page of a diff needs both states; a further one has a token in their place.
            boolean required = parameter.path("required").asBoolean()
                    || (path.endsWith("/diff") && Set.of("from", "to").contains(name));
            switch (parameter.path("in").asText()) {
                case "path" ->
                    target = target.replace("{" + name + "}", URLEncoder.encode(value, StandardCharsets.UTF_8));
                case "query" -> {
                    if (required) {
                        query.add(name + "=" + URLEncoder.encode(value, StandardCharsets.UTF_8));
                    }
                }
                case "header" -> {
                    if (required) {
                        headers.add(name + ": " + value);
                    }
                }
                default -> throw new AssertionError(parameter);
            }
        }
        StringBuilder curl = new StringBuilder("curl -s");
        if (!method.equals("GET")) {
            curl.append(" -X ").append(method);
        }
        Map.Entry<String, JsonNode> body = null;
        for (Map.Entry<String, JsonNode> content :
                resolved(route.path("requestBody")).path("content").properties()) {
            body = content;
            break;
        }
        if (body != null) {
            headers.add("Content-Type: " + body.getKey());
        }
        headers.forEach(header -> curl.append(" -H '").append(header).append('\''));
        if (body != null) {
            JsonNode example = body.getValue().path("example");
            String sent = example.isTextual() ? example.asText().strip() : example.toString();
            curl.append(" \\\n  --data-binary '")
                    .append(sent.replace("'", "'\\''"))
                    .append("' \\\n ");
        }
        String url = "http://127.0.0.1:8080" + target + (query.isEmpty() ? "" : "?" + String.join("&", query));
        return curl.append(query.isEmpty() ? " " + url : " '" + url + "'").toString();
    }

    private JsonNode resolved(JsonNode node) {
        return node.has("$ref") ? document.at(node.path("$ref").asText().substring(1)) : node;
    }
}
