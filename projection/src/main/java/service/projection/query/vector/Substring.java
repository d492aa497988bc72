package service.projection.query.vector;

import java.util.Arrays;

/**
 * Finds one text in others, byte by byte, in linear time for any input (Knuth, Morris, Pratt: <i>Fast pattern matching
 * in strings</i>, 1977). Most texts do not contain the first byte of the pattern, so a separate loop searches for that
 * byte.
 */
public final class Substring {
    private byte[] wanted = {};

    /** For each length of a matched prefix, the length of its longest proper prefix that is also its suffix. */
    private int[] borders = {0};

    /** Sets the text to find. Setting the same text again costs one comparison. */
    public void prepare(byte[] bytes, int start, int length) {
        if (Arrays.equals(wanted, 0, wanted.length, bytes, start, start + length)) {
            return;
        }
        wanted = Arrays.copyOfRange(bytes, start, start + length);
        borders = new int[length + 1];
        int border = 0;
        for (int i = 1; i < length; i++) {
            while (border > 0 && wanted[i] != wanted[border]) {
                border = borders[border];
            }
            border += wanted[i] == wanted[border] ? 1 : 0;
            borders[i + 1] = border;
        }
    }

    public boolean isIn(byte[] text, int start, int length) {
        if (wanted.length == 0) {
            return true;
        }
        byte first = wanted[0];
        int matched = 0;
        int end = start + length;
        for (int at = start; at < end; at++) {
            if (matched == 0) {
                while (at < end && text[at] != first) {
                    at++;
                }
                if (at == end) {
                    return false;
                }
            }
            while (matched > 0 && text[at] != wanted[matched]) {
                matched = borders[matched];
            }
            matched += text[at] == wanted[matched] ? 1 : 0;
            if (matched == wanted.length) {
                return true;
            }
        }
        return false;
    }
}
