package service.http.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import service.core.policy.Permissions;
import service.core.testkit.TokenIssuer;
import service.http.auth.CredentialSources;
import service.http.auth.token.TrustBinding;
import service.http.limit.Limit;
import service.http.limit.Limits;

/**
 * Long polls and event streams end when their credential does, whatever kind it is and however it ends. The server
 * checks credentials each second, so the tests wait at the same time.
 */
final class CredentialEndTest {
    private static final TokenIssuer ISSUER = TokenIssuer.es256();
    private static final TokenIssuer PROVIDER = TokenIssuer.rs256();
    private static final long NOW = 1_795_225_000L;
    private static final int SMALL_BUFFER_BYTES = 4_096;

    /** What ends a credential. */
    enum End {
        /** A static token is removed from its file. */
        STATIC_REMOVED,
        /** A static token is given to another actor. */
        STATIC_GIVEN_AWAY,
        /** A data credential of version 1 expires. */
        RESTRICTED_EXPIRED,
        /** A data credential of version 2 expires. */
        IDENTITY_EXPIRED,
        /** An access token expires. */
        ACCESS_EXPIRED,
        /** The trust file does not admit the principal any more. */
        PRINCIPAL_REMOVED,
        /** The trust file gives the subject to another principal. */
        PRINCIPAL_CHANGED,
        /** The trust file has another key. */
        KEY_REMOVED,
        /** Nobody writes the trust file any more. */
        TRUST_EXPIRED
    }

    @TempDir
    Path folder;

    private final AtomicLong seconds = new AtomicLong(NOW);
    private CredentialSources sources;
    private TestServer server;

    @BeforeEach
    void serve() throws IOException {
        write("tokens", "{\"act-ada\":\"t-ada\",\"act-bob\":\"t-bob\"}");
        write("data", ISSUER.dataTrust().toString());
        write("oidc", PROVIDER.oidcTrust(7, NOW).toString());
        InstantSource clock = () -> Instant.ofEpochSecond(seconds.get());
        sources = CredentialSources.read(
                Map.of(
                        "SERVICE_SERVER_BEARER_TOKENS_FILE",
                                folder.resolve("tokens").toString(),
                        "SERVICE_DATA_TOKEN_TRUST", folder.resolve("data").toString(),
                        "SERVICE_OIDC_IDENTITY_TRUST", folder.resolve("oidc").toString()),
                false,
                null,
                100,
                clock);
        server = new TestServer(
                Limits.DEFAULTS.with(Limit.PROGRESS_TIMEOUT_SECONDS, 600),
                sources.authenticatorOf(new TrustBinding("file:///srv/brain", "cl-1", "inc-1"), false),
                (credential, graph) -> Permissions.OnEveryBranch.ALL);
    }

    @AfterEach
    void stop() {
        server.close();
        sources.close();
    }

    private void write(String name, String content) throws IOException {
        Files.writeString(folder.resolve(name), content);
    }

    private static String credential(End end) {
        return switch (end) {
            case STATIC_REMOVED, STATIC_GIVEN_AWAY -> "t-ada";
            case RESTRICTED_EXPIRED ->
                ISSUER.sign(TokenIssuer.restrictedClaims(ISSUER.dataTrust(), NOW, "broken", "read"));
            case IDENTITY_EXPIRED -> ISSUER.sign(TokenIssuer.identityClaims(ISSUER.dataTrust(), NOW));
            case ACCESS_EXPIRED, PRINCIPAL_REMOVED, PRINCIPAL_CHANGED, KEY_REMOVED, TRUST_EXPIRED ->
                PROVIDER.sign(TokenIssuer.accessClaims(PROVIDER.oidcTrust(7, NOW), NOW));
        };
    }

