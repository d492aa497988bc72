package service.http.server;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Locale;

/** The text of an address as URLs have it, which every parser of {@code host:port} takes. Any thread. */
public final class ListenAddress {
    private static final int GROUPS = 8;

    private ListenAddress() {}

    /** The host and the port; an IPv6 address is shortened as RFC 5952 says and in brackets. */
    public static String of(InetSocketAddress address) {
        InetAddress host = address.getAddress();
        return (host instanceof Inet6Address six ? "[" + text(six) + "]" : address.getHostString())
                + ":"
                + address.getPort();
    }

    private static String text(Inet6Address address) {
        int[] groups = new int[GROUPS];
        byte[] bytes = address.getAddress();
        for (int i = 0; i < GROUPS; i++) {
            groups[i] = (bytes[2 * i] & 0xff) << 8 | (bytes[2 * i + 1] & 0xff);
        }
        int start = longestZeros(groups);
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < GROUPS; i++) {
            if (i == start) {
                text.append("::");
                i += zerosAt(groups, start) - 1;
            } else {
                text.append(text.isEmpty() || text.charAt(text.length() - 1) == ':' ? "" : ":")
                        .append(Integer.toHexString(groups[i]).toLowerCase(Locale.ROOT));
            }
        }
        String full = address.getHostAddress();
        int scope = full.indexOf('%');
        return scope < 0 ? text.toString() : text + full.substring(scope);
    }

    /** The first of the longest runs of zeros; -1 when none has two groups. */
    private static int longestZeros(int[] groups) {
        int longest = -1;
        for (int i = 0; i < GROUPS; i++) {
            int count = zerosAt(groups, i);
            if (count > (longest < 0 ? 1 : zerosAt(groups, longest))) {
                longest = i;
            }
        }
        return longest;
    }

    private static int zerosAt(int[] groups, int at) {
        int end = at;
        while (end < GROUPS && groups[end] == 0) {
            end++;
        }
        return end - at;
    }
}
