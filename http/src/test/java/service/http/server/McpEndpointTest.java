package service.http.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import service.core.error.StartRefusedException;
import service.core.policy.Permissions;
import service.core.testkit.TokenIssuer;
import service.http.auth.CredentialSources;
import service.http.auth.ResourceGate;
import service.http.auth.token.ProtectedResource;
import service.http.auth.token.TrustBinding;

/** What is refused at {@code /mcp} before a message is read. A message that is read is answered with 202 here. */
final class McpEndpointTest {
    private static final TokenIssuer ISSUER = TokenIssuer.es256();
    private static final TokenIssuer PROVIDER = TokenIssuer.rs256();
    private static final String METADATA =
            "resource_metadata=\"https://graph.example.com/.well-known/oauth-protected-resource\"";
    private static final int BYTES_MAX = 64 << 10;

    private final long now = InstantSource.system().millis() / 1_000;
    private CredentialSources sources;
    private TestServer server;

    @BeforeEach
    void serve(@TempDir Path folder) throws IOException {
        Path data = Files.writeString(
                folder.resolve("data.json"), ISSUER.dataTrust().toString());
        Path oidc = Files.writeString(
                folder.resolve("oidc.json"), PROVIDER.oidcTrust(1, now).toString());
        sources = CredentialSources.read(
                Map.of(
                        "SERVICE_SERVER_BEARER_TOKENS_JSON", "{\"ada\":\"t.with.dots\"}",
                        "SERVICE_DATA_TOKEN_TRUST", data.toString(),
                        "SERVICE_OIDC_IDENTITY_TRUST", oidc.toString()),
                false,
                null,
                100);
        server = new TestServer(
                sources.authenticatorOf(new TrustBinding("file:///srv/brain", "cl-1", "inc-1"), false),
                (credential, graph) -> Permissions.OnEveryBranch.ALL);
    }

    @AfterEach
    void stop() {
        server.close();
        sources.close();
    }

    private String credential(String kind) {
        return switch (kind) {
            case "static" -> "t.with.dots";
            case "restricted" -> ISSUER.sign(TokenIssuer.restrictedClaims(ISSUER.dataTrust(), now, "broken", "read"));
            case "identity" -> ISSUER.sign(TokenIssuer.identityClaims(ISSUER.dataTrust(), now));
            case "oidc" -> PROVIDER.sign(TokenIssuer.accessClaims(PROVIDER.oidcTrust(1, now), now));
            case "forged" -> TokenIssuer.rs256(2_048).sign(TokenIssuer.accessClaims(PROVIDER.oidcTrust(1, now), now));
            default -> throw new IllegalArgumentException(kind);
        };
    }

    private RawConnection.Response ask(String method, String headers, String body) throws IOException {
        try (RawConnection connection = server.connect()) {
            connection.send(method + " /mcp HTTP/1.1\r\n" + headers + "\r\n" + body);
            return connection.read();
        }
    }

    private RawConnection.Response post(String headers, String body) throws IOException {
        return ask(
                "POST",
                headers + "Authorization: Bearer " + credential("oidc") + "\r\nContent-Type: application/json\r\n"
                        + "Content-Length: " + body.length() + "\r\n",
                body);
    }

    @ParameterizedTest
    @CsvSource({"static, 403", "restricted, 403", "identity, 403", "oidc, 202", "forged, 401"})
    void onlyAccessTokensAreAccepted(String kind, int status) throws IOException {
        RawConnection.Response answer = ask(
                "POST",
                "Host: graph.example.com\r\nAuthorization: Bearer " + credential(kind)
                        + "\r\nContent-Type: application/json\r\nContent-Length: 2\r\n",
                "{}");
        assertThat(answer.status()).isEqualTo(status);
        if (status == 403) {
            assertThat(answer.body()).contains("forbidden", "an access token of https://login.example");
        }
        if (status == 401) {
            assertThat(answer.header("WWW-Authenticate")).contains("error=\"invalid_token\"", METADATA);
        }
    }

