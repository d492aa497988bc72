package service.http.auth.token;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import service.core.policy.Action;
import service.core.testkit.TokenIssuer;
import service.http.auth.token.VerifiedToken.Profile;

/** The rules of signed data credentials, one at a time. */
final class DataCredentialsTest {
    private static final long NOW = 1_795_225_000L;
    private static final TokenIssuer ISSUER = TokenIssuer.es256();
    private static final ObjectNode TRUST = ISSUER.dataTrust();
    private static final DataCredentials CREDENTIALS = new DataCredentials(DataTrust.parse(Trees.utf8(TRUST)));

    private static VerifiedToken verify(String token) {
        return CREDENTIALS.verify(CompactToken.parse(token), token.length(), NOW * 1_000);
    }

    private static ObjectNode identity() {
        return TokenIssuer.identityClaims(TRUST, NOW);
    }

    private static ObjectNode restricted() {
        return TokenIssuer.restrictedClaims(TRUST, NOW, "g", "read", "change");
    }

    static List<Change> headerFaults() {
        return List.of(
                Change.without("alg"),
                Change.without("typ"),
                Change.without("kid"),
                Change.set("alg", "'none'", "`alg`"),
                Change.set("alg", "'HS256'", "`alg`"),
                Change.set("alg", "'RS256'", "`alg`"),
                Change.set("alg", "'ES384'", "`alg`"),
                Change.set("alg", "'es256'", "`alg`"),
                Change.set("alg", "['ES256']", "`alg`"),
                Change.set("typ", "'jwt'", "`typ`"),
                Change.set("typ", "'at+jwt'", "`typ`"),
                Change.set("kid", "'" + TokenIssuer.es256().kid() + "'", "`kid`"),
                Change.set("kid", "''", "`kid`"),
                Change.set("crit", "[]", "is unknown"),
                Change.set("jwk", "{}", "is unknown"));
    }

    static List<Change> claimFaults() {
        List<Change> faults = new ArrayList<>(List.of(
                Change.set("version", "3", "`version`"),
                Change.set("version", "0", "`version`"),
                Change.set("version", "'2'", "`version`"),
                Change.set("version", "2.0", "`version`"),
                Change.set("version", "1", "`grants` is missing"),
                Change.set("iss", "'https://issuer.example/'", "`iss`"),
                Change.set("iss", "null", "`iss`"),
                Change.set("aud", "'urn:service:data:cl-2'", "`aud`"),
                Change.set("aud", "['urn:service:data:cl-1']", "`aud`"),
                Change.set("sub", "''", "`sub`"),
                Change.set("sub", "'p/1'", "`sub`"),
                Change.set("sub", "'p\\n'", "`sub`"),
                Change.set("sub", "'" + "p".repeat(129) + "'", "`sub`"),
                Change.set("sub", "1", "`sub`"),
                Change.set("account_id", "'acct-2'", "`account_id`"),
                Change.set("cluster_id", "'cl-2'", "`cluster_id`"),
                Change.set("cluster_incarnation", "'inc-2'", "`cluster_incarnation`"),
                Change.set("principal_kind", "'robot'", "`principal_kind`"),
                Change.set("principal_kind", "'automation'", "`principal_kind`"),
                Change.set("assurance", "'verified_workload'", "`assurance`"),
                Change.set("assurance", "'none'", "`assurance`"),
                Change.set("jti", "''", "`jti`"),
                Change.set("jti", "7", "`jti`"),
                Change.set("grants", "[]", "is unknown"),
                Change.set("nbf", "1", "is unknown"),
                Change.set("exp", Long.toString(NOW + 59), "60 to 86400"),
                Change.set("exp", Long.toString(NOW + 86_401), "60 to 86400"),
                Change.set("exp", Long.toString(NOW - 100), "60 to 86400"),
                Change.set("exp", "1e12", "`exp`"),
                Change.set("exp", NOW + 60 + ".0", "`exp`"),
                Change.set("exp", "'" + (NOW + 60) + "'", "`exp`"),
                Change.set("exp", "9223372036854775808", "`exp`"),
                Change.set("iat", "-1", "`iat`"),
                Change.set("iat", Long.toString(NOW + 31), "in the future"),
                new Change("expired", node -> node.put("iat", NOW - 3_600).put("exp", NOW), "expired")));
        for (String claim :
                List.of("version", "iss", "aud", "sub", "account_id", "cluster_id", "cluster_incarnation")) {
            faults.add(new Change("without " + claim, node -> node.remove(claim), "`" + claim + "`"));
        }
        for (String claim : List.of("principal_kind", "assurance", "iat", "exp", "jti")) {
            faults.add(Change.without(claim));
        }
        return faults;
    }

