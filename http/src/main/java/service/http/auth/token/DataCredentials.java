package service.http.auth.token;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import java.security.interfaces.ECPublicKey;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import service.core.policy.Action;
import service.http.auth.token.VerifiedToken.Profile;

/**
 * Verifies signed data credentials ({@code docs/credentials.md}). Claims are checked before the signature, because that
 * is cheap and the signature is not. Any thread.
 */
record DataCredentials(DataTrust trust) {
    static final String ALGORITHM = "ES256";
    private static final int CHARS_MAX = 8_192;
    private static final int GRANTS_MAX = 64;
    private static final long LIFETIME_SECONDS_MIN = 60;
    private static final long LIFETIME_SECONDS_MAX = 86_400;

    private static final Set<String> HEADER = Set.of("alg", "typ", "kid");

    private static final Set<String> IDENTITY_CLAIMS = Set.of(
            "version",
            "iss",
            "aud",
            "sub",
            "account_id",
            "cluster_id",
            "cluster_incarnation",
            "principal_kind",
            "assurance",
            "iat",
            "exp",
            "jti");

    private static final Set<String> RESTRICTED_CLAIMS = with(IDENTITY_CLAIMS, "grants");

    /** {@code principal_kind} and the {@code assurance} that belongs to it. */
    private static final Map<String, String> ASSURANCES =
            Map.of("human", "verified_human", "automation", "verified_workload");

    private static final Set<Action> GRANTABLE = EnumSet.of(
            Action.READ,
            Action.EXPORT,
            Action.CHANGE,
            Action.BRANCH_CREATE,
            Action.BRANCH_DELETE,
            Action.BRANCH_MERGE,
            Action.INVOKE_QUERY,
            Action.GRAPH_LIST);

    private static Set<String> with(Set<String> names, String more) {
        Set<String> all = new HashSet<>(names);
        all.add(more);
        return Set.copyOf(all);
    }

    /**
     * Verifies a credential.
     *
     * @param length the characters of the token
     * @throws TokenRefusedException naming the rule that it breaks
     */
    VerifiedToken verify(CompactToken token, int length, long nowMillis) {
        if (length > CHARS_MAX) {
            throw new TokenRefusedException("the token is longer than " + CHARS_MAX + " bytes");
        }
        ECPublicKey key = key(token.header());
        VerifiedToken verified = read(token.claims());
        verified.times().check(nowMillis);
        if (!PublicKeys.verifyEs256(key, token)) {
            throw new TokenRefusedException("the signature is not that of the key");
        }
        return verified;
    }

    private ECPublicKey key(Members header) {
        header.exactly(HEADER);
        header.require("alg", ALGORITHM, ALGORITHM);
        header.require("typ", "JWT", "JWT");
        ECPublicKey key = trust.keys().get(header.text("kid"));
        if (key == null) {
            throw header.refuse("`kid` names no key of the trust file");
        }
        return key;
    }

    private VerifiedToken read(Members claims) {
        long version = claims.integer("version");
        if (version != 1 && version != 2) {
            throw claims.refuse("`version` must be 1 or 2");
        }
        boolean restricted = version == 1;
        claims.exactly(restricted ? RESTRICTED_CLAIMS : IDENTITY_CLAIMS);
        claims.require("iss", trust.issuer(), "the issuer of the trust file");
        claims.require("aud", trust.audience(), "the audience of the trust file");
        claims.require("account_id", trust.accountId(), "the account of the trust file");
        claims.require("cluster_id", trust.cluster().clusterId(), "the cluster of the trust file");
        claims.require(
                "cluster_incarnation", trust.cluster().clusterIncarnation(), "the incarnation of the trust file");
        if (!claims.text("assurance").equals(ASSURANCES.get(claims.text("principal_kind")))) {
            throw claims.refuse("`principal_kind` and `assurance` are not a pair that is allowed");
        }
        return new VerifiedToken(
                restricted ? Profile.RESTRICTED : Profile.IDENTITY,
                "principal:" + claims.id("sub"),
                restricted ? grants(claims) : Map.of(),
                claims.id("jti"),
                times(claims));
    }

    private static VerifiedToken.Times times(Members claims) {
        long issued = claims.integer("iat");
        long expires = claims.integer("exp");
        long lifetime = expires - issued;
        if (lifetime < LIFETIME_SECONDS_MIN || lifetime > LIFETIME_SECONDS_MAX) {
            throw claims.refuse("a credential lives 60 to 86400 seconds");
        }
        return new VerifiedToken.Times(issued, 0, expires);
    }

    private static Map<String, Set<Action>> grants(Members claims) {
        Map<String, Set<Action>> grants = new HashMap<>();
        for (Members grant : claims.objects("grants", 1, GRANTS_MAX)) {
            grant.exactly(Set.of("graph_id", "actions"));
            if (grants.put(grant.id("graph_id"), Set.copyOf(actions(grant))) != null) {
                throw grant.refuse("a graph occurs twice");
            }
        }
        return grants;
    }

    private static Set<Action> actions(Members grant) {
        if (!(grant.get("actions") instanceof ArrayNode words) || words.isEmpty()) {
            throw grant.refuse("`actions` must be an array with an action");
        }
        Set<Action> actions = EnumSet.noneOf(Action.class);
        for (JsonNode word : words) {
            Action action = word.isTextual() ? Action.of(word.textValue()) : null;
            if (action == null || !GRANTABLE.contains(action)) {
                throw grant.refuse("an action cannot be granted");
            }
            if (!actions.add(action)) {
                throw grant.refuse("an action occurs twice");
            }
        }
        return actions;
    }
}
