package service.http.auth;

import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.http.auth.token.ProtectedResource;

/** Identifies the caller by the credential alone ({@code identity.md}). Thread rule: any thread; must not block. */
public sealed interface Authenticator permits Everyone, BearerCredentials {
    /**
     * Returns the credential of a request.
     *
     * @param authorization the values of all {@code Authorization} headers, or null
     * @throws ServiceException UNAUTHORIZED; the response must carry {@link #challenge}. Its message is for the client;
     *     the message of its cause is the reason for the log
     */
    Credential authenticate(@Nullable List<String> authorization);

    /** The resource that access tokens are for; null without OIDC identities. */
    @Nullable
    ProtectedResource protectedResource();

    /** The value of {@code WWW-Authenticate} in the refusal of a request with these headers. */
    default String challenge(@Nullable List<String> authorization) {
        boolean given = authorization != null && !authorization.isEmpty();
        ProtectedResource resource = protectedResource();
        String metadata = resource == null ? "" : "resource_metadata=\"" + resource.metadataUrl() + "\"";
        String error = given ? "error=\"invalid_token\"" : "";
        String separator = metadata.isEmpty() || error.isEmpty() ? "" : ", ";
        return ("Bearer " + error + separator + metadata).strip();
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
