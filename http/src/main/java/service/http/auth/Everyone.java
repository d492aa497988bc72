package service.http.auth;

import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import service.core.error.ServiceException;
import service.http.auth.token.ProtectedResource;
import service.http.auth.token.SignedTokens;
import service.http.auth.token.TokenRefusedException;

/**
 * No authentication: every caller may do everything, and commits name no actor. A signed token is refused, because its
 * sender expects to be identified by it; other credentials are ignored.
 */
public record Everyone() implements Authenticator {
    private static final int SCHEME_CHARS = "Bearer ".length();

    @Override
    public Credential authenticate(@Nullable List<String> authorization) {
        if (authorization != null) {
            for (String header : authorization) {
                refuseSigned(header);
            }
        }
        return Credential.ANONYMOUS;
    }

    @Override
    public Credential authenticateAtOnce(@Nullable List<String> authorization) {
        return authenticate(authorization);
    }

    @Override
    public BooleanSupplier standing(@Nullable List<String> authorization, String actor) {
        return () -> true;
    }

    /** @throws ServiceException UNAUTHORIZED when the header has a signed token */
    private static void refuseSigned(String header) {
        if (header.regionMatches(true, 0, "Bearer ", 0, SCHEME_CHARS)
                && SignedTokens.hasShape(header.substring(SCHEME_CHARS).strip())) {
            throw Authenticator.invalid(
                    new TokenRefusedException("a signed token was sent to a server without authentication"));
        }
    }

    @Override
    public @Nullable ProtectedResource protectedResource() {
        return null;
    }
}
