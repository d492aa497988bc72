package service.http.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import service.core.value.Ulid;
import service.http.limit.Limits;
import service.http.testkit.CheckedHttpClient;

/** Paths, methods, media types, parameters, headers of every response. */
final class RoutingTest {
    private static TestServer server;

    @BeforeAll
    static void start() {
        server = new TestServer(Limits.DEFAULTS);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static RawConnection.Response get(String path, String... headers) throws IOException {
        return request("GET", path, headers);
    }

    private static RawConnection.Response request(String method, String path, String... headers) throws IOException {
        try (RawConnection connection = server.connect()) {
            String extra = headers.length == 0 ? "" : String.join("\r\n", headers) + "\r\n";
            connection.send(method + " " + path + " HTTP/1.1\r\nHost: localhost\r\n" + extra + "\r\n");
            return connection.read(!method.equals("HEAD"));
        }
    }

    @Test
    void healthAndReadinessAnswerAsSpecified() throws IOException {
        assertThat(get("/healthz").body()).isEqualTo("{\"status\":\"ok\",\"version\":\"test\"}");
        assertThat(get("/readyz").body())
                .isEqualTo(
                        "{\"status\":\"ready\",\"applied_digest\":\"sha256:aa\",\"ledger_revision\":7,"
                                + "\"ledger_cas\":\"sha256:bb\",\"served_graphs\":0,\"quarantined_graphs\":1,\"damaged_graphs\":0}");
        assertThat(get("/graphs").body())
                .isEqualTo(
                        "{\"graphs\":[{\"graph_id\":\"broken\",\"display_name\":\"broken\",\"state\":\"quarantined\","
                                + "\"reason\":\"event 17 is damaged\"}]}");
    }

    @Test
    void everyResponseNamesItsRequestAndIsNotStored() throws IOException {
        RawConnection.Response response = get("/nowhere");
        assertThat(response.status()).isEqualTo(404);
        assertThat(Ulid.isUlid(response.header("X-Request-Id"))).isTrue();
        assertThat(response.body())
                .contains("\"code\":\"not_found\"")
                .contains("\"request_id\":\"" + response.header("X-Request-Id") + "\"");
        assertThat(response.header("Cache-Control")).isEqualTo("no-store");
        assertThat(get("/healthz", "X-Request-Id: mine-1").header("X-Request-Id"))
                .isEqualTo("mine-1");
        assertThat(get("/healthz", "X-Request-Id: " + "x".repeat(129)).header("X-Request-Id"))
                .hasSize(26);
    }

    @ParameterizedTest
    @CsvSource({
        "/test/name/review%2Fa, 200, review/a",
        "/test/name/review%252Fa, 200, review%2Fa",
        "/test/name/a+b, 200, a+b",
        "/test/name/%C3%A9, 200, é",
        "/test/name/review/a, 404, ''",
        "/test/name/a%2, 400, ''",
        "/test/name/a%zz, 400, ''",
        "/test/name/%FF, 400, ''",
        "/test/name/%00, 400, ''",
        "/healthz/, 404, ''",
        "//healthz, 404, ''",
        "/graphs/none/query/, 404, ''",
    })
    void segmentsAreDecodedOnce(String path, int status, String name) throws IOException {
        RawConnection.Response response = get(path);
        assertThat(response.status()).as(response.body()).isEqualTo(status);
        if (status == 200) {
            assertThat(response.body()).isEqualTo("\"" + name + "\"");
        }
    }

    @Test
    void headIsServedWhereverGetIs() throws IOException {
        RawConnection.Response head = request("HEAD", "/test/large");
        assertThat(head.status()).isEqualTo(200);
        assertThat(head.header("Content-Length")).isEqualTo("5002");
        try (RawConnection connection = server.connect()) {
            connection.send(
                    "HEAD /healthz HTTP/1.1\r\nHost: localhost\r\n\r\nGET /test/name/next HTTP/1.1\r\nHost: localhost\r\n\r\n");
            assertThat(connection.read(false).header("Content-Length")).isEqualTo("32");
            assertThat(connection.read().body())
                    .as("no byte of a body came between")
                    .isEqualTo("\"next\"");
        }
    }

    @Test
    void wrongMethodsNameTheRightOnes() throws IOException {
        RawConnection.Response response = request("PUT", "/healthz");
        assertThat(response.status()).isEqualTo(405);
        assertThat(response.header("Allow")).isEqualTo("GET, HEAD");
        assertThat(response.body()).contains("\"code\":\"method_not_allowed\"");
    }

    @Test
    void graphsThatAreMissingOrQuarantinedSaySoBeforeTheMethod() throws IOException {
        assertThat(request("PUT", "/graphs/none/query").status()).isEqualTo(404);
        RawConnection.Response broken = request("PUT", "/graphs/broken/query");
        assertThat(broken.status()).isEqualTo(503);
        assertThat(broken.body()).contains("\"code\":\"graph_quarantined\"").contains("event 17 is damaged");
    }

    @Test
    void unknownAndRepeatedQueryParametersAreRefused() throws IOException {
        assertThat(get("/test/parameters?a=1%202&b=+").body()).isEqualTo("\"{a=[1 2], b=[ ]}\"");
        assertThat(get("/test/parameters?a=1&a=2").body())
                .contains("bad_request")
                .contains("`a` is given twice");
        assertThat(get("/test/parameters?c=1").body()).contains("bad_request").contains("`c` is unknown");
        assertThat(get("/test/parameters?a=%").status()).isEqualTo(400);
    }

    @Test
    void aHeaderBlockBeyondItsLimitIsAnsweredAndOneFarBeyondIsDropped() throws IOException {
        assertThat(get("/healthz", "X-Long: " + "x".repeat(15_000)).status()).isEqualTo(200);
        RawConnection.Response refusal = get("/healthz", "X-Long: " + "x".repeat(16_384));
        assertThat(refusal.status()).isEqualTo(413);
        assertThat(refusal.header("X-Request-Id")).matches("[0-9A-HJKMNP-TV-Z]{26}");
        assertThat(refusal.body()).contains("\"resource_limit\":{\"resource\":\"header_bytes\",\"limit\":16384,");
        RawConnection.Response many = get(
                "/healthz",
                Collections.nCopies(90, "X-Many: " + "x".repeat(200)).toArray(String[]::new));
        assertThat(many.status()).isEqualTo(413);
        assertThat(get("/healthz", "X-Long: " + "x".repeat(60_000)).status()).isEqualTo(400);
    }

    @ParameterizedTest
    @CsvSource({
        "application/json, 200",
        "Application/JSON; charset=UTF-8, 200",
        "application/json; charset=latin1, 415",
        "text/json, 415",
        "application/jsonx, 415",
        "'', 415",
    })
    void onlyJsonIsTaken(String type, int status) throws IOException {
        try (RawConnection connection = server.connect()) {
            connection.send("POST /test/echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n"
                    + (type.isEmpty() ? "" : "Content-Type: " + type + "\r\n")
                    + "\r\n{}");
            assertThat(connection.read().status()).isEqualTo(status);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "*",
                "\"01J00000000000000000000000\"",
                "W/\"01J00000000000000000000000\"",
                "01J00000000000000000000000, 01J00000000000000000000001",
                "01J00000000000000000000000\r\nService-If-Graph-Commit: 01J00000000000000000000000",
                "01j00000000000000000000000",
                "main",
            })
    void aConditionIsOneRawCommitId(String value) throws IOException {
        assertThat(conditional("Service-If-Graph-Commit: " + value + "\r\n").status())
                .isEqualTo(400);
    }

    @Test
    void aMissingConditionIsRefusedWhereOneIsRequired() throws IOException {
        assertThat(conditional("").body()).contains("is required");
        assertThat(conditional("Service-If-Graph-Commit: 01J00000000000000000000000\r\n")
                        .body())
                .isEqualTo("\"01J00000000000000000000000\"");
    }

    private static RawConnection.Response conditional(String header) throws IOException {
        try (RawConnection connection = server.connect()) {
            connection.send(
                    "POST /test/condition HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\n"
                            + header
                            + "\r\n{}");
            return connection.read();
        }
    }

    @Test
    void anInternalFaultShowsTheClientNoDetail() throws IOException {
        RawConnection.Response response = get("/test/fault");
        assertThat(response.status()).isEqualTo(500);
        assertThat(response.body()).contains("\"code\":\"internal\"").doesNotContain("secret");
    }

    @Test
    void largeResponsesAreCompressedWhenTheClientAcceptsGzip() throws Exception {
        try (HttpClient client = CheckedHttpClient.create()) {
            String base = "http://127.0.0.1:" + server.server.address().getPort();
            for (String path : new String[] {"/test/large", "/test/million"}) {
                HttpRequest request = HttpRequest.newBuilder(URI.create(base + path))
                        .header("Accept-Encoding", "gzip")
                        .build();
                HttpResponse<byte[]> response = client.send(request, HttpResponse.BodyHandlers.ofByteArray());
                assertThat(response.headers().firstValue("Content-Encoding")).contains("gzip");
                byte[] plain = new GZIPInputStream(new ByteArrayInputStream(response.body())).readAllBytes();
                assertThat(plain).hasSize(path.endsWith("large") ? 5_002 : 11_000_000);
            }
            HttpRequest refusing = HttpRequest.newBuilder(URI.create(base + "/test/large"))
                    .header("Accept-Encoding", "gzip;q=0, br")
                    .build();
            HttpResponse<String> response =
                    client.send(refusing, HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
            assertThat(response.headers().firstValue("Content-Encoding")).isEmpty();
            assertThat(response.body()).hasSize(5_002);
        }
    }
}
