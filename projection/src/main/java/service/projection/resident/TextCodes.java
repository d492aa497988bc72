package service.projection.resident;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/** Numbers different texts in the order in which they come. */
final class TextCodes {
    static final int CODES_MAX = 4_096;
    static final int BYTES_MAX = 1 << 20;

    /** Heap bytes at most: texts and a copy of each as a key, room to grow, and about a hundred bytes a code. */
    static final int MAKING_BYTES_MAX = 3 * BYTES_MAX + 128 * CODES_MAX;

    private final Map<Key, Integer> codes = new HashMap<>();
    private byte[] bytes = new byte[256];
    private int[] starts = new int[16];

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

    /** The code of a text; −1 when there is no room for it. */
    int code(byte[] from, int start, int length) {
        Key key = new Key(Arrays.copyOfRange(from, start, start + length));
        Integer known = codes.get(key);
        if (known != null) {
            return known;
        }
        int code = codes.size();
        int end = starts[code];
        if (code == CODES_MAX || length > BYTES_MAX - end) {
            return -1;
        }
        if (bytes.length - end < length) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, end + length));
        }
        System.arraycopy(from, start, bytes, end, length);
        if (starts.length == code + 1) {
            starts = Arrays.copyOf(starts, 2 * starts.length);
        }
        starts[code + 1] = end + length;
        codes.put(key, code);
        return code;
    }

    byte[] bytes() {
        return Arrays.copyOf(bytes, starts[codes.size()]);
    }

    int[] starts() {
        return Arrays.copyOf(starts, codes.size() + 1);
    }
}
