package service.http.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import service.core.policy.Permissions;
import service.core.testkit.TokenIssuer;
import service.http.auth.CredentialSources;
import service.http.auth.token.TrustBinding;
import service.http.limit.Limit;
import service.http.limit.Limits;
import service.http.limit.Refusals;

/** Signatures are verified beside the I/O threads, a bounded number at a time and for each address. */
final class VerificationTest {
    private static final TokenIssuer ISSUER = TokenIssuer.es256();
    private static final TokenIssuer STRANGER = TokenIssuer.es256();
    private static final long NOW = 1_795_225_000L;

    /** With the usual share, one address has three of them. */
    private static final int UNVERIFIED_MAX = 4;

    private final CountDownLatch release = new CountDownLatch(1);

    /** The time; a verification that asks for it waits until {@link #release}. */
    private final InstantSource clock = () -> {
        try {
            release.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        return Instant.ofEpochSecond(NOW);
    };

    private CredentialSources sources(Path folder) throws IOException {
        Path data = Files.writeString(folder.resolve("data"), ISSUER.dataTrust().toString());
        return CredentialSources.read(
                Map.of(
                        "SERVICE_SERVER_BEARER_TOKENS_JSON",
                        "{\"ada\":\"t-ada\"}",
                        "SERVICE_DATA_TOKEN_TRUST",
                        data.toString()),
                false,
                null,
                100,
                clock);
    }

    private static String get(String token) {
        return "GET /test/large HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + token + "\r\n\r\n";
    }

    /** A token with all the claims of a good one, and another signature each. */
    private static String forged(int i) {
        return STRANGER.sign(TokenIssuer.identityClaims(ISSUER.dataTrust(), NOW).put("jti", "t-" + i));
    }

    @Test
    void verificationsHoldNoIoThreadAndAreBoundedByAddress(@TempDir Path folder) throws IOException {
        String good = ISSUER.sign(TokenIssuer.identityClaims(ISSUER.dataTrust(), NOW));
        List<RawConnection> waiting = new ArrayList<>();
        try (CredentialSources sources = sources(folder);
                TestServer server = new TestServer(
                        Limits.DEFAULTS.with(Limit.UNVERIFIED_TOKENS_MAX, UNVERIFIED_MAX),
                        sources.authenticatorOf(new TrustBinding("file:///srv/brain", "cl-1", "inc-1"), false),
                        (credential, graph) -> Permissions.OnEveryBranch.ALL)) {
            for (int i = 0; i < UNVERIFIED_MAX - 1; i++) {
                waiting.add(server.connect().send(get(i == 1 ? good : forged(i))));
                int pending = i + 1;
                await().until(() -> server.server.verificationsPending() == pending);
            }
            // More connections than there are I/O threads, so that each of them answers some.
            for (int i = 0; i < 8 * Runtime.getRuntime().availableProcessors(); i++) {
                try (RawConnection other = server.connect()) {
                    assertThat(other.send(get("t-ada")).read().status()).isEqualTo(200);
                    assertThat(other.send(get("no.such.token")).read().status()).isEqualTo(429);
                    assertThat(other.send(get("unknown")).read().status()).isEqualTo(401);
                }
            }
            assertThat(server.server.admission().refusals().of(Refusals.Cause.UNVERIFIED_TOKENS))
                    .isEqualTo(8L * Runtime.getRuntime().availableProcessors());
            release.countDown();
            for (int i = 0; i < waiting.size(); i++) {
                assertThat(waiting.get(i).read().status()).isEqualTo(i == 1 ? 200 : 401);
                // The connection serves the next request.
                assertThat(waiting.get(i).send(get(good)).read().status()).isEqualTo(200);
            }
            assertThat(server.server.verificationsPending()).isZero();
        } finally {
            release.countDown();
            for (RawConnection connection : waiting) {
                connection.close();
            }
        }
    }
}