    static List<Change> grantFaults() {
        return List.of(
                Change.without("grants"),
                Change.set("version", "2", "is unknown"),
                Change.set("grants", "[]", "1 to 64"),
                Change.set("grants", "{}", "1 to 64"),
                Change.set("grants", "['g']", "not an object"),
                Change.set("grants", "[{'graph_id':'g'}]", "`actions` is missing"),
                Change.set("grants", "[{'graph_id':'g','actions':['read'],'more':1}]", "is unknown"),
                Change.set("grants", "[{'graph_id':'g','actions':[]}]", "`actions`"),
                Change.set("grants", "[{'graph_id':'g','actions':'read'}]", "`actions`"),
                Change.set("grants", "[{'graph_id':'g','actions':['read','read']}]", "twice"),
                Change.set("grants", "[{'graph_id':'g','actions':['READ']}]", "cannot be granted"),
                Change.set("grants", "[{'graph_id':'g','actions':['admin']}]", "cannot be granted"),
                Change.set("grants", "[{'graph_id':'g','actions':['schema_apply']}]", "cannot be granted"),
                Change.set("grants", "[{'graph_id':'g','actions':['config_manage']}]", "cannot be granted"),
                Change.set("grants", "[{'graph_id':'g','actions':[1]}]", "cannot be granted"),
                Change.set("grants", "[{'graph_id':'g/h','actions':['read']}]", "`graph_id`"),
                Change.set(
                        "grants",
                        "[{'graph_id':'g','actions':['read']},{'graph_id':'g','actions':['change']}]",
                        "a graph occurs twice"),
                new Change("65 grants", node -> addGrants(node, 64), "1 to 64"));
    }

    private static void addGrants(ObjectNode claims, int count) {
        ArrayNode grants = (ArrayNode) claims.path("grants");
        for (int i = 0; i < count; i++) {
            grants.addObject().put("graph_id", "h" + i).putArray("actions").add("read");
        }
    }

    private static void assertRefused(String token, String rule) {
        assertThatThrownBy(() -> verify(token))
                .isInstanceOf(TokenRefusedException.class)
                .hasMessageContaining(rule);
    }

    @ParameterizedTest
    @MethodSource("headerFaults")
    void theHeaderIsExact(Change change) {
        String header = change.of(ISSUER.header()).toString();
        assertRefused(ISSUER.sign(header, identity().toString()), change.rule());
    }

    @ParameterizedTest
    @MethodSource("claimFaults")
    void theClaimsAreExact(Change change) {
        assertRefused(ISSUER.sign(change.of(identity())), change.rule());
    }

    @ParameterizedTest
    @MethodSource("grantFaults")
    void grantsAreExact(Change change) {
        assertRefused(ISSUER.sign(change.of(restricted())), change.rule());
    }

    @Test
    void bothVersionsAreVerified() {
        VerifiedToken person = verify(ISSUER.sign(identity()));
        assertThat(person.profile()).isEqualTo(Profile.IDENTITY);
        assertThat(person.actor()).isEqualTo("principal:p-1");
        assertThat(person.grants()).isEmpty();
        assertThat(person.tokenId()).isEqualTo("jti-1");
        VerifiedToken limited = verify(ISSUER.sign(restricted()));
        assertThat(limited.profile()).isEqualTo(Profile.RESTRICTED);
        assertThat(limited.grants()).isEqualTo(Map.of("g", Set.of(Action.READ, Action.CHANGE)));
        ObjectNode workload = identity().put("principal_kind", "automation").put("assurance", "verified_workload");
        assertThat(verify(ISSUER.sign(workload)).actor()).isEqualTo("principal:p-1");
    }

    @Test
    void allLimitsAreInclusive() {
        verify(ISSUER.sign(identity().put("exp", NOW + 60)));
        verify(ISSUER.sign(identity().put("exp", NOW + 86_400)));
        verify(ISSUER.sign(identity().put("iat", NOW + 30)));
        verify(ISSUER.sign(identity().put("iat", NOW - 59).put("exp", NOW + 1)));
        ObjectNode most = restricted();
        addGrants(most, 63);
        assertThat(verify(ISSUER.sign(most)).grants()).hasSize(64);
    }

    @Test
    void theTokenHasAtMost8192Bytes() {
        String claims = identity().toString();
        String shorter = ISSUER.sign(ISSUER.header().toString(), claims + " ".repeat(5_500));
        assertThat(shorter.length()).isLessThan(8_192);
        verify(shorter);
        assertRefused(ISSUER.sign(ISSUER.header().toString(), claims + " ".repeat(5_800)), "8192");
    }

    @Test
    void aDuplicateMemberIsRefusedAlsoWithAnEscapedName() {
        String claims = identity().toString();
        String twice = "{\"jti\":\"other\"," + claims.substring(1);
        assertRefused(ISSUER.sign(ISSUER.header().toString(), twice), "strict JSON");
        String escaped = "{\"\\u006ati\":\"other\"," + claims.substring(1);
        assertRefused(ISSUER.sign(ISSUER.header().toString(), escaped), "strict JSON");
    }

    @Test
    void aReasonContainsNoValueOfTheToken() {
        ObjectNode claims = identity().put("sub", "marked secret").put("iss", "marked secret");
        assertThatThrownBy(() -> verify(ISSUER.sign(claims))).message().doesNotContain("marked");
        assertThatThrownBy(() -> verify(ISSUER.sign(ISSUER.header().toString(), "{\"marked\":secret")))
                .message()
                .doesNotContain("marked");
    }

    @Test
    void signaturesOfOtherFormsAreRefused() {
        String token = ISSUER.sign(identity());
        String signed = token.substring(0, token.lastIndexOf('.'));
        byte[] zero = new byte[64];
        byte[] order = new byte[64];
        Arrays.fill(order, (byte) -1);
        byte[] long65 = Arrays.copyOf(ISSUER.signature(signed), 65);
        for (byte[] bad : List.of(zero, order, long65, Arrays.copyOf(long65, 63), new byte[] {1})) {
            assertRefused(signed + "." + TokenIssuer.base64Url(bad), "signature");
        }
        assertRefused(signed + ".", "signature");
        assertRefused(token + "=", "base64url");
        assertRefused(token + "\n", "base64url");
    }
}