    private void bring(End end) throws IOException {
        ObjectNode next = PROVIDER.oidcTrust(8, NOW + 1);
        switch (end) {
            case STATIC_REMOVED -> write("tokens", "{\"act-bob\":\"t-bob\"}");
            case STATIC_GIVEN_AWAY -> write("tokens", "{\"act-bob\":\"t-bob\",\"act-eve\":\"t-ada\"}");
            case RESTRICTED_EXPIRED, IDENTITY_EXPIRED -> seconds.set(NOW + 3_600);
            case ACCESS_EXPIRED, TRUST_EXPIRED -> seconds.set(NOW + 300);
            case PRINCIPAL_REMOVED -> next.putArray("principals");
            case PRINCIPAL_CHANGED ->
                next.putArray("principals").addObject().put("subject", "user_1").put("principal_id", "p-9");
            case KEY_REMOVED ->
                next.set("keys", TokenIssuer.rs256(2_048).oidcTrust(8, NOW).get("keys"));
        }
        if (end == End.ACCESS_EXPIRED) {
            next = PROVIDER.oidcTrust(8, NOW + 299);
        }
        if (end != End.TRUST_EXPIRED) {
            write("oidc", next.toString());
        }
        sources.refresh();
    }

    private static String get(String path, String token) {
        return "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + token + "\r\n\r\n";
    }

    @ParameterizedTest
    @Execution(CONCURRENT)
    @EnumSource
    void whatWaitsEndsWithItsCredential(End end) throws IOException {
        String token = credential(end);
        try (RawConnection poll = server.connect();
                RawConnection idle = server.connect();
                RawConnection other = server.connect()) {
            poll.send(get("/test/wait", token));
            idle.send(get("/test/ticks", token));
            other.send(get("/test/wait", "t-bob"));
            await().until(() -> server.server.waitingConsumers() == 3);
            bring(end);

            RawConnection.Response ended = poll.read();
            assertThat(ended.status()).isEqualTo(401);
            assertThat(ended.header("WWW-Authenticate")).contains("error=\"invalid_token\"");
            assertThat(idle.read().body())
                    .startsWith("event: tick\ndata: 1\n\nevent: error\ndata: {")
                    .contains("\"code\":\"unauthorized\"")
                    .endsWith("\n\n");
            await("the other actor's").until(() -> server.server.waitingConsumers() == 1);
            poll.send(get("/test/large", token));
            assertThat(poll.read().status())
                    .isEqualTo(end == End.STATIC_GIVEN_AWAY || end == End.PRINCIPAL_CHANGED ? 200 : 401);
        }
    }

    /** The client reads nothing, and the time without progress is ten minutes. */
    @Test
    @Execution(CONCURRENT)
    void aStreamThatIsNotReadIsCut() throws IOException {
        try (RawConnection unread = new RawConnection(server.server.address(), SMALL_BUFFER_BYTES)) {
            unread.send(get("/test/flood", credential(End.IDENTITY_EXPIRED)));
            await().until(() -> server.server.streamsAtWork() == 1);
            bring(End.IDENTITY_EXPIRED);
            await().until(() -> server.server.streamsAtWork() == 0);
        }
    }

    /** A file that is not what it should be changes nothing: a half-written one must not lock everybody out. */
    @ParameterizedTest
    @Execution(CONCURRENT)
    @EnumSource(
            value = End.class,
            names = {"STATIC_REMOVED", "PRINCIPAL_REMOVED"})
    void anInvalidFileEndsNothing(End kind) throws IOException {
        ObjectNode brief = TokenIssuer.identityClaims(ISSUER.dataTrust(), NOW).put("exp", NOW + 60);
        try (RawConnection idle = server.connect();
                RawConnection control = server.connect()) {
            idle.send(get("/test/ticks", credential(kind)));
            control.send(get("/test/wait", ISSUER.sign(brief)));
            await().until(() -> server.server.waitingConsumers() == 2);
            for (String content : List.of("", "{", "{\"act-bob\":\"\"}", "[]")) {
                write("tokens", content);
                write("oidc", content);
                sources.refresh();
            }
            Files.delete(folder.resolve("tokens"));
            Files.createDirectory(folder.resolve("tokens"));
            sources.refresh();
            seconds.set(NOW + 60);
            assertThat(control.read().status())
                    .as("the credentials were checked")
                    .isEqualTo(401);
            // The answer may be there before the wait is counted out.
            await().until(() -> server.server.waitingConsumers() == 1);
        }
    }
}
