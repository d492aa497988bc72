package service.http.auth.token;

import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import service.core.policy.Action;

/**
 * A token whose signature and claims are verified. Immutable.
 *
 * @param actor {@code principal:} and the id of the principal
 * @param grants the actions by graph of a restricted credential; empty for other profiles
 * @param tokenId {@code jti}, for the log only; null when an access token has none
 */
public record VerifiedToken(
        Profile profile,
        String actor,
        Map<String, Set<Action>> grants,
        @Nullable String tokenId,
        Times times) {
    /** The kinds of signed tokens. */
    public enum Profile {
        /** A signed data credential of version 1. */
        RESTRICTED,
        /** A signed data credential of version 2. */
        IDENTITY,
        /** An OIDC access token. */
        OIDC
    }

    public VerifiedToken {
        grants = Map.copyOf(grants);
    }

    /**
     * When the token is valid, in seconds since 1970.
     *
     * @param notBefore 0 when the token does not say it
     */
    record Times(long issuedAt, long notBefore, long expiresAt) {
        private static final long MILLIS = 1_000;
        private static final long AHEAD_SECONDS_MAX = 30;

        /** @throws TokenRefusedException when the token is not valid now */
        void check(long nowMillis) {
            if (nowMillis >= expiresAt * MILLIS) {
                throw new TokenRefusedException("the token has expired");
            }
            if ((issuedAt - AHEAD_SECONDS_MAX) * MILLIS > nowMillis) {
                throw new TokenRefusedException("the token was issued more than 30 seconds in the future");
            }
            if (notBefore * MILLIS > nowMillis) {
                throw new TokenRefusedException("the token is not valid yet");
            }
        }
    }
}
