package service.http.auth;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The value of a {@code Host} header in one spelling, so that equal hosts are equal records.
 *
 * @param host a name in lower case without the dot that may end it, or an address as {@link InetAddress#getHostAddress}
 *     writes it, without brackets
 * @param port −1 when absent
 * @param address the parsed address when the host is an IPv4 address of four decimal numbers or an IPv6 address in
 *     brackets; null for a name. Names are never looked up
 */
record HostPort(String host, int port, @Nullable InetAddress address) {
    private static final int NAME_LENGTH_MAX = 253;
    private static final int PORT_DIGITS_MAX = 5;
    private static final int PORT_MAX = 65_535;
    private static final int IPV4_BYTES = 4;
    private static final int IPV4_DIGITS_MAX = 3;
    private static final int BYTE_MAX = 255;

    /**
     * Parses a header; null when the text is not {@code host}, {@code host:port}, {@code [address]} or
     * {@code [address]:port}.
     */
    static @Nullable HostPort parse(String text) {
        int end;
        InetAddress address = null;
        String host;
        if (text.startsWith("[")) {
            int bracket = text.indexOf(']');
            address = bracket < 0 ? null : ipv6(text.substring(0, bracket + 1));
            if (address == null) {
                return null;
            }
            host = address.getHostAddress();
            end = bracket + 1;
        } else {
            int colon = text.indexOf(':');
            end = colon < 0 ? text.length() : colon;
            int nameEnd = end > 0 && text.charAt(end - 1) == '.' ? end - 1 : end;
            host = text.substring(0, nameEnd).toLowerCase(Locale.ROOT);
            if (!isName(host)) {
                return null;
            }
            address = ipv4(host);
        }
        int port = -1;
        if (end < text.length()) {
            String digits = text.substring(end + 1);
            if (text.charAt(end) != ':' || digits.length() > PORT_DIGITS_MAX || !isDecimal(digits)) {
                return null;
            }
            port = digits.isEmpty() ? -1 : Integer.parseInt(digits);
            if (port > PORT_MAX) {
                return null;
            }
        }
        return new HostPort(host, port, address);
    }

    private static boolean isName(String host) {
        if (host.isEmpty() || host.length() > NAME_LENGTH_MAX) {
            return false;
        }
        for (int i = 0; i < host.length(); i++) {
            char c = host.charAt(i);
            if ((c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '.' && c != '-' && c != '_') {
                return false;
            }
        }
        return true;
    }

    private static boolean isDecimal(String digits) {
        return digits.chars().allMatch(c -> c >= '0' && c <= '9');
    }

    /** Parses four decimal numbers. Other spellings of IPv4 addresses count as names; browsers never send them. */
    private static @Nullable InetAddress ipv4(String host) {
        if (host.charAt(0) > '9') {
            return null;
        }
        String[] parts = host.split("\\.", -1);
        if (parts.length != IPV4_BYTES) {
            return null;
        }
        byte[] bytes = new byte[IPV4_BYTES];
        for (int i = 0; i < IPV4_BYTES; i++) {
            String part = parts[i];
            if (part.isEmpty()
                    || part.length() > IPV4_DIGITS_MAX
                    || !isDecimal(part)
                    || (part.length() > 1 && part.charAt(0) == '0')
                    || Integer.parseInt(part) > BYTE_MAX) {
                return null;
            }
            bytes[i] = (byte) Integer.parseInt(part);
        }
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            throw new IllegalStateException("four bytes are an IPv4 address", e);
        }
    }

    /** @param text the address in brackets, so that the JDK does not look it up as a name */
    private static @Nullable InetAddress ipv6(String text) {
        for (int i = 1; i < text.length() - 1; i++) {
            char c = text.charAt(i);
            if (Character.digit(c, 16) < 0 && c != ':' && c != '.') {
                return null;
            }
        }
        try {
            return InetAddress.getByName(text);
        } catch (UnknownHostException e) {
            return null;
        }
    }
}
