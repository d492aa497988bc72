package service.core.blob;

import java.util.Arrays;

/**
 * Decodes base64 (RFC 4648 §4) in pieces and accepts only its canonical form: padded, unused bits zero, no character
 * outside the alphabet. The canonical text can be computed from the bytes, which {@link BlobLifter} relies on. One
 * thread.
 *
 * <p>Bytes are returned in whole groups: the bytes from {@link #decode} and the characters of {@link #pending} together
 * are the whole input so far.
 */
final class CanonicalBase64 {
    private static final byte[] VALUES = new byte[128];
    private static final int PAD = '=';

    static {
        Arrays.fill(VALUES, (byte) -1);
        String alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        for (int i = 0; i < alphabet.length(); i++) {
            VALUES[alphabet.charAt(i)] = (byte) i;
        }
    }

    private final byte[] group = new byte[4];
    private int filled;
    private int pads;
    private int bits;
    private boolean padded;
    private int decoded;

    /** Maximum number of bytes that a piece of that many characters decodes to. */
    static int decodedMax(int characters) {
        return characters / 4 * 3 + 3;
    }

    /**
     * Takes characters up to the first that is not allowed at its position.
     *
     * @param into receives the bytes of whole groups, from 0; {@link #decodedBytes} of them
     * @return the position of the first character not taken, or {@code end}
     */
    int decode(byte[] from, int start, int end, byte[] into) {
        decoded = 0;
        for (int at = start; at < end; at++) {
            if (!take(from[at], into)) {
                return at;
            }
        }
        return end;
    }

    private boolean take(byte character, byte[] into) {
        if (padded || character < 0) {
            return false;
        }
        if (character == PAD) {
            // The unused bits before the padding must be zero.
            boolean fits = filled == 2 ? (bits & 0xF) == 0 : filled == 3 && (bits & 3) == 0;
            if (!fits && pads == 0) {
                return false;
            }
            pads++;
        } else {
            int value = VALUES[character];
            if (value < 0 || pads > 0) {
                return false;
            }
            bits = bits << 6 | value;
        }
        group[filled++] = character;
        if (filled == 4) {
            emit(into);
        }
        return true;
    }

    private void emit(byte[] into) {
        int whole = bits << (6 * pads);
        into[decoded++] = (byte) (whole >> 16);
        if (pads < 2) {
            into[decoded++] = (byte) (whole >> 8);
        }
        if (pads == 0) {
            into[decoded++] = (byte) whole;
        }
        padded = pads > 0;
        filled = 0;
        pads = 0;
        bits = 0;
    }

    /** The number of bytes that the last {@link #decode} returned. */
    int decodedBytes() {
        return decoded;
    }

    /** Whether the input so far ends with a whole group. */
    boolean isWhole() {
        return filled == 0;
    }

    /** The characters of the incomplete group. */
    byte[] pending() {
        return Arrays.copyOf(group, filled);
    }

    /** Resets the decoder. */
    void reset() {
        filled = 0;
        pads = 0;
        bits = 0;
        padded = false;
        decoded = 0;
    }
}
