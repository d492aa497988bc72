package service.http.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
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
import service.core.policy.Permissions;
import service.core.testkit.TokenIssuer;
import service.http.auth.Authenticator;
import service.http.auth.CredentialSources;
import service.http.auth.Everyone;
import service.http.auth.Policies;
import service.http.auth.token.TrustBinding;
import service.http.limit.Limits;

/** Callers of each kind at one server, without a policy and with one that allows everything. */
final class CredentialsTest {
    private static final TokenIssuer ISSUER = TokenIssuer.es256();
    private static final TokenIssuer PROVIDER = TokenIssuer.rs256();
    private static final TrustBinding CLUSTER = new TrustBinding("file:///srv/brain", "cl-1", "inc-1");
    private static final Policies ALL = (credential, graph) -> Permissions.OnEveryBranch.ALL;

    @TempDir
    Path folder;

    private final long now = InstantSource.system().millis() / 1_000;
    private CredentialSources sources;
    private TestServer server;

    @BeforeEach
    void configure() throws IOException {
        configure(PROVIDER.oidcTrust(1, now));
    }

    private void configure(ObjectNode trust) throws IOException {
        Path data = Files.writeString(
                folder.resolve("data.json"), ISSUER.dataTrust().toString());
        Path oidc = Files.writeString(folder.resolve("oidc.json"), trust.toString());
        sources = CredentialSources.read(
                Map.of(
                        "SERVICE_SERVER_BEARER_TOKENS_JSON", "{\"ada\":\"t.with.dots\"}",
                        "SERVICE_DATA_TOKEN_TRUST", data.toString(),
                        "SERVICE_OIDC_IDENTITY_TRUST", oidc.toString()),
                false,
                null,
                100);
    }

    @AfterEach
    void stop() {
        server.close();
        sources.close();
    }

    private void serve(Policies policies) {
        server = new TestServer(sources.authenticatorOf(CLUSTER, false), policies);
    }

    /** A credential of a kind; a restricted one has grants for the graph {@code broken}. */
    private String credential(String kind, String... actions) {
        return switch (kind) {
            case "static" -> "t.with.dots";
            case "restricted" -> ISSUER.sign(TokenIssuer.restrictedClaims(ISSUER.dataTrust(), now, "broken", actions));
            case "identity" -> ISSUER.sign(TokenIssuer.identityClaims(ISSUER.dataTrust(), now));
            case "oidc" -> PROVIDER.sign(TokenIssuer.accessClaims(PROVIDER.oidcTrust(1, now), now));
            default -> throw new IllegalArgumentException(kind);
        };
    }

    private RawConnection.Response ask(String request, String headers) throws IOException {
        try (RawConnection connection = server.connect()) {
            connection.send(request + " HTTP/1.1\r\nHost: localhost\r\n" + headers + "\r\n");
            return connection.read();
        }
    }

    private RawConnection.Response as(String credential, String request) throws IOException {
        return ask(request, "Authorization: Bearer " + credential + "\r\n");
    }

    @ParameterizedTest
    @CsvSource({
        "static, 200, 503, 403, 403",
        "restricted, 403, 403, 403, 403",
        "identity, 403, 403, 403, 200",
        "oidc, 403, 403, 403, 200",
    })
    void withoutPolicyOnlyStaticTokensMayRead(String kind, int read, int graph, int list, int discovery)
            throws IOException {
        serve(Policies.NONE);
        String credential = credential(kind, "read", "graph_list", "change");
        assertThat(as(credential, "GET /test/large").status()).isEqualTo(read);
        assertThat(as(credential, "GET /graphs/broken/schema").status()).isEqualTo(graph);
        assertThat(as(credential, "GET /graphs").status()).isEqualTo(list);
        assertThat(as(credential, "GET /graphs/discovery").status()).isEqualTo(discovery);
    }

    @Test
    void discoveryShowsIdsAndNamesOfAllGraphs() throws IOException {
        serve(Policies.NONE);
        for (String kind : List.of("identity", "oidc")) {
            assertThat(as(credential(kind), "GET /graphs/discovery").body())
                    .isEqualTo("{\"graphs\":[{\"graph_id\":\"broken\",\"display_name\":\"broken\"}]}");
        }
        assertThat(ask("GET /graphs/discovery", "").status()).isEqualTo(401);
        assertThat(as(credential("static"), "GET /graphs/discovery").body())
                .contains("\"forbidden\":{\"action\":\"discover\"}");
    }

    @Test
    void grantsLimitWhatAPolicyAllows() throws IOException {
        serve(ALL);
        String reader = credential("restricted", "read");
        assertThat(as(reader, "GET /graphs/broken/schema").status()).isEqualTo(503);
        assertThat(as(reader, "POST /graphs/broken/mutate").body()).contains("\"action\":\"change\"");
        assertThat(as(reader, "GET /graphs").status()).isEqualTo(403);
        assertThat(as(reader, "GET /test/large").status())
                .as("a grant for any graph")
                .isEqualTo(200);
        assertThat(as(credential("identity"), "GET /graphs/unknown/schema").status())
                .isEqualTo(404);
    }

    @ParameterizedTest
    @CsvSource({
        "GET /graphs/unknown/schema",
        "POST /graphs/unknown/queries/secret",
        "PUT /graphs/unknown/mutate",
        "GET /graphs/BROKEN/schema"
    })
    void aGraphOutsideOfTheGrantsIsForbiddenBeforeItIsLookedUp(String request) throws IOException {
        serve(ALL);
        RawConnection.Response refusal = as(credential("restricted", "read", "invoke_query", "change"), request);
        assertThat(refusal.status()).isEqualTo(403);
        assertThat(refusal.body()).contains("\"code\":\"forbidden\"");
    }

