package service.http.auth.token;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.regex.Pattern;

/** Rules for the addresses of issuers and resources: HTTPS, or HTTP on a loopback address. */
final class WebAddress {
    private static final Pattern AUTHORITY = Pattern.compile("([a-z0-9._-]+|\\[[0-9a-f:.]+\\])(:[0-9]{1,5})?");
    private static final Pattern LOOPBACK = Pattern.compile("localhost|127(\\.[0-9]{1,3}){3}|\\[::1\\]");

    private WebAddress() {}

    /** Whether the text is an origin: scheme and authority alone, in lower case. */
    static boolean isOrigin(String text) {
        return isAddress(text) && text.equals(originOf(text));
    }

    /** Whether the text has a scheme and an authority in lower case, and neither user, query nor fragment. */
    static boolean isAddress(String text) {
        try {
            URI address = new URI(text);
            String authority = address.getRawAuthority();
            if (authority == null
                    || !AUTHORITY.matcher(authority).matches()
                    || address.getRawQuery() != null
                    || address.getRawFragment() != null) {
                return false;
            }
            String host = authority.replaceFirst(":[0-9]{1,5}$", "");
            return "https".equals(address.getScheme())
                    || ("http".equals(address.getScheme())
                            && LOOPBACK.matcher(host).matches());
        } catch (URISyntaxException e) {
            return false;
        }
    }

    /** Scheme and authority of an address. */
    static String originOf(String address) {
        int path = address.indexOf('/', address.indexOf("://") + 3);
        return path < 0 ? address : address.substring(0, path);
    }
}
