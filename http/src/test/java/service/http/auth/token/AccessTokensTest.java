package service.http.auth.token;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import service.core.testkit.TokenIssuer;
import service.http.auth.token.VerifiedToken.Profile;

/** The rules of OIDC access tokens, one at a time. */
final class AccessTokensTest {
    private static final long NOW = 1_795_225_000L;
    private static final TokenIssuer PROVIDER = TokenIssuer.rs256();
    private static final ObjectNode TRUST = PROVIDER.oidcTrust(7, NOW);
    private static final AccessTokens TOKENS = new AccessTokens(ResourceTrust.parse(Trees.utf8(TRUST), NOW * 1_000));

    private static VerifiedToken verify(String token, long nowMillis) {
        return TOKENS.verify(CompactToken.parse(token), token.length(), nowMillis);
    }

    private static VerifiedToken verify(String token) {
        return verify(token, NOW * 1_000);
    }

    private static ObjectNode claims() {
        return TokenIssuer.accessClaims(TRUST, NOW);
    }

    static List<Change> headerFaults() {
        return List.of(
                Change.set("alg", "'none'", "`alg`"),
                Change.set("alg", "'HS256'", "`alg`"),
                Change.set("alg", "'PS256'", "`alg`"),
                Change.set("typ", "'at+JWT'", "`typ`"),
                Change.set("typ", "null", "`typ`"),
                Change.set("kid", "'k9'", "`kid`"),
                Change.set("crit", "['exp']", "`crit`"),
                new Change("without typ", node -> node.remove("typ"), "`typ`"),
                new Change("without kid", node -> node.remove("kid"), "`kid`"));
    }

    static List<Change> claimFaults() {
        List<Change> faults = new ArrayList<>(List.of(
                Change.set("iss", "'https://login.example/'", "`iss`"),
                Change.set("aud", "'https://graph.example.com/'", "`aud`"),
                Change.set("aud", "[]", "`aud`"),
                Change.set("aud", "['https://graph.example.com','https://other.example']", "`aud`"),
                Change.set("aud", "[['https://graph.example.com']]", "`aud`"),
                Change.set("org_id", "'org_2'", "`org_id`"),
                Change.set("sub", "'user_2'", "`sub`"),
                Change.set("sub", "['user_1']", "`sub`"),
                Change.set("client_id", "'user_1'", "`sub`"),
                Change.set("azp", "'user_1'", "`sub`"),
                Change.set("gty", "'client-credentials'", "`gty`"),
                Change.set("gty", "['client-credentials']", "`gty`"),
                Change.set("gty", "null", "`gty`"),
                Change.set("client_id", "['user_1']", "`client_id`"),
                Change.set("azp", "['user_1']", "`azp`"),
                Change.set("exp", Long.toString(NOW + 301), "300"),
                Change.set("exp", Long.toString(NOW), "300"),
                Change.set("exp", "1e12", "`exp`"),
                Change.set("iat", "'1'", "`iat`"),
                new Change("expired", node -> node.put("iat", NOW - 300).put("exp", NOW), "expired"),
                new Change("future", node -> node.put("iat", NOW + 31), "in the future"),
                Change.set("nbf", Long.toString(NOW + 1), "not valid yet"),
                Change.set("nbf", "null", "`nbf`")));
        for (String claim : List.of("iss", "aud", "org_id", "sub", "iat", "exp")) {
            faults.add(new Change("without " + claim, node -> node.remove(claim), "`" + claim + "`"));
        }
        for (String claim : List.of("act", "may_act", "impersonator", "nonce", "at_hash", "c_hash")) {
            faults.add(Change.set(claim, "'x'", "`" + claim + "`"));
            faults.add(Change.set(claim, "null", "`" + claim + "`"));
        }
        return faults;
    }

    private static void assertRefused(String token, String rule) {
        assertThatThrownBy(() -> verify(token))
                .isInstanceOf(TokenRefusedException.class)
                .hasMessageContaining(rule);
    }

    @ParameterizedTest
    @MethodSource("headerFaults")
    void aHeaderThatBreaksOneRuleIsRefused(Change change) {
        assertRefused(PROVIDER.sign(change.of(PROVIDER.header()).toString(), claims().toString()), change.rule());
    }

    @ParameterizedTest
    @MethodSource("claimFaults")
    void claimsThatBreakOneRuleAreRefused(Change change) {
        assertRefused(PROVIDER.sign(change.of(claims())), change.rule());
    }

    @Test
    void anAdmittedPersonIsVerified() {
        VerifiedToken person = verify(PROVIDER.sign(claims()));
        assertThat(person.profile()).isEqualTo(Profile.OIDC);
        assertThat(person.actor()).isEqualTo("principal:p-1");
        assertThat(person.tokenId()).isEqualTo("jti-1");
        ObjectNode other = claims().put("nbf", NOW).put("scope", "openid").put("gty", "authorization_code");
        other.remove(List.of("jti", "client_id"));
        other.putArray("aud").add("https://graph.example.com");
        String header = PROVIDER.header().put("typ", "at+jwt").put("x5t", "x").toString();
        assertThat(verify(PROVIDER.sign(header, other.toString())).tokenId()).isNull();
    }

    @Test
    void anIdThatCannotBeLoggedIsLeftOut() {
        assertThat(verify(PROVIDER.sign(claims().put("jti", "a\nb"))).tokenId()).isNull();
        assertThat(verify(PROVIDER.sign(claims().put("jti", "a".repeat(257)))).tokenId())
                .isNull();
    }

    @Test
    void theSnapshotAdmitsUntilItsDeadline() {
        String late = PROVIDER.sign(claims().put("iat", NOW + 200).put("exp", NOW + 400));
        long deadline = (NOW + 300) * 1_000;
        verify(late, deadline - 1);
        assertThatThrownBy(() -> verify(late, deadline)).hasMessageContaining("trust file has expired");
    }

    @Test
    void anotherKeyUnderTheSameIdIsRefused() {
        TokenIssuer other = TokenIssuer.rs256(2_048);
        assertRefused(other.sign(PROVIDER.header().toString(), claims().toString()), "signature");
    }
}
