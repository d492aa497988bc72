package service.core.value;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Makes and checks entity ids ({@code docs/schema.md}, Ids): the canonical text of key values, and the rules for ids.
 * Any thread.
 */
public final class KeyText {
    /** Maximum length of an id in UTF-8 bytes. */
    public static final int ID_BYTES_MAX = 1024;

    private KeyText() {}

    /**
     * The id for the values of a key: the text of one value, or a compact JSON array of the texts of several.
     *
     * @param types the members' types, in the order of their identities
     * @param values the members' values, in the same order
     * @throws IllegalArgumentException for a value without canonical text (null, NaN, a list, …)
     */
    public static String id(List<PropertyType> types, List<Value> values) {
        if (values.size() == 1) {
            return of(types.getFirst(), values.getFirst());
        }
        StringBuilder text = new StringBuilder("[");
        for (int i = 0; i < values.size(); i++) {
            if (i > 0) {
                text.append(',');
            }
            quote(text, of(types.get(i), values.get(i)));
        }
        return text.append(']').toString();
    }

    /** The canonical text of one key value. An F32 is printed as the shortest decimal of a float, as in results. */
    public static String of(PropertyType type, Value value) {
        return switch (value) {
            case Value.Text v -> v.value();
            case Value.Int v -> Long.toString(v.value());
            case Value.UInt v -> Long.toUnsignedString(v.bits());
            case Value.Bool v -> Boolean.toString(v.value());
            case Value.Date v -> CalendarText.date(v.epochDay());
            case Value.DateTime v -> Long.toString(v.epochMillis());
            case Value.Real v -> real(type, v.value());
            case Value.Null ignored -> throw new IllegalArgumentException("a key value cannot be null");
            case Value.ListOf ignored -> throw new IllegalArgumentException("a key value cannot be a list");
            case Value.Vector ignored -> throw new IllegalArgumentException("a key value cannot be a vector");
            case Value.ManagedBlob ignored -> throw new IllegalArgumentException("a key value cannot be a blob");
            case Value.ExternalBlob ignored -> throw new IllegalArgumentException("a key value cannot be a blob");
            case Value.Computed v -> throw v.unstored();
        };
    }

    private static String real(PropertyType type, double value) {
        // A value that does not fit F32 gets a text as well, because the refusal of the value names the entity.
        boolean single = type instanceof PropertyType.Scalar scalar
                && scalar.scalar() == ScalarType.F32
                && Math.abs(value) <= Float.MAX_VALUE;
        return ecmaScript(value, single ? ShortestDecimal.of((float) value) : ShortestDecimal.of(value));
    }

    /** A double as ECMAScript's {@code Number::toString} prints it, {@code -0} as {@code 0}. */
    public static String ecmaScript(double value) {
        return ecmaScript(value, ShortestDecimal.of(value));
    }

    private static String ecmaScript(double value, String shortest) {
        if (Double.isNaN(value) || Double.isInfinite(value)) {
            throw new IllegalArgumentException("a key value cannot be " + value);
        }
        if (value == 0) {
            return "0";
        }
        BigDecimal decimal = new BigDecimal(shortest).stripTrailingZeros();
        String digits = decimal.unscaledValue().abs().toString();
        int k = digits.length();
        int n = k - decimal.scale();
        StringBuilder text = new StringBuilder();
        if (decimal.signum() < 0) {
            text.append('-');
        }
        if (n > 21 || n <= -6) {
            text.append(digits.charAt(0));
            if (k > 1) {
                text.append('.').append(digits, 1, k);
            }
            return text.append('e')
                    .append(n > 0 ? "+" : "-")
                    .append(Math.abs(n - 1))
                    .toString();
        }
        if (n <= 0) {
            return text.append("0.").repeat("0", -n).append(digits).toString();
        }
        if (k <= n) {
            return text.append(digits).repeat("0", n - k).toString();
        }
        return text.append(digits, 0, n).append('.').append(digits, n, k).toString();
    }

    /** Appends a text as a JSON string. */
    public static void quote(StringBuilder text, String plain) {
        text.append('"');
        for (int i = 0; i < plain.length(); i++) {
            char c = plain.charAt(i);
            switch (c) {
                case '"' -> text.append("\\\"");
                case '\\' -> text.append("\\\\");
                case '\b' -> text.append("\\b");
                case '\f' -> text.append("\\f");
                case '\n' -> text.append("\\n");
                case '\r' -> text.append("\\r");
                case '\t' -> text.append("\\t");
                default -> {
                    if (c < 0x20) {
                        text.append(String.format("\\u%04x", (int) c));
                    } else {
                        text.append(c);
                    }
                }
            }
        }
        text.append('"');
    }

    /** Whether an id is short enough to be shown, whatever its characters. */
    public static boolean isShort(String id) {
        return id.length() <= ID_BYTES_MAX;
    }

    /** The reason why an id is not allowed, to be written after "the id"; null when it is allowed. */
    public static @Nullable String fault(String id) {
        int length = id.length();
        if (length == 0) {
            return "is empty";
        }
        boolean ascii = true;
        for (int i = 0; i < length; i++) {
            char c = id.charAt(i);
            if (c < 0x20 || (c >= 0x7F && c < 0xA0)) {
                return "contains a control character at position " + i;
            }
            if (c > 0x7F) {
                ascii = false;
                if (Character.isSurrogate(c)) {
                    if (!Character.isHighSurrogate(c)
                            || i + 1 == length
                            || !Character.isLowSurrogate(id.charAt(i + 1))) {
                        return "is not valid text: half a surrogate pair at position " + i;
                    }
                    i++;
                }
            }
        }
        int bytes = ascii ? length : id.getBytes(StandardCharsets.UTF_8).length;
        return bytes > ID_BYTES_MAX ? "is longer than " + ID_BYTES_MAX + " bytes" : null;
    }
}
