package service.core.value;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A ULID: 48 bits of milliseconds, 80 bits of randomness, written as 26 characters of Crockford's base 32. Ordered as
 * unsigned 128-bit numbers, which is also the order of its text.
 *
 * @see <a href="https://github.com/ulid/spec">the specification</a>
 */
public record Ulid(long high, long low) implements Comparable<Ulid> {
    public static final int TEXT_LENGTH = 26;
    private static final String ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    private static final byte[] DIGITS = ALPHABET.getBytes(StandardCharsets.US_ASCII);

    /** The number of digits, counted from the end, that depend only on the low 64 bits. */
    private static final int DIGITS_OF_LOW = 12;

    public static Ulid of(long epochMillis, int random16, long random64) {
        return new Ulid((epochMillis << 16) | (random16 & 0xFFFFL), random64);
    }

    /** A ULID of now with random bits, for names that need no order. */
    public static Ulid random() {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        return of(System.currentTimeMillis(), random.nextInt(), random.nextLong());
    }

    /** Whether the text is a ULID in canonical form: 26 upper-case characters, not above 2^128 − 1. */
    public static boolean isUlid(String text) {
        if (text.length() != TEXT_LENGTH || text.charAt(0) > '7') {
            return false;
        }
        for (int i = 0; i < TEXT_LENGTH; i++) {
            if (ALPHABET.indexOf(text.charAt(i)) < 0) {
                return false;
            }
        }
        return true;
    }

    /** Parses a ULID. Throws {@link IllegalArgumentException} for any other text than a canonical ULID. */
    public static Ulid parse(String text) {
        if (!isUlid(text)) {
            throw new IllegalArgumentException("not a ULID: " + text);
        }
        long high = 0;
        long low = 0;
        for (int i = 0; i < TEXT_LENGTH; i++) {
            high = (high << 5) | (low >>> 59);
            low = (low << 5) | ALPHABET.indexOf(text.charAt(i));
        }
        return new Ulid(high, low);
    }

    public long epochMillis() {
        return high >>> 16;
    }

    /** The next greater ULID. It keeps ids ascending within a millisecond and when the clock steps back. */
    public Ulid next() {
        long nextLow = low + 1;
        return new Ulid(nextLow == 0 ? high + 1 : high, nextLow);
    }

    @Override
    public int compareTo(Ulid other) {
        int byHigh = Long.compareUnsigned(high, other.high);
        return byHigh != 0 ? byHigh : Long.compareUnsigned(low, other.low);
    }

    /**
     * Writes the 26 characters of an id as ASCII, without allocating. Each digit is computed independently of the
     * others.
     */
    public static void putText(long high, long low, byte[] into, int at) {
        for (int i = 0; i < DIGITS_OF_LOW; i++) {
            into[at + TEXT_LENGTH - 1 - i] = DIGITS[(int) (low >>> (5 * i)) & 31];
        }
        into[at + TEXT_LENGTH - 1 - DIGITS_OF_LOW] = DIGITS[(int) (low >>> 60 | high << 4) & 31];
        for (int i = 0; i < TEXT_LENGTH - 1 - DIGITS_OF_LOW; i++) {
            into[at + TEXT_LENGTH - 2 - DIGITS_OF_LOW - i] = DIGITS[(int) (high >>> (5 * i + 1)) & 31];
        }
    }

    @Override
    public String toString() {
        byte[] text = new byte[TEXT_LENGTH];
        putText(high, low, text, 0);
        return new String(text, StandardCharsets.ISO_8859_1);
    }
}
