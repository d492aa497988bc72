package service.http.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The comparison finds each kind of difference. */
final class AnswerCheckTest {
    private static final String HEALTH = "{'status':'ok','version':'1'}";
    private static final String NOT_FOUND = "{'error':'m','code':'not_found','request_id':'r','reason':'route'}";
    private static final String EVENT = "id: c\nevent: caught_up\ndata: %s\n\n";

    private static Map<String, List<String>> headers(String contentType) {
        return new HashMap<>(Map.of(
                "X-Request-Id", List.of("r"),
                "Cache-Control", List.of("no-store"),
                "X-Content-Type-Options", List.of("nosniff"),
                "Cross-Origin-Resource-Policy", List.of("same-origin"),
                "Content-Type", List.of(contentType)));
    }

    private static void check(
            String method, String target, int status, Map<String, List<String>> headers, String body) {
        AnswerCheck.check(
                method,
                target,
                new AnswerCheck.Received(
                        status, headers, body.replace('\'', '"').getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void answersAsDocumentedPass() {
        Map<String, List<String>> json = headers("application/json");
        check("GET", "/healthz", 200, json, HEALTH);
        check("HEAD", "/healthz", 200, json, "");
        check("GET", "/graphs/g/branches/review%2Fa", 404, json, NOT_FOUND);
        check("GET", "/nowhere?x=1", 404, json, NOT_FOUND);
        check("GET", "/graphs/g/changes", 200, headers("text/event-stream"), EVENT.formatted("{'cursor':'c'}"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/healthz | 200 | {'status':'ok','version':'1','more':1} | additional",
                "/healthz | 200 | {'status':'ok'} | required",
                "/healthz | 200 | {'status':'ok','version':1} | string",
                "/healthz | 200 | not JSON | not JSON",
                "/healthz | 200 | '' | empty",
                "/healthz | 404 | {'error':'m','code':'not_found','request_id':'r','reason':'route'} | status",
                "/healthz | 400 | {'error':'m','code':'not_found','request_id':'r','reason':'route'} | bad_request",
                "/nowhere | 200 | {} | no such operation",
                "/nowhere | 404 | {'error':'m'} | code",
            })
    void differencesInStatusAndBodyAreFound(String target, int status, String body, String named) {
        assertThatThrownBy(() -> check("GET", target, status, headers("application/json"), body))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining(named);
    }

    @Test
    void differencesInHeadersAreFound() {
        Map<String, List<String>> more = headers("application/json");
        more.put("X-Powered-By", List.of("x"));
        assertThatThrownBy(() -> check("GET", "/healthz", 200, more, HEALTH)).hasMessageContaining("x-powered-by");
        Map<String, List<String>> fewer = headers("application/json");
        fewer.remove("X-Request-Id");
        assertThatThrownBy(() -> check("GET", "/healthz", 200, fewer, HEALTH)).hasMessageContaining("X-Request-Id");
        Map<String, List<String>> other = headers("application/json");
        other.put("Cache-Control", List.of("public"));
        assertThatThrownBy(() -> check("GET", "/healthz", 200, other, HEALTH)).hasMessageContaining("Cache-Control");
        assertThatThrownBy(() -> check("GET", "/healthz", 200, headers("text/plain"), HEALTH))
                .hasMessageContaining("media type");
    }

    @Test
    void everyLineOfAStreamIsCompared() {
        String line = "{'type':'T','data':{}}\n";
        Map<String, List<String>> lines = headers("application/x-ndjson");
        assertThatCode(() -> check("POST", "/graphs/g/export", 200, lines, line + line))
                .doesNotThrowAnyException();
        assertThatThrownBy(() -> check("POST", "/graphs/g/export", 200, lines, line + "{'kind':'T'}\n"))
                .isInstanceOf(AssertionError.class);
        assertThatThrownBy(() -> check(
                        "GET", "/graphs/g/changes", 200, headers("text/event-stream"), EVENT.formatted("{'at':'c'}")))
                .isInstanceOf(AssertionError.class);
    }

    /** The server here is not ours, so that it can answer wrongly. */
    @Test
    void theClientFailsOnADifference() throws IOException, InterruptedException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            boolean good = exchange.getRequestURI().getPath().equals("/healthz");
            byte[] body = (good ? HEALTH : "{}").replace('\'', '"').getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().putAll(headers("application/json"));
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        URI base = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
        try (HttpClient client = CheckedHttpClient.create()) {
            HttpRequest good = HttpRequest.newBuilder(base.resolve("/healthz")).build();
            HttpRequest wrong = HttpRequest.newBuilder(base.resolve("/readyz")).build();
            assertThat(client.send(good, BodyHandlers.ofString()).body()).contains("ok");
            assertThatThrownBy(() -> client.send(wrong, BodyHandlers.ofString()))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("/readyz");
            assertThatThrownBy(() ->
                            client.sendAsync(wrong, BodyHandlers.ofString()).join())
                    .hasRootCauseInstanceOf(AssertionError.class);
            InputStream streamed =
                    client.send(wrong, BodyHandlers.ofInputStream()).body();
            assertThatThrownBy(streamed::readAllBytes).hasRootCauseInstanceOf(AssertionError.class);
        } finally {
            server.stop(0);
        }
    }
}
