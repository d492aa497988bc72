package service.http.auth.token;

import java.util.List;

/**
 * What {@code GET /.well-known/oauth-protected-resource} answers (RFC 9728).
 *
 * @param resource the audience of access tokens
 * @param issuer the authorization server
 * @param scopes what clients ask the authorization server for; empty where it needs none
 */
public record ProtectedResource(String resource, String issuer, List<String> scopes) {
    /** The path of the metadata. */
    public static final String PATH = "/.well-known/oauth-protected-resource";

    public ProtectedResource {
        scopes = List.copyOf(scopes);
    }

    /** Scheme and authority of the resource. */
    public String origin() {
        return WebAddress.originOf(resource);
    }

    /** The address of the metadata, for {@code WWW-Authenticate}. */
    public String metadataUrl() {
        return origin() + PATH;
    }
}
