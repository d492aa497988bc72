package service.http.auth;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.http.auth.token.ProtectedResource;
import service.http.auth.token.TokenRefusedException;

/**
 * Identifies the caller by the credential alone ({@code docs/credentials.md}). Thread rule: any thread; must not block.
 */
public sealed interface Authenticator permits Everyone, BearerCredentials {
    /**
     * Returns the credential of a request.
     *
     * @param authorization the values of all {@code Authorization} headers, or null
     * @throws ServiceException UNAUTHORIZED; the response must carry {@link #challenge}. Its message is for the client;
     *     the message of its cause is the reason for the log
     */
    Credential authenticate(@Nullable List<String> authorization);

    /**
     * Returns the credential of a request where that takes no signature to verify: microseconds instead of a
     * millisecond.
     *
     * @return null where {@link #authenticate} has to verify a signature
     * @throws ServiceException as {@link #authenticate}
     */
    @Nullable
    Credential authenticateAtOnce(@Nullable List<String> authorization);

    /**
     * Returns a check whether the credential of these headers, which {@link #authenticate} has accepted, would still be
     * accepted: it has not expired, and no source of credentials that was read again meanwhile has removed it or gives
     * it to another actor. The check is quick where no source has changed; after a change it may verify a signature. It
     * belongs to one thread at a time.
     *
     * @param actor of the credential that was accepted
     */
    BooleanSupplier standing(@Nullable List<String> authorization, String actor);

    /** The resource that access tokens are for; null without OIDC identities. */
    @Nullable
    ProtectedResource protectedResource();

    /** The value of {@code WWW-Authenticate} in the refusal of a request with these headers. */
    default String challenge(@Nullable List<String> authorization) {
        List<String> parameters = new ArrayList<>();
        if (authorization != null && !authorization.isEmpty()) {
            parameters.add("error=\"invalid_token\"");
        }
        ProtectedResource resource = protectedResource();
        if (resource != null) {
            parameters.add("resource_metadata=\"" + resource.metadataUrl() + "\"");
            if (!resource.scopes().isEmpty()) {
                parameters.add("scope=\"" + String.join(" ", resource.scopes()) + "\"");
            }
        }
        return ("Bearer " + String.join(", ", parameters)).strip();
    }

    /** The refusal of a request whose credential was accepted when it began. */
    static ServiceException ended() {
        return invalid(new TokenRefusedException(
                "the credential has expired or was removed while the request waited for commits"));
    }

    /** The refusal of a credential; the client learns nothing else about it. */
    static ServiceException invalid(Throwable reason) {
        return new ServiceException(
                ErrorCode.UNAUTHORIZED,
                "invalid_token: the credential is not one that this server accepts",
                null,
                reason);
    }
}
