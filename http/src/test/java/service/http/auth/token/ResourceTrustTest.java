package service.http.auth.token;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import service.core.testkit.TokenIssuer;

/** The rules of the trust file of OIDC identities, one at a time. */
final class ResourceTrustTest {
    private static final long NOW = 1_795_225_000L;
    private static final TokenIssuer PROVIDER = TokenIssuer.rs256();

    static List<Change> faults() {
        return List.of(
                Change.without("version"),
                Change.without("revision"),
                Change.without("generated_at"),
                Change.without("expires_at"),
                Change.without("issuer"),
                Change.without("resource"),
                Change.without("organization_id"),
                Change.without("account_id"),
                Change.without("cluster_id"),
                Change.without("cluster_incarnation"),
                Change.without("canonical_root"),
                Change.without("keys"),
                Change.without("principals"),
                Change.set("more", "1", "is unknown"),
                Change.set("version", "1.0", "`version`"),
                Change.set("version", "2", "`version`"),
                Change.set("revision", "'7'", "`revision`"),
                Change.set("revision", "-1", "`revision`"),
                Change.set("expires_at", Long.toString(NOW + 301), "1 to 300"),
                Change.set("expires_at", Long.toString(NOW), "1 to 300"),
                new Change(
                        "expired", node -> node.put("generated_at", NOW - 300).put("expires_at", NOW), "expired"),
                new Change(
                        "future",
                        node -> node.put("generated_at", NOW + 31).put("expires_at", NOW + 300),
                        "in the future"),
                Change.set("issuer", "'http://login.example'", "`issuer`"),
                Change.set("resource", "'https://a@graph.example.com'", "`resource`"),
                Change.set("resource", "'https://graph.example.com?a'", "`resource`"),
                Change.set("organization_id", "'org 1'", "`organization_id`"),
                Change.set("keys", "[]", "1 to 4"),
                new Change("a key twice", node -> keys(node).add(PROVIDER.jwk()), "occurs twice"),
                new Change("five keys", ResourceTrustTest::fiveKeys, "1 to 4"),
                key("kty", "EC", "`kty`"),
                key("kid", "", "`kid`"),
                key("n", key(PROVIDER.oidcTrust(1, NOW)).path("n").asText() + "=", "`n`"),
                key("n", "AA" + "x".repeat(342), "`n`"),
                key("n", TokenIssuer.rs256(1_024).jwk().path("n").asText(), "2048"),
                key("e", "AQ", "`e`"),
                key("e", "AAEAAQ", "`e`"),
                key("e", "BAAAAAE", "`e`"),
                key("use", "enc", "`use` is not sig"),
                key("alg", "RS512", "`alg` is not RS256"),
                new Change("no kid", node -> key(node).remove("kid"), "`kid` is missing"),
                Change.set("scopes", "'read'", "`scopes` must be an array"),
                Change.set("scopes", "['read','read']", "once"),
                Change.set("scopes", "['']", "a scope of OAuth"),
                Change.set("scopes", "['a b']", "a scope of OAuth"),
                Change.set("scopes", "['a\\\"b']", "a scope of OAuth"),
                Change.set("scopes", "[1]", "a scope of OAuth"),
                Change.set(
                        "scopes",
                        "['1','2','3','4','5','6','7','8','9','10','11','12','13','14','15','16','17']",
                        "at most 16"),
                Change.set("client_id", "7", "`client_id` must be a string"),
                Change.set("client_id", "'a b'", "`client_id` must be 1 to 256 visible"),
                Change.set("principals", "{}", "0 to 1000"),
                Change.set("principals", "[{'subject':'a'}]", "`principal_id` is missing"),
                Change.set("principals", "[{'subject':'','principal_id':'p'}]", "`subject`"),
                Change.set("principals", "[{'subject':'a b','principal_id':'p'}]", "`subject`"),
                Change.set("principals", "[{'subject':'" + "a".repeat(257) + "','principal_id':'p'}]", "`subject`"),
                Change.set("principals", "[{'subject':'a','principal_id':'p.1'}]", "`principal_id`"),
                Change.set(
                        "principals",
                        "[{'subject':'a','principal_id':'p'},{'subject':'a','principal_id':'q'}]",
                        "occurs twice"),
                new Change("1001 principals", node -> principals(node, 1_001), "0 to 1000"));
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
            keys(trust).add(PROVIDER.jwk().put("kid", "k" + i));
        }
    }

    private static void principals(ObjectNode trust, int count) {
        ArrayNode principals = trust.putArray("principals");
        for (int i = 0; i < count; i++) {
            principals.addObject().put("subject", "user|" + i).put("principal_id", "p-" + i);
        }
    }

    private static ResourceTrust parse(ObjectNode trust) {
        return ResourceTrust.parse(Trees.utf8(trust), NOW * 1_000);
    }

    @ParameterizedTest
    @MethodSource("faults")
    void aFileThatBreaksOneRuleIsRefusedWithTheRule(Change change) {
        assertThatThrownBy(() -> parse(change.of(PROVIDER.oidcTrust(7, NOW))))
                .isInstanceOf(TrustFileException.class)
                .hasMessageContaining(change.rule());
    }

    @ParameterizedTest
    @ValueSource(strings = {"https://login.example/", "https://login.example/realms/a", "http://127.0.0.1:9/a"})
    void anIssuerMayHaveAPath(String issuer) {
        assertThatCode(() -> parse(PROVIDER.oidcTrust(7, NOW).put("issuer", issuer)))
                .doesNotThrowAnyException();
    }

    /** Keys as providers publish them. */
    @Test
    void membersOfAKeyThatAreNotNeededAreIgnored() {
        ObjectNode trust = PROVIDER.oidcTrust(7, NOW);
        key(trust).put("use", "sig").put("alg", "RS256").put("x5t", "abc");
        key(trust).putArray("x5c").add("MII");
        key(trust).putObject("another").put("kid", "no");
        assertThat(parse(trust).keys()).hasSize(1);
    }

    @Test
    void scopesAreKeptInTheirOrder() {
        ObjectNode trust = PROVIDER.oidcTrust(7, NOW);
        assertThat(parse(trust).binding().scopes()).isEmpty();
        trust.putArray("scopes").add("openid").add("https://graph.example.com/read");
        assertThat(parse(trust).binding().scopes()).containsExactly("openid", "https://graph.example.com/read");
    }

    @Test
    void allLimitsAreInclusive() {
        ObjectNode trust = PROVIDER.oidcTrust(7, NOW);
        principals(trust, 1_000);
        for (int i = 0; i < 3; i++) {
            keys(trust).add(PROVIDER.jwk().put("kid", "k" + i));
        }
        ResourceTrust parsed = parse(trust);
        assertThat(parsed.principals()).hasSize(1_000).containsEntry("user|999", "p-999");
        assertThat(parsed.keys()).hasSize(4);
        assertThat(parsed.isExpired((NOW + 300) * 1_000 - 1)).isFalse();
        assertThat(parsed.isExpired((NOW + 300) * 1_000)).isTrue();
    }
}