    @Test
    void aCallerWithoutCredentialIsSentToTheMetadata() throws IOException {
        RawConnection.Response answer = ask("POST", "Host: elsewhere.example\r\nContent-Length: 0\r\n", "");
        assertThat(answer.status()).isEqualTo(401);
        assertThat(answer.header("WWW-Authenticate")).isEqualTo("Bearer " + METADATA);
    }

    @ParameterizedTest
    @CsvSource({
        "graph.example.com, 202",
        "GRAPH.example.com:443, 202",
        "localhost:4711, 202",
        "127.0.0.1, 202",
        "127.8.8.8:1, 202",
        "[::1]:8080, 202",
        "graph.example.com:80, 403",
        "graph.example.com:8443, 403",
        "graph.example.com.evil.example, 403",
        "evil.example, 403",
        "localhost.evil.example, 403",
        "192.168.1.1, 403",
    })
    void theHostIsThatOfTheResourceOrLoopback(String host, int status) throws IOException {
        RawConnection.Response answer = post("Host: " + host + "\r\n", "{}");
        assertThat(answer.status()).isEqualTo(status);
        assertThat(answer.body()).contains(status == 403 ? "`Host`" : "");
    }

    @ParameterizedTest
    @CsvSource({
        "graph.example.com, https://graph.example.com, 202",
        "localhost, https://graph.example.com:443, 202",
        "graph.example.com, http://graph.example.com, 403",
        "graph.example.com, https://evil.example, 403",
        "localhost, http://localhost, 403",
        "localhost, null, 403",
        "localhost, https://graph.example.com.evil.example, 403",
    })
    void aPageIsOfTheResource(String host, String origin, int status) throws IOException {
        RawConnection.Response answer = post("Host: " + host + "\r\nOrigin: " + origin + "\r\n", "{}");
        assertThat(answer.status()).isEqualTo(status);
        assertThat(answer.body()).contains(status == 403 ? "`Origin`" : "");
    }

    @Test
    void everyOriginIsChecked() throws IOException {
        assertThat(post("Host: localhost\r\nOrigin: https://graph.example.com\r\nOrigin: https://a.example\r\n", "{}")
                        .status())
                .isEqualTo(403);
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET", "DELETE", "PUT", "OPTIONS"})
    void onlyPostIsOffered(String method) throws IOException {
        RawConnection.Response answer =
                ask(method, "Host: localhost\r\nAuthorization: Bearer " + credential("oidc") + "\r\n", "");
        assertThat(answer.status()).isEqualTo(405);
        assertThat(answer.header("Allow")).isEqualTo("POST");
    }

    @Test
    void aMessageHasAtMost64KiB() throws IOException {
        String most = "\"" + "x".repeat(BYTES_MAX - 2) + "\"";
        assertThat(post("Host: localhost\r\n", most).status()).isEqualTo(202);
        RawConnection.Response refused = post("Host: localhost\r\n", most + " ");
        assertThat(refused.status()).isEqualTo(413);
        assertThat(refused.body()).contains("65536");
        String chunk = Integer.toHexString(most.length() + 1) + "\r\n" + most + " \r\n0\r\n\r\n";
        assertThat(ask(
                                "POST",
                                "Host: localhost\r\nAuthorization: Bearer " + credential("oidc")
                                        + "\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n",
                                chunk)
                        .status())
                .isEqualTo(413);
    }

    @Test
    void aMessageIsJson() throws IOException {
        assertThat(ask(
                                "POST",
                                "Host: localhost\r\nAuthorization: Bearer " + credential("oidc")
                                        + "\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n",
                                "{}")
                        .status())
                .isEqualTo(415);
    }

    @Test
    void aResourceWithoutAValidHostIsRefusedAtStart() {
        ProtectedResource resource =
                new ProtectedResource("https://" + "a".repeat(254), "https://login.example", List.of(), null);
        assertThatThrownBy(() -> new ResourceGate(resource))
                .isInstanceOfSatisfying(
                        StartRefusedException.class, e -> assertThat(e.code()).isEqualTo("trust_invalid"));
    }
}
