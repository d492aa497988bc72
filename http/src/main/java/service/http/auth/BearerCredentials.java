package service.http.auth;

import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.http.auth.token.ProtectedResource;
import service.http.auth.token.SignedTokens;
import service.http.auth.token.TokenRefusedException;
import service.http.auth.token.VerifiedToken;

/**
 * Resolves a bearer token: the exact static token first, then the signed tokens that are configured. Each request needs
 * a token.
 *
 * @param tokens null when none are configured
 * @param signed null when no trust file is configured
 */
public record BearerCredentials(
        @Nullable StaticTokenSource tokens, @Nullable SignedTokens signed) implements Authenticator {
    @Override
    public Credential authenticate(@Nullable List<String> authorization) {
        Credential known = authenticateAtOnce(authorization);
        SignedTokens verifying = signed;
        if (known != null || verifying == null) {
            return Objects.requireNonNull(known, "without signed tokens every answer is known at once");
        }
        try {
            String token = token(authorization);
            return Credential.of(verifying.verify(token, StaticTokens.sha256(token)));
        } catch (TokenRefusedException e) {
            throw Authenticator.invalid(e);
        }
    }

    @Override
    public @Nullable Credential authenticateAtOnce(@Nullable List<String> authorization) {
        try {
            String token = token(authorization);
            byte[] digest = StaticTokens.sha256(token);
            String actor = tokens == null ? null : tokens.current().actorOf(digest);
            if (actor != null) {
                return Credential.ofActor(actor);
            }
            if (signed == null || !SignedTokens.hasShape(token)) {
                throw new TokenRefusedException(
                        "the token is neither a static token nor a signed one that is configured");
            }
            VerifiedToken kept = signed.kept(digest);
            return kept == null ? null : Credential.of(kept);
        } catch (TokenRefusedException e) {
            throw Authenticator.invalid(e);
        }
    }

    @Override
    public BooleanSupplier standing(@Nullable List<String> authorization, String actor) {
        byte[] digest = StaticTokens.sha256(token(authorization));
        StaticTokens now = tokens == null ? null : tokens.current();
        if (tokens != null && now != null && (signed == null || now.actorOf(digest) != null)) {
            return new StaticStanding(tokens, digest, actor);
        }
        return signed == null ? () -> false : signed.standing(() -> token(authorization), digest, actor);
    }

    /** One thread at a time. */
    private static final class StaticStanding implements BooleanSupplier {
        private final StaticTokenSource source;
        private final byte[] digest;
        private final String actor;

        /** The tokens of the last check. */
        private @Nullable StaticTokens seen;

        private boolean holds;

        StaticStanding(StaticTokenSource source, byte[] digest, String actor) {
            this.source = source;
            this.digest = digest;
            this.actor = actor;
        }

        @Override
        public boolean getAsBoolean() {
            StaticTokens now = source.current();
            if (now != seen) {
                seen = now;
                holds = actor.equals(now.actorOf(digest));
            }
            return holds;
        }
    }

    private static String token(@Nullable List<String> authorization) {
        String token = BearerHeader.token(authorization);
        if (token == null) {
            throw new ServiceException(
                    ErrorCode.UNAUTHORIZED, "a credential is required: send `Authorization: Bearer <token>`");
        }
        return token;
    }

    @Override
    public @Nullable ProtectedResource protectedResource() {
        return signed == null ? null : signed.protectedResource();
    }
}
