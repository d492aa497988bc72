package service.core.blob;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The allowed bases of a graph's external blobs ({@code external_blobs.allow}). A base covers a reference by parsed
 * components, never by string prefix: scheme, host and port are equal, and the base's path segments are the first
 * segments of the reference's path. {@code s3://assets/a} covers {@code s3://assets/a/b}, but neither
 * {@code s3://assets/ab} nor {@code s3://assets.example/a/b}. Immutable.
 */
public final class ExternalBases {
    /** Covers no reference. */
    public static final ExternalBases NONE = new ExternalBases(List.of());

    private final List<Location> bases;

    private ExternalBases(List<Location> bases) {
        this.bases = bases;
    }

    /**
     * Parses bases.
     *
     * @throws IllegalArgumentException for a base that is not a location; the message begins with the base
     */
    public static ExternalBases of(List<String> bases) {
        return bases.isEmpty()
                ? NONE
                : new ExternalBases(bases.stream().map(Location::of).toList());
    }

    boolean cover(Location location) {
        return bases.stream().anyMatch(base -> base.covers(location));
    }

    /** Whether a reference is well formed and covered by one of the bases. */
    public boolean cover(String uri) {
        try {
            return cover(Location.of(uri));
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /**
     * The components of a URI.
     *
     * @param scheme in lower case
     * @param host in lower case; empty when the URI has none
     * @param port −1 for the default port of the scheme
     * @param segments of the path, still encoded; a trailing slash is a last empty one
     */
    record Location(String scheme, String host, int port, List<String> segments) {
        private static final int LENGTH_MAX = 4_096;
        private static final Pattern AUTHORITY =
                Pattern.compile("(\\[[0-9A-Fa-f:.]+]|[A-Za-z0-9._~-]+)(?::([0-9]{1,5}))?");

        /** An encoded dot, slash or backslash, encoded any number of times: it would change the path. */
        private static final Pattern HIDDEN = Pattern.compile("%(25)*(2[eEfF]|5[cC])");

        Location {
            segments = List.copyOf(segments);
        }

        /**
         * Parses an absolute URI.
         *
         * @throws IllegalArgumentException with the fault
         */
        static Location of(String text) {
            if (text.length() > LENGTH_MAX) {
                throw new IllegalArgumentException("is longer than " + LENGTH_MAX + " characters");
            }
            if (!text.chars().allMatch(c -> c > 0x20 && c < 0x7F)) {
                throw new IllegalArgumentException("holds a character that a URI must write percent-encoded");
            }
            URI uri;
            try {
                uri = new URI(text);
            } catch (URISyntaxException e) {
                throw new IllegalArgumentException("is not a URI: " + e.getReason(), e);
            }
            if (!uri.isAbsolute()) {
                throw new IllegalArgumentException("has no scheme");
            }
            if (uri.isOpaque() || !text.startsWith("//", uri.getScheme().length() + 1)) {
                throw new IllegalArgumentException("has no `//` after its scheme");
            }
            if (uri.getRawQuery() != null || uri.getRawFragment() != null) {
                throw new IllegalArgumentException("has a query or a fragment");
            }
            String scheme = uri.getScheme().toLowerCase(Locale.ROOT);
            List<String> segments = segments(uri.getRawPath());
            String authority = uri.getRawAuthority();
            if (authority == null) {
                return new Location(scheme, "", -1, segments);
            }
            if (authority.indexOf('@') >= 0) {
                throw new IllegalArgumentException("has credentials");
            }
            Matcher parts = AUTHORITY.matcher(authority);
            if (!parts.matches()) {
                throw new IllegalArgumentException("has no plain host");
            }
            String port = parts.group(2);
            return new Location(
                    scheme,
                    parts.group(1).toLowerCase(Locale.ROOT),
                    port == null ? -1 : port(scheme, Integer.parseInt(port)),
                    segments);
        }

        private static int port(String scheme, int port) {
            boolean usual = switch (scheme) {
                case "http" -> port == 80;
                case "https" -> port == 443;
                default -> false;
            };
            return usual ? -1 : port;
        }

        private static List<String> segments(String path) {
            if (HIDDEN.matcher(path).find()) {
                throw new IllegalArgumentException("has an encoded dot or slash in its path");
            }
            List<String> segments = new ArrayList<>();
            if (!path.isEmpty()) {
                segments.addAll(List.of(path.substring(1).split("/", -1)));
            }
            for (String segment : segments) {
                if (segment.equals(".") || segment.equals("..")) {
                    throw new IllegalArgumentException("has a segment `.` or `..` in its path");
                }
            }
            return segments;
        }

        boolean covers(Location other) {
            if (!scheme.equals(other.scheme) || !host.equals(other.host) || port != other.port) {
                return false;
            }
            boolean open = !segments.isEmpty() && segments.getLast().isEmpty();
            List<String> above = open ? segments.subList(0, segments.size() - 1) : segments;
            return other.segments.size() >= segments.size()
                    && other.segments.subList(0, above.size()).equals(above);
        }
    }
}
