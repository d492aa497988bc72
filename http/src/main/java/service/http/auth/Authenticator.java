package service.http.auth;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.error.StartRefusedException;
import service.core.policy.Action;
import service.core.policy.Caller;
import service.core.policy.Permissions;

/** Identifies the caller by the credential alone ({@code identity.md}). Thread rule: any thread; must not block. */
public sealed interface Authenticator {
    /**
     * Returns the caller of a request.
     *
     * @param authorization the values of all {@code Authorization} headers, or null
     * @throws ServiceException UNAUTHORIZED; the response must carry {@link #challenge}
     */
    Caller authenticate(@Nullable List<String> authorization);

    /** The value of {@code WWW-Authenticate} in the refusal of a request with these headers. */
    static String challenge(@Nullable List<String> authorization) {
        return authorization == null || authorization.isEmpty() ? "Bearer" : "Bearer error=\"invalid_token\"";
    }

    /**
     * Chooses the authenticator of a cluster without policy, by the startup matrix of {@code service.md}.
     *
     * @throws StartRefusedException {@code auth_not_configured} or {@code token_source_invalid}
     */
    static Authenticator fromEnvironment(Map<String, String> environment, boolean unauthenticated) {
        StaticTokens tokens = StaticTokens.fromEnvironment(environment);
        if (tokens != null) {
            return new Bearer(tokens);
        }
        if (!unauthenticated) {
            throw new StartRefusedException(
                    "auth_not_configured",
                    "no tokens are configured; set SERVICE_SERVER_BEARER_TOKEN (or _TOKENS_JSON, _TOKENS_FILE), or pass"
                            + " --unauthenticated to serve everyone who can reach the address");
        }
        return new Everyone();
    }

    /** No authentication: everyone may do everything, and commits name no actor. */
    record Everyone() implements Authenticator {
        private static final Caller ANONYMOUS = Caller.unrestricted(null);

        @Override
        public Caller authenticate(@Nullable List<String> authorization) {
            return ANONYMOUS;
        }
    }

    /** Static tokens without a policy: a token allows reading only. */
    record Bearer(StaticTokens tokens) implements Authenticator {
        private static final Permissions READ_ONLY = new Permissions.OnEveryBranch(Set.of(Action.READ));
        private static final String SCHEME = "bearer ";

        @Override
        public Caller authenticate(@Nullable List<String> authorization) {
            if (authorization == null || authorization.isEmpty()) {
                throw new ServiceException(
                        ErrorCode.UNAUTHORIZED, "a credential is required: send `Authorization: Bearer <token>`");
            }
            String header = authorization.getFirst();
            if (authorization.size() == 1 && header.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
                String actor = tokens.actorOf(header.substring(SCHEME.length()).strip());
                if (actor != null) {
                    return new Caller(actor, READ_ONLY);
                }
            }
            throw new ServiceException(
                    ErrorCode.UNAUTHORIZED, "invalid_token: the credential is not one that this server accepts");
        }
    }
}
