package service.http.auth;

import java.util.List;
import service.core.error.ErrorCode;
import service.core.error.Reason;
import service.core.error.ServiceException;
import service.core.error.StartRefusedException;
import service.http.auth.token.ProtectedResource;

/**
 * Decides who may call a route of an OAuth resource: holders of an OIDC access token, at the host of the resource or a
 * loopback address, and from no web page but those of the resource. Programs other than browsers send no
 * {@code Origin}. Thread rule: any thread.
 */
public final class ResourceGate {
    private static final String LOCALHOST = "localhost";

    private final ProtectedResource resource;
    private final WebOrigin own;

    /**
     * A gate of one resource.
     *
     * @throws StartRefusedException {@code trust_invalid} when the address of the resource has no valid host
     */
    public ResourceGate(ProtectedResource resource) {
        this.resource = resource;
        WebOrigin parsed = WebOrigin.parse(resource.origin());
        if (parsed == null) {
            throw new StartRefusedException(
                    "trust_invalid", "the trust file of OIDC identities names a `resource` without a valid host");
        }
        this.own = parsed;
    }

    /**
     * Checks a request before its body is read.
     *
     * @param hosts the values of {@code Host}
     * @param origins the values of {@code Origin}
     * @throws ServiceException FORBIDDEN; the message names the remedy
     */
    public void require(Credential credential, List<String> hosts, List<String> origins) {
        if (credential.kind() != Credential.Kind.OIDC) {
            throw forbidden(
                    Reason.CREDENTIAL,
                    "only an access token of " + resource.issuer() + " is accepted here; " + resource.metadataUrl()
                            + " describes how to get one");
        }
        HostPort named = hosts.size() == 1 ? HostPort.parse(hosts.getFirst()) : null;
        if (named == null || !(own.isAt(named) || isLoopback(named))) {
            throw forbidden(
                    Reason.HOST,
                    "header `Host` must name " + resource.origin()
                            + " or a loopback address; a proxy in front of this server must pass `Host` on unchanged");
        }
        for (String origin : origins) {
            WebOrigin page = WebOrigin.parse(origin);
            if (!own.equals(page)) {
                throw forbidden(
                        Reason.SITE,
                        "header `Origin` must be " + resource.origin()
                                + ", because web pages of other origins may not call this route");
            }
        }
    }

    private static boolean isLoopback(HostPort named) {
        return named.host().equals(LOCALHOST)
                || (named.address() != null && named.address().isLoopbackAddress());
    }

    private static ServiceException forbidden(Reason reason, String message) {
        return ServiceException.of(ErrorCode.FORBIDDEN, reason, message);
    }
}
