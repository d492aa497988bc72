package service.http.auth;

import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.error.ErrorCode;
import service.core.error.Reason;
import service.core.error.ServiceException;

/**
 * Refuses requests that a browser sends for a page of another site. Browsers send some of these requests, forms for
 * example, without a preflight: the page cannot read the answer, but the request takes effect. Programs other than
 * browsers send neither header.
 */
public final class CrossSite {
    private CrossSite() {}

    /**
     * Checks a request that may have an effect.
     *
     * @param fetchSites the values of {@code Sec-Fetch-Site}
     * @param origins the values of {@code Origin}
     * @param host the value of {@code Host}, or null when it is absent
     * @throws ServiceException FORBIDDEN
     */
    public static void refuse(List<String> fetchSites, List<String> origins, @Nullable String host) {
        for (String site : fetchSites) {
            if (site.equalsIgnoreCase("cross-site") || site.equalsIgnoreCase("same-site")) {
                throw refusal("`Sec-Fetch-Site` is `" + site + "`");
            }
        }
        for (String origin : origins) {
            if (!isOwn(origin, host)) {
                throw refusal("`Origin` is not the origin of this server by `Host`");
            }
        }
    }

    private static ServiceException refusal(String reason) {
        return ServiceException.of(
                ErrorCode.FORBIDDEN,
                Reason.SITE,
                "a web page of another origin sent this request (" + reason
                        + "); such pages may send GET and HEAD only."
                        + " A proxy in front of this server must pass `Host` on unchanged");
    }

    /** Both schemes count as the own origin, because a proxy may terminate TLS without the server knowing. */
    private static boolean isOwn(String origin, @Nullable String host) {
        WebOrigin page = WebOrigin.parse(origin);
        HostPort own = host == null ? null : HostPort.parse(host);
        return page != null && own != null && page.isAt(own);
    }
}
