package service.http.auth.token;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import service.core.error.StartRefusedException;
import service.core.testkit.TokenIssuer;

/** The rules of the trust file of data credentials, one at a time. */
final class DataTrustTest {
    private static final TokenIssuer ISSUER = TokenIssuer.es256();

    static List<Change> faults() {
        return List.of(
                Change.without("version"),
                Change.without("canonical_root"),
                Change.without("account_id"),
                Change.without("cluster_id"),
                Change.without("cluster_incarnation"),
                Change.without("issuer"),
                Change.without("audience"),
                Change.without("keys"),
                Change.set("more", "1", "is unknown"),
                Change.set("version", "2", "`version` must be 1"),
                Change.set("version", "'1'", "`version` must be a whole number"),
                Change.set("version", "1.0", "`version` must be a whole number"),
                Change.set("version", "1e0", "`version` must be a whole number"),
                Change.set("version", "true", "`version` must be a whole number"),
                Change.set("canonical_root", "null", "`canonical_root` must be a string"),
                Change.set("account_id", "''", "`account_id`"),
                Change.set("account_id", "'a.b'", "`account_id`"),
                Change.set("cluster_id", "'cl 1'", "`cluster_id`"),
                Change.set("cluster_incarnation", "'" + "i".repeat(129) + "'", "`cluster_incarnation`"),
                Change.set("audience", "'urn:service:data:cl-2'", "`audience`"),
                Change.set("audience", "['urn:service:data:cl-1']", "`audience`"),
                Change.set("keys", "[]", "1 to 4"),
                Change.set("keys", "{}", "1 to 4"),
                Change.set("keys", "[1]", "not an object"),
                new Change("five keys", DataTrustTest::fiveKeys, "1 to 4"),
                new Change("a key twice", node -> keys(node).add(ISSUER.dataKey()), "occurs twice"),
                new Change("another member of a key", node -> key(node).put("use", "sig"), "is unknown"),
                key("kid", ISSUER.kid().toUpperCase(Locale.ROOT), "`kid`"),
                key("kid", TokenIssuer.es256().kid(), "`kid`"),
                key("public_key_pem", ISSUER.pem().replace("PUBLIC", "PRIVATE"), "one PEM block"),
                key("public_key_pem", ISSUER.pem() + ISSUER.pem(), "one PEM block"),
                key("public_key_pem", "-----BEGIN PUBLIC KEY-----\nA\n-----END PUBLIC KEY-----", "EC public key"),
                new Change(
                        "P-384",
                        node -> keys(node)
                                .set(0, TokenIssuer.ofCurve("secp384r1").dataKey()),
                        "P-256"),
                new Change(
                        "RSA",
                        node -> keys(node).set(0, TokenIssuer.rs256(2_048).dataKey()),
                        "EC public key"));
    }

    private static Change key(String member, String value, String rule) {
        return new Change(member + " of a key", node -> key(node).put(member, value), rule);
    }

    private static ArrayNode keys(ObjectNode trust) {
        return (ArrayNode) trust.path("keys");
    }

    private static ObjectNode key(ObjectNode trust) {
        return (ObjectNode) keys(trust).get(0);
    }

    private static void fiveKeys(ObjectNode trust) {
        for (int i = 0; i < 4; i++) {
            keys(trust).add(TokenIssuer.es256().dataKey());
        }
    }

    @ParameterizedTest
    @MethodSource("faults")
    void aFileThatBreaksOneRuleIsRefusedWithTheRule(Change change) {
        assertThatThrownBy(() -> DataTrust.parse(Trees.utf8(change.of(ISSUER.dataTrust()))))
                .isInstanceOf(TrustFileException.class)
                .hasMessageContaining(change.rule());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://issuer.example/",
                "https://issuer.example/a",
                "https://issuer.example?a",
                "https://issuer.example#a",
                "https://user@issuer.example",
                "https://",
                "https://issuer.example:",
                "https://Issuer.example",
                "HTTPS://issuer.example",
                "http://issuer.example",
                "ftp://issuer.example",
                "issuer.example",
                "https://issuer.example ",
            })
    void anIssuerIsAnOriginOverHttps(String issuer) {
        ObjectNode trust = ISSUER.dataTrust().put("issuer", issuer);
        assertThatThrownBy(() -> DataTrust.parse(Trees.utf8(trust))).hasMessageContaining("`issuer`");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"https://issuer.example:8443", "http://localhost:9", "http://127.0.0.1:9", "http://[::1]:9"})
    void portsAndLoopbackOverHttpAreTaken(String issuer) {
        ObjectNode trust = ISSUER.dataTrust().put("issuer", issuer);
        assertThatCode(() -> DataTrust.parse(Trees.utf8(trust))).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "[]", "{\"version\":1,\"version\":1}", "{} {}", "\uFEFF{}", "{'a':1}", "{/**/}"})
    void onlyOneStrictJsonObjectIsRead(String text) {
        assertThatThrownBy(() -> DataTrust.parse(text.getBytes(StandardCharsets.UTF_8)))
                .isInstanceOf(TrustFileException.class);
    }

    @Test
    void fourKeysAreTaken() {
        ObjectNode trust = ISSUER.dataTrust();
        for (int i = 0; i < 3; i++) {
            keys(trust).add(TokenIssuer.es256().dataKey());
        }
        assertThat(DataTrust.parse(Trees.utf8(trust)).keys()).hasSize(4);
    }

    @Test
    void aFileOfMoreThan64KibOrWithoutAccessIsRefused(@TempDir Path folder) throws IOException {
        String text = ISSUER.dataTrust().toString();
        Path file = folder.resolve("trust.json");
        Files.writeString(file, text + " ".repeat((64 << 10) - text.length()));
        assertThatCode(() -> DataTrust.read(file.toString(), "--data-token-trust"))
                .doesNotThrowAnyException();
        Files.writeString(file, text + " ".repeat((64 << 10) - text.length() + 1));
        for (String path : List.of(file.toString(), folder.resolve("none").toString(), folder.toString(), "\0")) {
            assertThatThrownBy(() -> DataTrust.read(path, "--data-token-trust"))
                    .isInstanceOfSatisfying(
                            StartRefusedException.class,
                            e -> assertThat(e.code()).isEqualTo("trust_invalid"))
                    .hasMessageContaining("--data-token-trust");
        }
    }
}
