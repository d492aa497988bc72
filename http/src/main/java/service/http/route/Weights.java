package service.http.route;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The weighted items of {@code Accept} and {@code Accept-Encoding} (RFC 9110 §12.4.2).
 *
 * <p>Undertow's {@code QValueParser} does not fit: it reads {@code gzip ;q=0} as accepting gzip, and gives the weight
 * of {@code text/event-stream;charset=utf-8;q=0} to {@code charset=utf-8}.
 */
public final class Weights {
    private static final Pattern WEIGHT = Pattern.compile("[01]?\\.?[0-9]*");
    private static final String WEIGHT_NAME = "q";

    private Weights() {}

    /**
     * One item of such a header.
     *
     * @param name the content coding or media range, in lower case
     * @param parameters by their names in lower case, values without quotes; without the weight
     * @param weight from 0 to 1; 1 where none can be read
     */
    record Item(String name, Map<String, String> parameters, double weight) {}

    /**
     * Returns the weight that a header gives to a name: 1 when it names it without a weight, −1 when it does not name
     * it.
     *
     * @param header all values of the header
     * @param name a content coding or {@code *}, in lower case
     */
    public static double of(List<String> header, String name) {
        for (Item item : items(header)) {
            if (item.name().equals(name)) {
                return item.weight();
            }
        }
        return -1;
    }

    /** Whether {@code Accept-Encoding} with these values takes gzip. */
    public static boolean takeGzip(List<String> header) {
        double gzip = of(header, "gzip");
        return gzip < 0 ? of(header, "*") > 0 : gzip > 0;
    }

    /** The items of all values of a header, in their order. Empty ones are left out. */
    static List<Item> items(List<String> header) {
        List<Item> items = new ArrayList<>();
        for (String value : header) {
            for (String part : split(value, ',')) {
                if (!part.isEmpty()) {
                    items.add(item(part));
                }
            }
        }
        return items;
    }

    private static Item item(String text) {
        List<String> parts = split(text, ';');
        Map<String, String> parameters = new LinkedHashMap<>();
        double weight = -1;
        for (String part : parts.subList(1, parts.size())) {
            int equals = part.indexOf('=');
            String name =
                    (equals < 0 ? part : part.substring(0, equals)).strip().toLowerCase(Locale.ROOT);
            String value = equals < 0 ? "" : unquoted(part.substring(equals + 1).strip());
            if (!name.equals(WEIGHT_NAME)) {
                parameters.putIfAbsent(name, value);
            } else if (weight < 0) {
                weight = weight(value);
            }
        }
        return new Item(parts.getFirst().toLowerCase(Locale.ROOT), parameters, weight < 0 ? 1 : weight);
    }

    private static double weight(String text) {
        Matcher weight = WEIGHT.matcher(text);
        return weight.matches() && text.chars().anyMatch(Character::isDigit)
                ? Math.min(1, Double.parseDouble(text))
                : 1;
    }

    private static String unquoted(String value) {
        return value.length() > 1 && value.startsWith("\"") && value.endsWith("\"")
                ? value.substring(1, value.length() - 1).replaceAll("\\\\(.)", "$1")
                : value;
    }

    /** The stripped parts between separators that are in no quoted string. */
    private static List<String> split(String text, char separator) {
        List<String> parts = new ArrayList<>();
        boolean quoted = false;
        int from = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"') {
                quoted = !quoted;
            } else if (c == '\\' && quoted) {
                i++;
            } else if (c == separator && !quoted) {
                parts.add(text.substring(from, i).strip());
                from = i + 1;
            }
        }
        parts.add(text.substring(from).strip());
        return parts;
    }
}
