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
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * The routes of {@code docs/http.md} are made from {@code openapi.json}: the page has every route, with the first
 * sentence and the example of the document, and nothing else after its heading {@code ## Routes}. With
 * {@code SERVICE_DOCS_WRITE} in the environment the page is rewritten.
 */
final class HttpPageTest {
    private static final Path ROOT = Path.of(System.getProperty("service.root"));
    private static final Path PAGE = ROOT.resolve("docs/http.md");
    private static final String ROUTES = "## Routes\n";

    /** The commit of the document's examples. */
    private static final String COMMIT = "01M81T0DWN6VR980KQ3RW0S66Q";

    private static final String VARIABLE = "$HEAD";
    private static final String HEAD = "HEAD=$(curl -s http://127.0.0.1:8080/graphs/pioneers/branches/main"
            + " | sed 's/.*\"head_commit_id\":\"\\([^\"]*\\)\".*/\\1/')";

    /** A reason in the table; other words in code spans have capitals or a dollar sign. */
    private static final Pattern WORD = Pattern.compile("`([a-z_]+)`");

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

    /** Each code has a row, with the reasons that the document lists for it and no others. */
    @Test
    void theTableHasEveryCodeAndReason() throws IOException {
        List<String> rows = Files.readString(PAGE)
                .lines()
                .filter(line -> line.matches("\\| [45][0-9]{2} \\|.*"))
                .toList();
        for (JsonNode listed : document.at("/components/schemas/Error/anyOf")) {
            JsonNode properties = resolved(listed).path("properties");
            JsonNode code = properties.path("code");
            Set<String> codes = words(code.has("const") ? code.path("const") : code.path("enum"));
            String row = rows.stream()
                    .filter(line -> codes.stream().allMatch(word -> line.contains("`" + word + "`")))
                    .findFirst()
                    .orElseThrow(() -> new AssertionError("no row has " + codes));
            Set<String> reasons = new TreeSet<>();
            Matcher shown = WORD.matcher(row.split("\\|", -1)[3]);
            while (shown.find()) {
                reasons.add(shown.group(1));
            }
            assertThat(reasons).as(row).isEqualTo(words(properties.at("/reason/enum")));
        }
        assertThat(rows).hasSize(document.at("/components/schemas/Error/anyOf").size());
    }

    private static Set<String> words(JsonNode node) {
        Set<String> words = new TreeSet<>();
        if (node.isTextual()) {
            words.add(node.asText());
        }
        node.forEach(word -> words.add(word.asText()));
        return words;
    }

    private String routes() {
        StringBuilder text = new StringBuilder();
        for (JsonNode tag : document.path("tags")) {
            text.append("\n### ").append(tag.path("description").asText()).append('\n');
            // The examples run in their order: what they name is deleted last.
            StringBuilder deletions = new StringBuilder();
            for (Map.Entry<String, JsonNode> path : document.path("paths").properties()) {
                for (Map.Entry<String, JsonNode> method : path.getValue().properties()) {
                    JsonNode route = method.getValue();
                    if (route.path("tags")
                            .path(0)
                            .asText()
                            .equals(tag.path("name").asText())) {
                        boolean deletes = method.getKey().equals("delete");
                        append(
                                deletes ? deletions : text,
                                method.getKey().toUpperCase(Locale.ROOT),
                                path.getKey(),
                                route);
                    }
                }
            }
            text.append(deletions);
        }
        return text.toString();
    }

    private void append(StringBuilder text, String method, String path, JsonNode route) {
        text.append("\n`").append(method).append(' ').append(path).append("`\n\n");
        text.append(route.path("deprecated").asBoolean() ? "Deprecated. " : "")
                .append(firstSentence(route.path("description").asText()))
                .append("\n\n```text\n")
                .append(curl(method, path, route))
                .append("\n```\n");
    }

    private static String firstSentence(String text) {
        int end = text.indexOf(". ");
        return end < 0 ? text : text.substring(0, end + 1);
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
        if (method.equals("HEAD")) {
            curl.append(" -I");
        } else if (!method.equals("GET")) {
            curl.append(" -X ").append(method);
        }
        Map.Entry<String, JsonNode> body = null;
        for (Map.Entry<String, JsonNode> content :
                resolved(route.path("requestBody")).path("content").properties()) {
            body = content;
            break;
        }
        if (body != null && body.getKey().equals("*/*")) {
            body = null; // any body, and none is needed
        }
        if (body != null) {
            headers.add("Content-Type: " + body.getKey());
        }
        headers.forEach(header -> curl.append(" -H ").append(quoted(header)));
        if (body != null) {
            JsonNode example = body.getValue().path("example");
            String sent = example.isTextual() ? example.asText().strip() : example.toString();
            curl.append(" \\\n  --data-binary '")
                    .append(sent.replace("'", "'\\''"))
                    .append("' \\\n ");
        }
        String url = "http://127.0.0.1:8080" + target + (query.isEmpty() ? "" : "?" + String.join("&", query));
        curl.append(' ').append(query.isEmpty() && !url.contains(COMMIT) ? url : quoted(url));
        return curl.indexOf(VARIABLE) < 0 ? curl.toString() : HEAD + "\n" + curl;
    }

    /** The text for a shell. The id of a commit, which every graph has its own of, is a variable. */
    private static String quoted(String text) {
        return text.contains(COMMIT) ? '"' + text.replace(COMMIT, VARIABLE) + '"' : "'" + text + "'";
    }

    private JsonNode resolved(JsonNode node) {
        return node.has("$ref") ? document.at(node.path("$ref").asText().substring(1)) : node;
    }
}
