package service.http.auth;

import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.http.auth.token.ProtectedResource;
import service.http.auth.token.SignedTokens;
import service.http.auth.token.TokenRefusedException;

/**
 * Resolves a bearer token: the exact static token first, then the signed tokens that are configured. Each request needs
 * a token.
 *
 * @param tokens null when none are configured
 * @param signed null when no trust file is configured
 */
public record BearerCredentials(
        @Nullable StaticTokens tokens, @Nullable SignedTokens signed) implements Authenticator {
    @Override
    public Credential authenticate(@Nullable List<String> authorization) {
        try {
            String token = BearerHeader.token(authorization);
            if (token == null) {
                throw new ServiceException(
                        ErrorCode.UNAUTHORIZED, "a credential is required: send `Authorization: Bearer <token>`");
            }
            return callerOf(token);
        } catch (TokenRefusedException e) {
            throw Authenticator.invalid(e);
        }
    }

    private Credential callerOf(String token) {
        byte[] digest = StaticTokens.sha256(token);
        String actor = tokens == null ? null : tokens.actorOf(digest);
        if (actor != null) {
            return Credential.ofActor(actor);
        }
        if (signed == null || !SignedTokens.hasShape(token)) {
            throw new TokenRefusedException("the token is neither a static token nor a signed one that is configured");
        }
        return Credential.of(signed.verify(token, digest));
    }

    @Override
    public @Nullable ProtectedResource protectedResource() {
        return signed == null ? null : signed.protectedResource();
    }
}
