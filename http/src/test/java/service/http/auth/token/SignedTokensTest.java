package service.http.auth.token;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import service.core.error.StartRefusedException;
import service.core.testkit.TokenIssuer;

/** The cache of verified tokens, the rotation of keys, and the refreshing of the OIDC trust file. */
final class SignedTokensTest {
    private static final long NOW = 1_795_225_000L;
    private static final int KEPT_MAX = 50;
    private static final TokenIssuer ISSUER = TokenIssuer.es256();
    private static final TokenIssuer PROVIDER = TokenIssuer.rs256();

    @TempDir
    Path folder;

    private final AtomicLong seconds = new AtomicLong(NOW);
    private SignedTokens tokens;

    @BeforeEach
    void read() throws IOException {
        write("data", ISSUER.dataTrust());
        write("oidc", PROVIDER.oidcTrust(7, NOW));
        tokens = open();
    }

    private SignedTokens open() {
        return SignedTokens.read(
                folder.resolve("data").toString(),
                folder.resolve("oidc").toString(),
                () -> Instant.ofEpochSecond(seconds.get()),
                KEPT_MAX);
    }

    private void write(String name, ObjectNode trust) throws IOException {
        Files.write(folder.resolve(name), Trees.utf8(trust));
    }

    private String actor(String token) {
        return tokens.verify(token, PublicKeys.sha256(token)).actor();
    }

    private static ObjectNode identity(long now) {
        return TokenIssuer.identityClaims(ISSUER.dataTrust(), now);
    }

    private static String access(long now) {
        return PROVIDER.sign(TokenIssuer.accessClaims(PROVIDER.oidcTrust(7, NOW), now));
    }

    @Test
    void aKeptTokenExpires() {
        String credential = ISSUER.sign(identity(NOW));
        String access = access(NOW);
        assertThat(List.of(actor(credential), actor(credential), actor(access), actor(access)))
                .containsOnly("principal:p-1");
        assertThat(tokens.kept()).isEqualTo(2);
        seconds.set(NOW + 300);
        assertThatThrownBy(() -> actor(access)).hasMessageContaining("expired");
        assertThat(actor(credential)).isEqualTo("principal:p-1");
        seconds.set(NOW + 3_600);
        assertThatThrownBy(() -> actor(credential)).hasMessageContaining("expired");
        seconds.set(NOW - 31);
        assertThatThrownBy(() -> actor(credential)).as("the clock was set back").hasMessageContaining("future");
    }

    @Test
    void theNumberOfKeptTokensIsBoundedAndRefusedOnesAreNotKept() {
        for (int i = 0; i < 4 * KEPT_MAX; i++) {
            actor(ISSUER.sign(identity(NOW).put("jti", "t-" + i)));
            String bad = ISSUER.sign(identity(NOW).put("sub", "p-" + i).put("exp", 0));
            assertThatThrownBy(() -> actor(bad)).isInstanceOf(TokenRefusedException.class);
        }
        assertThat(tokens.kept()).isEqualTo(KEPT_MAX);
    }

    @Test
    void keysAreRotatedWithBothInTheTrustFile() throws IOException {
        TokenIssuer next = TokenIssuer.es256();
        ObjectNode both = ISSUER.dataTrust();
        ((ArrayNode) both.path("keys")).add(next.dataKey());
        String old = ISSUER.sign(identity(NOW));
        String fresh = next.sign(identity(NOW));
        assertThatThrownBy(() -> actor(fresh)).hasMessageContaining("`kid`");
        write("data", both);
        tokens = open();
        assertThat(List.of(actor(old), actor(fresh))).containsOnly("principal:p-1");
        write("data", next.dataTrust());
        tokens = open();
        assertThat(actor(fresh)).isEqualTo("principal:p-1");
        assertThatThrownBy(() -> actor(old)).hasMessageContaining("`kid`");
    }

    @Test
    void aNewRevisionReplacesKeysAndPrincipals() throws IOException {
        String access = access(NOW);
        actor(access);
        ObjectNode next = PROVIDER.oidcTrust(8, NOW + 5);
        next.putArray("principals").addObject().put("subject", "user_1").put("principal_id", "p-9");
        write("oidc", next);
        assertThat(actor(access)).as("before the refresh").isEqualTo("principal:p-1");
        tokens.refresh();
        assertThat(actor(access)).isEqualTo("principal:p-9");
        next.put("revision", 9).putArray("principals");
        write("oidc", next);
        tokens.refresh();
        assertThatThrownBy(() -> actor(access))
                .as("a kept token of a removed person")
                .hasMessageContaining("`sub`");
    }

    static List<Change> invalidUpdates() {
        return List.of(
                Change.set("issuer", "'https://other.example'", ""),
                Change.set("resource", "'https://other.example'", ""),
                Change.set("organization_id", "'org_2'", ""),
                Change.set("account_id", "'acct-2'", ""),
                Change.set("cluster_id", "'cl-2'", ""),
                Change.set("cluster_incarnation", "'inc-2'", ""),
                Change.set("canonical_root", "'file:///srv/other'", ""),
                Change.set("revision", "7", ""),
                Change.set("revision", "6", ""),
                Change.set("version", "2", ""),
                Change.set("expires_at", Long.toString(NOW + 1_000), ""),
                Change.set("keys", "[]", ""),
                Change.set("more", "1", ""));
    }

    @ParameterizedTest
    @MethodSource("invalidUpdates")
    void anInvalidUpdateExtendsNothing(Change change) throws IOException {
        write("oidc", change.of(PROVIDER.oidcTrust(8, NOW + 200)));
        seconds.set(NOW + 200);
        tokens.refresh();
        String access = access(NOW + 200);
        assertThat(actor(access)).as("the old snapshot serves").isEqualTo("principal:p-1");
        seconds.set(NOW + 300);
        tokens.refresh();
        assertThatThrownBy(() -> actor(access)).hasMessageContaining("trust file has expired");
    }

    @Test
    void anUpdateThatCannotBeReadIsSurvived() throws IOException {
        Files.delete(folder.resolve("oidc"));
        tokens.refresh();
        Files.write(folder.resolve("oidc"), new byte[300 << 10]);
        tokens.refresh();
        assertThat(actor(access(NOW))).isEqualTo("principal:p-1");
        write("oidc", PROVIDER.oidcTrust(8, NOW + 1));
        seconds.set(NOW + 300);
        tokens.refresh();
        assertThat(actor(access(NOW + 300))).isEqualTo("principal:p-1");
    }

    @Test
    void trustForAnotherClusterRefusesTheStart() {
        tokens.requireServed(new TrustBinding("file:///srv/brain", "cl-1", "inc-1"));
        for (TrustBinding other : List.of(
                new TrustBinding("file:///srv/brain/", "cl-1", "inc-1"),
                new TrustBinding("file:///srv/brain", "cl-2", "inc-1"),
                new TrustBinding("file:///srv/brain", "cl-1", "inc-2"))) {
            assertThatThrownBy(() -> tokens.requireServed(other))
                    .isInstanceOfSatisfying(
                            StartRefusedException.class,
                            e -> assertThat(e.code()).isEqualTo("trust_root_mismatch"));
        }
    }
}