    @Test
    void theListShowsTheGraphsThatTheCredentialGrants() throws IOException {
        serve(ALL);
        assertThat(as(credential("restricted", "graph_list"), "GET /graphs").body())
                .contains("\"graph_id\":\"broken\"");
        ObjectNode other = TokenIssuer.restrictedClaims(ISSUER.dataTrust(), now, "other", "graph_list");
        assertThat(as(ISSUER.sign(other), "GET /graphs").body()).isEqualTo("{\"graphs\":[]}");
    }

    @ParameterizedTest
    @CsvSource({
        "Authorization: Bearer nothing",
        "Authorization: Bearer t.with.dot",
        "Authorization: Bearer a.b.c",
        "Authorization: Bearer",
        "Authorization: Basic dDp0",
        "Authorization: t.with.dots"
    })
    void aBadCredentialIsRefusedInOneWay(String header) throws IOException {
        serve(ALL);
        RawConnection.Response refusal = ask("GET /test/large", header + "\r\n");
        assertThat(refusal.status()).isEqualTo(401);
        assertThat(refusal.header("WWW-Authenticate"))
                .isEqualTo("Bearer error=\"invalid_token\","
                        + " resource_metadata=\"https://graph.example.com/.well-known/oauth-protected-resource\"");
        assertThat(refusal.body()).contains("\"invalid_token: the credential is not one that this server accepts\"");
    }

    /**
     * The blanks around a value and behind the scheme are no part of the token; any other change makes another token.
     */
    @ParameterizedTest
    @CsvSource({
        "'Bearer t.with.dots', 200",
        "'bEaReR   t.with.dots', 200",
        "'Bearer t.with.dots  ', 200",
        "'Bearer t.with .dots', 401",
        "'Bearer t.with  dots', 401",
        "'Bearer t.with.dots t.with.dots', 401",
        "'Bearer t.with.dots, Bearer t.with.dots', 401",
        "'Bearer t.with.dots,', 401",
        "'Bearer t.with\\tdots', 401",
        "'Bearer t.with\\r\\n .dots', 401",
        "'Bearer \"t.with.dots\"', 401",
        "'Bearer T.with.dots', 401",
        "'Bearer\\tt.with.dots', 401",
        "'Bearert.with.dots', 401",
        "'Bearer t%2Ewith.dots', 401",
        "'Bearer \u00a0t.with.dots', 401"
    })
    void aTokenHasOneSpelling(String value, int status) throws IOException {
        serve(ALL);
        String sent = value.replace("\\t", "\t").replace("\\r", "\r").replace("\\n", "\n");
        assertThat(ask("GET /test/large", "Authorization: " + sent + "\r\n").status())
                .isEqualTo(status);
    }

    @Test
    void twoHeadersAreRefusedEvenIfBothAreValid() throws IOException {
        serve(ALL);
        String header = "Authorization: Bearer t.with.dots\r\n";
        assertThat(ask("GET /test/large", header).status()).isEqualTo(200);
        assertThat(ask("GET /test/large", header + header).status()).isEqualTo(401);
    }

    @Test
    void theMetadataOfTheProtectedResourceArePublic() throws IOException {
        serve(Policies.NONE);
        for (String suffix : List.of("", "/mcp")) {
            assertThat(ask("GET /.well-known/oauth-protected-resource" + suffix, "")
                            .body())
                    .isEqualTo("{\"resource\":\"https://graph.example.com\","
                            + "\"authorization_servers\":[\"https://login.example\"],"
                            + "\"bearer_methods_supported\":[\"header\"]}");
        }
        assertThat(ask("GET /graphs", "").header("WWW-Authenticate"))
                .isEqualTo("Bearer resource_metadata="
                        + "\"https://graph.example.com/.well-known/oauth-protected-resource\"");
    }

    @Test
    void theMetadataAndTheChallengeNameTheScopes() throws IOException {
        ObjectNode trust = PROVIDER.oidcTrust(1, now);
        trust.putArray("scopes").add("openid").add("graph:read");
        sources.close();
        configure(trust);
        serve(Policies.NONE);
        assertThat(ask("GET /.well-known/oauth-protected-resource", "").body())
                .contains("\"scopes_supported\":[\"openid\",\"graph:read\"]");
        String metadata = "resource_metadata=\"https://graph.example.com/.well-known/oauth-protected-resource\"";
        assertThat(ask("GET /graphs", "").header("WWW-Authenticate"))
                .isEqualTo("Bearer " + metadata + ", scope=\"openid graph:read\"");
        assertThat(as("no.such.token", "GET /graphs").header("WWW-Authenticate"))
                .isEqualTo("Bearer error=\"invalid_token\", " + metadata + ", scope=\"openid graph:read\"");
    }

    @Test
    void withoutAuthenticationASignedTokenIsRefusedAndNoIdentityExists() throws IOException {
        Authenticator everyone = new Everyone();
        server = new TestServer(Limits.DEFAULTS, everyone);
        assertThat(as(credential("identity"), "GET /test/large").status()).isEqualTo(401);
        assertThat(as("plain", "GET /test/large").status()).isEqualTo(200);
        assertThat(ask("GET /graphs/discovery", "").status()).isEqualTo(401);
        assertThat(ask("GET /.well-known/oauth-protected-resource", "").status())
                .isEqualTo(404);
    }
}
