package service.http.route;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The weights of {@code Accept} and {@code Accept-Encoding} (RFC 9110 §12.4.2).
 *
 * <p>Undertow's {@code QValueParser} does not fit: it reads {@code gzip ;q=0} as accepting gzip, and gives the weight
 * of {@code text/event-stream;charset=utf-8;q=0} to {@code charset=utf-8}.
 */
public final class Weights {
    private static final Pattern COMMA = Pattern.compile("\\s*,\\s*");
    private static final Pattern SEMICOLON = Pattern.compile("\\s*;\\s*");
    private static final Pattern WEIGHT = Pattern.compile("[qQ]=([01](\\.[0-9]*)?)");

    private Weights() {}

    /**
     * Returns the weight that a header gives to a name: 1 when it names it without a weight, −1 when it does not name
     * it.
     *
     * @param header all values of the header
     * @param name a content coding, a media range or {@code *}; compared without regard to case
     */
    public static double of(List<String> header, String name) {
        for (String value : header) {
            for (String item : COMMA.split(value.strip(), -1)) {
                String[] parts = SEMICOLON.split(item, -1);
                if (parts[0].equalsIgnoreCase(name)) {
                    return weight(parts);
                }
            }
        }
        return -1;
    }

    private static double weight(String[] parts) {
        for (String part : parts) {
            Matcher weight = WEIGHT.matcher(part);
            if (weight.matches()) {
                return Double.parseDouble(weight.group(1));
            }
        }
        return 1;
    }
}
