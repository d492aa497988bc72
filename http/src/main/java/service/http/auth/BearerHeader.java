package service.http.auth;

import java.util.List;
import org.jspecify.annotations.Nullable;
import service.http.auth.token.TokenRefusedException;

/** Reads the header {@code Authorization}. */
final class BearerHeader {
    private static final String SCHEME = "bearer ";

    private static final char FIRST_VISIBLE = '!';
    private static final char LAST_VISIBLE = '~';

    private BearerHeader() {}

    /**
     * The token of the header, or null when the request has no such header.
     *
     * @throws TokenRefusedException for a second header, another scheme, or a token with a blank: the parser of the
     *     server passes on several blanks as one, so such a token would have several spellings
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
        String token = header.substring(SCHEME.length()).strip();
        if (!isVisible(token)) {
            throw new TokenRefusedException("the token has a blank or another character that no token has");
        }
        return token;
    }

    /** Whether a text has visible ASCII characters only, as every token has. */
    static boolean isVisible(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) < FIRST_VISIBLE || text.charAt(i) > LAST_VISIBLE) {
                return false;
            }
        }
        return true;
    }
}
