package service.projection.resident;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import service.core.batch.Dictionary;

/** Gives different texts codes in the order in which they come. */
final class TextCodes {
    private static final int CODES_MAX = 4_096;
    private static final int BYTES_MAX = 1 << 20;

    /**
     * Heap bytes at most: texts, a copy of each as a key, room to grow, the dictionary, and about a hundred bytes a
     * code.
     */
    static final int MAKING_BYTES_MAX = 4 * BYTES_MAX + 128 * CODES_MAX;

    private final Map<Key, Integer> codes = new HashMap<>();
    private byte[] bytes = new byte[256];
    private int[] ends = new int[16];

    private record Key(byte[] text) {
        @Override
        public boolean equals(Object other) {
            return other instanceof Key key && Arrays.equals(text, key.text);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(text);
        }
    }

    /** The code of a text, as {@link Dictionary} counts them; 0 when there is no room for it. */
    int code(byte[] from, int start, int length) {
        Key key = new Key(Arrays.copyOfRange(from, start, start + length));
        Integer known = codes.get(key);
        if (known != null) {
            return known;
        }
        int before = codes.size();
        int end = before == 0 ? 0 : ends[before - 1];
        if (before == CODES_MAX || length > BYTES_MAX - end) {
            return Dictionary.NULL;
        }
        if (bytes.length - end < length) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, end + length));
        }
        System.arraycopy(from, start, bytes, end, length);
        if (ends.length == before) {
            ends = Arrays.copyOf(ends, 2 * before);
        }
        ends[before] = end + length;
        codes.put(key, before + 1);
        return before + 1;
    }

    Dictionary dictionary() {
        int size = codes.size();
        return new Dictionary(Arrays.copyOf(bytes, size == 0 ? 0 : ends[size - 1]), Arrays.copyOf(ends, size));
    }
}
