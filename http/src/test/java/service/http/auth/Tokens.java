package service.http.auth;

import java.util.Map;

/** Authenticators of static tokens, for tests. */
public final class Tokens {
    private Tokens() {}

    /** Accepts the tokens of a JSON object from actor to token. */
    public static Authenticator of(String json) {
        return new BearerCredentials(
                StaticTokenSource.fromEnvironment(Map.of("SERVICE_SERVER_BEARER_TOKENS_JSON", json), null), null);
    }
}
