package service.projection.apply;

import java.util.Arrays;
import org.agrona.DirectBuffer;
import org.agrona.UnsafeApi;
import service.projection.temporal.MappedBytes;

/**
 * Entries of one table, to be sorted by key: {@code u16 key length · u32 value length · key ·
 * value} one behind the other. A stable merge sort over (first eight key bytes, position) that
 * leaves runs already in order alone, as most are: ordinals ascend.
 */
final class EntryRun implements AutoCloseable {
    private static final int HEADER = 6;

    private final NativeBytes bytes = new NativeBytes();
    private long[] prefixes = new long[64];
    private long[] positions = new long[64];
    private long[] otherPrefixes = new long[0];
    private long[] otherPositions = new long[0];
    private int size;

    void add(DirectBuffer key, DirectBuffer value) {
        int keyLength = key.capacity();
        int valueLength = value.capacity();
        long position = bytes.reserve(HEADER + Math.max(keyLength, Long.BYTES) + valueLength);
        long at = bytes.address(position);
        UnsafeApi.putShort(at, (short) keyLength);
        UnsafeApi.putInt(at + 2, valueLength);
        if (keyLength < Long.BYTES) {
            UnsafeApi.putLong(at + HEADER, 0);
        }
        UnsafeApi.copyMemory(key.addressOffset(), at + HEADER, keyLength);
        UnsafeApi.copyMemory(
                value.addressOffset(), at + HEADER + Math.max(keyLength, Long.BYTES), valueLength);
        if (size == positions.length) {
            prefixes = Arrays.copyOf(prefixes, 2 * size);
            positions = Arrays.copyOf(positions, 2 * size);
        }
        prefixes[size] = MappedBytes.keyLongAt(at + HEADER);
        positions[size++] = position;
    }

    int size() {
        return size;
    }

    long bytes() {
        return bytes.size();
    }

    long key(int i) {
        return bytes.address(positions[i]) + HEADER;
    }

    int keyLength(int i) {
        return UnsafeApi.getShort(bytes.address(positions[i])) & 0xFFFF;
    }

    long value(int i) {
        return key(i) + Math.max(keyLength(i), Long.BYTES);
    }

    int valueLength(int i) {
        return UnsafeApi.getInt(bytes.address(positions[i]) + 2);
    }

    void sort() {
        if (otherPositions.length < size) {
            otherPrefixes = new long[positions.length];
            otherPositions = new long[positions.length];
        }
        sort(0, size);
    }

    private void sort(int from, int to) {
        if (to - from < 2) {
            return;
        }
        int middle = (from + to) >>> 1;
        sort(from, middle);
        sort(middle, to);
        if (order(prefixes[middle - 1], positions[middle - 1], prefixes[middle], positions[middle])
                <= 0) {
            return;
        }
        int length = middle - from;
        System.arraycopy(prefixes, from, otherPrefixes, 0, length);
        System.arraycopy(positions, from, otherPositions, 0, length);
        int left = 0;
        int right = middle;
        int at = from;
        while (left < length && right < to) {
            if (order(otherPrefixes[left], otherPositions[left], prefixes[right], positions[right])
                    <= 0) {
                prefixes[at] = otherPrefixes[left];
                positions[at++] = otherPositions[left++];
            } else {
                prefixes[at] = prefixes[right];
                positions[at++] = positions[right++];
            }
        }
        System.arraycopy(otherPrefixes, left, prefixes, at, length - left);
        System.arraycopy(otherPositions, left, positions, at, length - left);
    }

    private int order(long prefixA, long positionA, long prefixB, long positionB) {
        if (prefixA != prefixB) {
            return Long.compareUnsigned(prefixA, prefixB);
        }
        long a = bytes.address(positionA);
        long b = bytes.address(positionB);
        return MappedBytes.compare(
                a + HEADER,
                UnsafeApi.getShort(a) & 0xFFFF,
                b + HEADER,
                UnsafeApi.getShort(b) & 0xFFFF);
    }

    void clear() {
        size = 0;
        bytes.clear();
    }

    @Override
    public void close() {
        bytes.close();
    }
}
