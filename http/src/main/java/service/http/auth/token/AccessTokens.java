package service.http.auth.token;

import com.fasterxml.jackson.databind.JsonNode;
import java.security.interfaces.RSAPublicKey;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import service.http.auth.token.VerifiedToken.Profile;

/**
 * Verifies OIDC access tokens ({@code docs/credentials.md}) against one snapshot of the trust file. Claims are checked
 * before the signature. Any thread.
 */
record AccessTokens(ResourceTrust trust) {
    static final String ALGORITHM = "RS256";

    /** As many as the headers of a request may have by default. */
    private static final int CHARS_MAX = 16_384;

    private static final long LIFETIME_SECONDS_MAX = 300;
    private static final Set<String> TYPES = Set.of("JWT", "at+jwt");

    /** Claims of ID tokens, and of tokens that act for another principal. */
    private static final List<String> FOREIGN_CLAIMS =
            List.of("act", "may_act", "impersonator", "nonce", "at_hash", "c_hash");

    /**
     * Verifies an access token.
     *
     * @param length the characters of the token
     * @throws TokenRefusedException naming the rule that it breaks
     */
    VerifiedToken verify(CompactToken token, int length, long nowMillis) {
        if (length > CHARS_MAX) {
            throw new TokenRefusedException("the token is longer than " + CHARS_MAX + " bytes");
        }
        requireCurrent(nowMillis);
        RSAPublicKey key = key(token.header());
        VerifiedToken verified = read(token.claims());
        verified.times().check(nowMillis);
        if (!PublicKeys.verifyRs256(key, token)) {
            throw new TokenRefusedException("the signature is not that of the key");
        }
        return verified;
    }

    /** Refuses every token once the snapshot of the trust file has expired. */
    void requireCurrent(long nowMillis) {
        if (trust.isExpired(nowMillis)) {
            throw new TokenRefusedException("the OIDC trust file has expired; its publisher must write a new one");
        }
    }

    private RSAPublicKey key(Members header) {
        header.require("alg", ALGORITHM, ALGORITHM);
        if (!TYPES.contains(header.text("typ"))) {
            throw header.refuse("`typ` must be JWT or at+jwt");
        }
        if (header.has("crit")) {
            throw header.refuse("`crit` is not taken");
        }
        RSAPublicKey key = trust.keys().get(header.text("kid"));
        if (key == null) {
            throw header.refuse("`kid` names no key of the trust file");
        }
        return key;
    }

    private VerifiedToken read(Members claims) {
        claims.require("iss", trust.binding().issuer(), "the issuer of the trust file");
        if (!isResource(claims.get("aud"))) {
            throw claims.refuse("`aud` is not the resource of the trust file, and it alone");
        }
        claims.require("org_id", trust.binding().organizationId(), "the organization of the trust file");
        refuseForeign(claims);
        String subject = claims.text("sub");
        if (subject.equals(claims.optionalText("client_id")) || subject.equals(claims.optionalText("azp"))) {
            throw claims.refuse("`sub` is the client, not a person");
        }
        String principal = trust.principals().get(subject);
        if (principal == null) {
            throw claims.refuse("`sub` is not admitted by the trust file");
        }
        return new VerifiedToken(Profile.OIDC, "principal:" + principal, Map.of(), tokenId(claims), times(claims));
    }

    /** {@code jti} where it is short and printable, because the provider chooses it and the log contains it. */
    private static @Nullable String tokenId(Members claims) {
        String id = claims.textOrNull("jti");
        return id != null && ResourceTrust.VISIBLE.matcher(id).matches() ? id : null;
    }

    private boolean isResource(@Nullable JsonNode audience) {
        JsonNode only = audience != null && audience.isArray() && audience.size() == 1 ? audience.get(0) : audience;
        return only != null
                && only.isTextual()
                && only.textValue().equals(trust.binding().resource());
    }

    private static void refuseForeign(Members claims) {
        for (String name : FOREIGN_CLAIMS) {
            if (claims.has(name)) {
                throw claims.refuse("`" + name + "` is not taken: ID tokens and delegated tokens are refused");
            }
        }
        if ("client-credentials".equals(claims.optionalText("gty"))) {
            throw claims.refuse("`gty` is client-credentials: tokens of machines are refused");
        }
    }

    private static VerifiedToken.Times times(Members claims) {
        long issued = claims.integer("iat");
        long expires = claims.integer("exp");
        long lifetime = expires - issued;
        if (lifetime <= 0 || lifetime > LIFETIME_SECONDS_MAX) {
            throw claims.refuse("an access token lives at most 300 seconds");
        }
        return new VerifiedToken.Times(issued, claims.has("nbf") ? claims.integer("nbf") : 0, expires);
    }
}
