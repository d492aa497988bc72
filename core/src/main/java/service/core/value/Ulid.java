package service.core.value;

/**
 * A ULID: 48 bits of milliseconds, 80 bits of randomness, written as 26 characters of Crockford's
 * base 32. Ordered as unsigned 128-bit numbers, which is also the order of its text.
 *
 * @see <a href="https://github.com/ulid/spec">the specification</a>
 */
public record Ulid(long high, long low) implements Comparable<Ulid> {
    public static final int TEXT_LENGTH = 26;
    private static final String ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

    public static Ulid of(long epochMillis, int random16, long random64) {
        return new Ulid((epochMillis << 16) | (random16 & 0xFFFFL), random64);
    }

    /**
     * Whether the text is a ULID in canonical form: 26 upper-case characters, not above 2^128 − 1.
     */
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

    /** Throws {@link IllegalArgumentException} for anything but a canonical ULID. */
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

    /**
     * The next greater ULID: what keeps ids monotonic within a millisecond and when the clock steps
     * back.
     */
    public Ulid next() {
        long nextLow = low + 1;
        return new Ulid(nextLow == 0 ? high + 1 : high, nextLow);
    }

    @Override
    public int compareTo(Ulid other) {
        int byHigh = Long.compareUnsigned(high, other.high);
        return byHigh != 0 ? byHigh : Long.compareUnsigned(low, other.low);
    }

    /** Writes the 26 characters as ASCII. */
    public void putText(byte[] into, int at) {
        long h = high;
        long l = low;
        for (int i = at + TEXT_LENGTH - 1; i >= at; i--) {
            into[i] = (byte) ALPHABET.charAt((int) (l & 31));
            l = (l >>> 5) | (h << 59);
            h >>>= 5;
        }
    }

    @Override
    public String toString() {
        char[] text = new char[TEXT_LENGTH];
        long h = high;
        long l = low;
        for (int i = TEXT_LENGTH - 1; i >= 0; i--) {
            text[i] = ALPHABET.charAt((int) (l & 31));
            l = (l >>> 5) | (h << 59);
            h >>>= 5;
        }
        return new String(text);
    }
}
