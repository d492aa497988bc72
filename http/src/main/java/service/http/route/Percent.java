package service.http.route;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import service.core.error.ServiceException;

/**
 * Strict percent-decoding of paths and query strings. The decoder of the listener is switched off, because it makes no
 * difference between {@code %2F} and {@code %252F}.
 */
public final class Percent {
    /** The beginning of a query parameter that names a key of the pairs of a commit: {@code meta.ticket=T-17}. */
    static final String META = "meta.";

    /** The known parameter of a route that takes all of them. */
    static final String META_ANY = "meta.KEY";

    private Percent() {}

    /**
     * The decoded segments of a raw path.
     *
     * @throws ServiceException BAD_REQUEST for a broken escape, bytes that are not UTF-8, and control characters
     */
    public static List<String> segments(String rawPath) {
        List<String> segments = new ArrayList<>(6);
        int start = rawPath.startsWith("/") ? 1 : 0;
        while (true) {
            int end = rawPath.indexOf('/', start);
            segments.add(decode(rawPath, start, end < 0 ? rawPath.length() : end, Rule.PATH, "the path"));
            if (end < 0) {
                return segments;
            }
            start = end + 1;
        }
    }

    /**
     * The decoded parameters of a raw query string; {@code +} is a space.
     *
     * @param repeatable the known parameters that may occur more than once
     * @throws ServiceException BAD_REQUEST, also for a parameter that is unknown or occurs twice
     */
    public static Map<String, List<String>> parameters(String rawQuery, Set<String> known, Set<String> repeatable) {
        Map<String, List<String>> parameters = new HashMap<>();
        if (rawQuery.isEmpty()) {
            return parameters;
        }
        for (String pair : rawQuery.split("&", -1)) {
            int equals = pair.indexOf('=');
            int nameEnd = equals < 0 ? pair.length() : equals;
            String name = decode(pair, 0, nameEnd, Rule.FORM, "the query string");
            String value = equals < 0
                    ? ""
                    : decode(pair, equals + 1, pair.length(), Rule.FORM, "query parameter `" + name + "`");
            boolean isKnown = known.contains(name)
                    || (name.length() > META.length() && name.startsWith(META) && known.contains(META_ANY));
            if (!isKnown) {
                throw ServiceException.badRequest("query parameter `"
                        + name
                        + "` is unknown here; "
                        + (known.isEmpty()
                                ? "this route takes none"
                                : "known: "
                                        + String.join(
                                                ", ", known.stream().sorted().toList())));
            }
            List<String> values = parameters.computeIfAbsent(name, any -> new ArrayList<>(1));
            values.add(value);
            if (values.size() > 1 && !repeatable.contains(name)) {
                throw ServiceException.badRequest("query parameter `" + name + "` is given twice; give it once");
            }
        }
        return parameters;
    }

    /**
     * The decoded value of a header, in which control characters are allowed; {@code +} stands for itself.
     *
     * @throws ServiceException BAD_REQUEST for a broken escape and bytes that are not UTF-8
     */
    static String text(String raw, String header) {
        return decode(raw, 0, raw.length(), Rule.TEXT, "header `" + header + "`");
    }

    /** What a part of a request may hold. */
    private enum Rule {
        PATH,
        FORM,
        TEXT
    }

    private static String decode(String raw, int start, int end, Rule rule, String what) {
        boolean plain = true;
        for (int i = start; i < end && plain; i++) {
            char c = raw.charAt(i);
            plain = c > 0x20 && c < 0x7F && c != '%' && (c != '+' || rule != Rule.FORM);
        }
        if (plain) {
            return raw.substring(start, end);
        }
        ByteBuffer bytes = ByteBuffer.allocate(end - start);
        for (int i = start; i < end; i++) {
            char c = raw.charAt(i);
            if (c == '%') {
                int high = i + 2 < end ? Character.digit(raw.charAt(i + 1), 16) : -1;
                int low = i + 2 < end ? Character.digit(raw.charAt(i + 2), 16) : -1;
                if (high < 0 || low < 0) {
                    throw ServiceException.badRequest(what + " holds a broken escape; write % as %25");
                }
                c = (char) (high << 4 | low);
                i += 2;
            } else if (c == '+' && rule == Rule.FORM) {
                c = ' ';
            } else if (c >= 0x7F) {
                throw ServiceException.badRequest(what + " holds a character that must be percent-encoded");
            }
            if ((c < 0x20 || c == 0x7F) && rule != Rule.TEXT) {
                throw ServiceException.badRequest(what + " holds a control character");
            }
            bytes.put((byte) c);
        }
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(bytes.flip()).toString();
        } catch (CharacterCodingException e) {
            throw ServiceException.badRequest(what + " is not UTF-8 once decoded");
        }
    }
}
