package service.http.auth.token;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where access tokens come from: what {@code GET /.well-known/oauth-protected-resource} answers (RFC 9728), and how the
 * console gets one.
 *
 * @param resource the audience of access tokens
 * @param issuer the authorization server
 * @param scopes what clients ask the authorization server for; empty where it needs none
 * @param clientId the public client of the console; null where it signs nobody in
 */
public record ProtectedResource(
        String resource,
        String issuer,
        List<String> scopes,
        @Nullable String clientId) {
    /** The path of the metadata. */
    public static final String PATH = "/.well-known/oauth-protected-resource";

    public ProtectedResource {
        scopes = List.copyOf(scopes);
    }

    /** Scheme and authority of the resource. */
    public String origin() {
        return WebAddress.originOf(resource);
    }

    /** Scheme and authority of the authorization server. */
    public String issuerOrigin() {
        return WebAddress.originOf(issuer);
    }

    /** The address of the metadata, for {@code WWW-Authenticate}. */
    public String metadataUrl() {
        return origin() + PATH;
    }
}
