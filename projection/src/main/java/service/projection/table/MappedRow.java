package service.projection.table;

import static service.log.lmdb.MappedBytes.intAt;

import org.agrona.UnsafeApi;

/**
 * Reads property rows (layout: {@code core.value.PropertyRow}) in place, by address.
 *
 * <p>{@code PropertyRow} reads arrays and buffers, with bounds checks, because the bytes of an event may be damaged.
 * One reader for both would read events without checks, or wrap each mapped row in a buffer for its one or two values.
 */
public final class MappedRow {
    private static final int HEADER = 2;
    private static final int SLOT = 8;

    private MappedRow() {}

    /** Length of a whole row. */
    public static int length(long row) {
        int n = size(row);
        return n == 0 ? HEADER : HEADER + SLOT * n + intAt(slotAt(row, n) - 4);
    }

    private static int size(long row) {
        return UnsafeApi.getShort(row) & 0xFFFF;
    }

    /** The slot of a property, or −1. Tries {@code guess} first, because rows of a type mostly have the same slots. */
    public static int slot(long row, int property, int guess) {
        int n = size(row);
        if (guess < n && intAt(slotAt(row, guess)) == property) {
            return guess;
        }
        int low = 0;
        int high = n - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            int identity = intAt(slotAt(row, middle));
            if (identity == property) {
                return middle;
            }
            if (identity < property) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return -1;
    }

    /** Address of the tagged value in a slot. */
    public static long value(long row, int slot) {
        long values = slotAt(row, size(row));
        return slot == 0 ? values : values + intAt(slotAt(row, slot) - 4);
    }

    /** Length of the tagged value in a slot. */
    public static int valueLength(long row, int slot) {
        int end = intAt(slotAt(row, slot) + 4);
        return slot == 0 ? end : end - intAt(slotAt(row, slot) - 4);
    }

    private static long slotAt(long row, int slot) {
        return row + HEADER + (long) SLOT * slot;
    }
}
