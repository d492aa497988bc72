package service.projection.apply;

import java.util.Arrays;
import org.agrona.DirectBuffer;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.UnsafeBuffer;
import service.log.lmdb.MappedBytes;
import service.projection.table.KeyOrder;
import service.projection.table.NativeBytes;

/** Entries of one table, stored consecutively off the heap: {@code u32 key length · u32 value length · key · value}. */
final class EntryRun implements AutoCloseable {
    private static final int HEADER = 8;

    private final NativeBytes bytes = new NativeBytes();
    private long[] positions = new long[64];
    private int size;

    void add(DirectBuffer key, DirectBuffer value) {
        int keyLength = key.capacity();
        int valueLength = value.capacity();
        long position = bytes.reserve(HEADER + keyLength + valueLength);
        long at = bytes.address(position);
        UnsafeApi.putInt(at, keyLength);
        UnsafeApi.putInt(at + Integer.BYTES, valueLength);
        UnsafeApi.copyMemory(key.addressOffset(), at + HEADER, keyLength);
        UnsafeApi.copyMemory(value.addressOffset(), at + HEADER + keyLength, valueLength);
        if (size == positions.length) {
            positions = Arrays.copyOf(positions, 2 * size);
        }
        positions[size++] = position;
    }

    int size() {
        return size;
    }

    long bytes() {
        return bytes.size();
    }

    /** The entries' numbers in the order of their keys. */
    int[] sorted() {
        KeyOrder order = new KeyOrder(size);
        for (int i = 0; i < size; i++) {
            order.add(key(i), keyLength(i));
        }
        return order.sorted();
    }

    long key(int i) {
        return bytes.address(positions[i]) + HEADER;
    }

    int keyLength(int i) {
        return MappedBytes.intAt(bytes.address(positions[i]));
    }

    /**
     * Writes the addresses and lengths of some keys from 0 on, good until the next {@link #add}.
     *
     * @param entries the numbers of the entries
     */
    void keys(int[] entries, int from, int to, long[] addresses, int[] lengths) {
        for (int i = from; i < to; i++) {
            long entry = bytes.address(positions[entries[i]]);
            addresses[i - from] = entry + HEADER;
            lengths[i - from] = MappedBytes.intAt(entry);
        }
    }

    /** Wraps the value after a key. */
    static void value(long key, int keyLength, UnsafeBuffer into) {
        into.wrap(key + keyLength, MappedBytes.intAt(key - HEADER + Integer.BYTES));
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
