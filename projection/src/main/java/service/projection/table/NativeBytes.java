package service.projection.table;

import org.agrona.UnsafeApi;

/** Growing off-heap memory that is freed explicitly, not by the garbage collector. One thread. */
public final class NativeBytes implements AutoCloseable {
    private static final long INITIAL = 4_096;

    private long address;
    private long capacity;
    private long size;

    /** Makes room for more bytes and returns their position from the start. */
    public long reserve(long length) {
        long at = size;
        size += length;
        if (size > capacity) {
            long wanted = Math.max(INITIAL, Math.max(size, 2 * capacity));
            address = address == 0 ? UnsafeApi.allocateMemory(wanted) : UnsafeApi.reallocateMemory(address, wanted);
            capacity = wanted;
        }
        return at;
    }

    /** Address of a position; valid until the next {@link #reserve}. */
    public long address(long position) {
        return address + position;
    }

    public long size() {
        return size;
    }

    public void clear() {
        size = 0;
    }

    @Override
    public void close() {
        if (address != 0) {
            UnsafeApi.freeMemory(address);
        }
        address = 0;
        capacity = 0;
        size = 0;
    }
}
