package service.core.value;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The last characters of a ULID. ULIDs of one hour begin with the same characters and differ at their ends.
 *
 * @param maskHigh the bits of the high half that the suffix covers; {@code maskLow} likewise
 * @param high the values of these bits; {@code low} likewise
 */
public record UlidSuffix(long maskHigh, long maskLow, long high, long low) {
    /** A shorter suffix fits too many commits. */
    public static final int LENGTH_MIN = 6;

    private static final int BITS_OF_DIGIT = 5;

    /** The suffix that a text is; null when it is none: too short, a whole ULID, or with other characters. */
    public static @Nullable UlidSuffix parse(String text) {
        int length = text.length();
        String whole = "0".repeat(Math.max(0, Ulid.TEXT_LENGTH - length)) + text.toUpperCase(Locale.ROOT);
        if (length < LENGTH_MIN || length >= Ulid.TEXT_LENGTH || !Ulid.isUlid(whole)) {
            return null;
        }
        Ulid value = Ulid.parse(whole);
        int bits = length * BITS_OF_DIGIT;
        long maskLow = bits >= Long.SIZE ? -1L : (1L << bits) - 1;
        long maskHigh = bits > Long.SIZE ? (1L << (bits - Long.SIZE)) - 1 : 0;
        return new UlidSuffix(maskHigh, maskLow, value.high(), value.low());
    }

    /** Whether the ULID of these halves ends with this. */
    public boolean fits(long idHigh, long idLow) {
        return (idHigh & maskHigh) == high && (idLow & maskLow) == low;
    }
}
