package service.http.auth;

import java.util.List;
import org.jspecify.annotations.Nullable;
import service.http.auth.token.TokenRefusedException;

/** Reads the header {@code Authorization}. */
final class BearerHeader {
    private static final String SCHEME = "bearer ";

    private BearerHeader() {}

    /**
     * The token of the header, or null when the request has no such header.
     *
     * @throws TokenRefusedException for a second header or another scheme
     */
    static @Nullable String token(@Nullable List<String> authorization) {
        if (authorization == null || authorization.isEmpty()) {
            return null;
        }
        if (authorization.size() > 1) {
            throw new TokenRefusedException("the request has two headers `Authorization`");
        }
        String header = authorization.getFirst();
        if (!header.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
            throw new TokenRefusedException("the scheme of the header `Authorization` is not `Bearer`");
        }
        return header.substring(SCHEME.length()).strip();
    }
}
