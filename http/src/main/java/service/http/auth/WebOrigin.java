package service.http.auth;

import org.jspecify.annotations.Nullable;

/**
 * The origin of a web page in one spelling, so that equal origins are equal records.
 *
 * @param secure whether the scheme is {@code https}
 * @param host as {@link HostPort#host}
 * @param port the standard port of the scheme where the text has none
 */
record WebOrigin(boolean secure, String host, int port) {
    private static final String HTTP = "http://";
    private static final String HTTPS = "https://";
    private static final int HTTP_PORT = 80;
    private static final int HTTPS_PORT = 443;

    /** Parses {@code http://host[:port]} or {@code https://host[:port]}; null for anything else. */
    static @Nullable WebOrigin parse(String text) {
        boolean secure = text.regionMatches(true, 0, HTTPS, 0, HTTPS.length());
        if (!secure && !text.regionMatches(true, 0, HTTP, 0, HTTP.length())) {
            return null;
        }
        HostPort authority = HostPort.parse(text.substring((secure ? HTTPS : HTTP).length()));
        return authority == null ? null : new WebOrigin(secure, authority.host(), portOf(authority, secure));
    }

    /** Whether an authority, such as the value of {@code Host}, is that of the origin. */
    boolean isAt(HostPort authority) {
        return host.equals(authority.host()) && port == portOf(authority, secure);
    }

    private static int portOf(HostPort authority, boolean secure) {
        return authority.port() >= 0 ? authority.port() : secure ? HTTPS_PORT : HTTP_PORT;
    }
}
