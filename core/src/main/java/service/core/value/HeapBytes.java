package service.core.value;

import java.util.List;
import org.agrona.DirectBuffer;
import org.agrona.UnsafeApi;

/**
 * The heap bytes of objects as the JVM lays them out: headers, references, padding. Every account of memory takes its
 * sizes from here, so that a charge is what is allocated. Any thread.
 */
public final class HeapBytes {
    /** A reference: 4 bytes in heaps below 32 GiB. */
    public static final int REFERENCE = UnsafeApi.arrayIndexScale(Object[].class);

    private static final int HEADER = 8 + REFERENCE;
    private static final int ARRAY_HEADER = 16;
    private static final int ALIGNMENT = 8;

    private static final long REGIONS = 2048;
    private static final long REGION_BYTES_MIN = 1 << 20;
    private static final long REGION_BYTES_MAX = 32 << 20;

    /** A region of the G1 collector. An array of half a region or more has whole regions to itself. */
    private static final long REGION_BYTES = regionBytes(Runtime.getRuntime().maxMemory());

    /** A record or object with one field of up to 32 bits, or one reference. */
    public static final long SMALL = object(REFERENCE);

    private static final long STRING = object(REFERENCE + Integer.BYTES + 2);
    private static final long LONG_BOX = object(Long.BYTES);
    private static final char LATIN_1_MAX = 0xFF;

    /** Items up to which a list of the JDK holds them in fields. */
    private static final int ITEMS_IN_FIELDS = 2;

    private HeapBytes() {}

    /**
     * The bytes of an object without what it refers to.
     *
     * @param fieldBytes of its fields together
     */
    public static long object(int fieldBytes) {
        return aligned(HEADER + fieldBytes);
    }

    /**
     * The bytes of an array without what its items refer to.
     *
     * @param width bytes of an item
     */
    public static long array(long length, int width) {
        long bytes = aligned(ARRAY_HEADER + length * width);
        return bytes < REGION_BYTES / 2 ? bytes : (bytes + REGION_BYTES - 1) & -REGION_BYTES;
    }

    /**
     * The length of a growing array with room for some items: a power of two, less the array's header, so that a large
     * one fills its regions. Asked for one item more than there are, it is about twice the length.
     */
    public static int room(int items) {
        return (int) Math.min(
                Integer.MAX_VALUE - ARRAY_HEADER, 2 * Long.highestOneBit(items + ARRAY_HEADER - 1L) - ARRAY_HEADER);
    }

    /** The bytes of an array of references. */
    public static long references(long length) {
        return array(length, REFERENCE);
    }

    /** The bytes of a text: one or two for each character, as its characters need. */
    public static long of(String text) {
        int length = text.length();
        for (int i = 0; i < length; i++) {
            if (text.charAt(i) > LATIN_1_MAX) {
                return STRING + array(length, Character.BYTES);
            }
        }
        return STRING + array(length, 1);
    }

    /** The bytes of a value with all that it refers to. */
    public static long of(Value value) {
        return switch (value) {
            case Value.Null ignored -> 0;
            case Value.Bool ignored -> SMALL;
            case Value.Date ignored -> SMALL;
            case Value.Int ignored -> LONG_BOX;
            case Value.UInt ignored -> LONG_BOX;
            case Value.Real ignored -> LONG_BOX;
            case Value.DateTime ignored -> LONG_BOX;
            case Value.Text v -> SMALL + of(v.value());
            case Value.ExternalBlob v -> SMALL + of(v.uri());
            case Value.Vector v -> SMALL + array(v.items().length, Float.BYTES);
            case Value.ManagedBlob v -> object(REFERENCE + Long.BYTES) + array(v.sha256().length, 1);
            case Value.ListOf v -> SMALL + of(v.items());
            case Value.Entity ignored -> LONG_BOX;
            case Value.Struct v -> object(2 * REFERENCE) + of(v.values());
            case Value.Path v -> object(3 * REFERENCE) + of(v.nodes()) + of(v.edges()) + LONG_BOX;
        };
    }

    /** The bytes of an immutable list with its items. */
    public static long of(List<Value> items) {
        long bytes = object(2 * REFERENCE) + (items.size() > ITEMS_IN_FIELDS ? references(items.size()) : 0);
        for (Value item : items) {
            bytes += of(item);
        }
        return bytes;
    }

    /**
     * The most bytes that reading a value of a {@link PropertyRow} allocates. Walks over its bytes and allocates
     * nothing.
     *
     * @param at where its tag is
     * @param length with the tag
     */
    public static long ofStored(DirectBuffer row, int at, int length) {
        return switch (row.getByte(at)) {
            case PropertyRow.TAG_TEXT, PropertyRow.TAG_EXTERNAL_BLOB -> SMALL + ofUtf8(row, at + 1, length - 1);
            case PropertyRow.TAG_VECTOR -> SMALL + array((length - 1) / Float.BYTES, Float.BYTES);
            case PropertyRow.TAG_BLOB -> object(REFERENCE + Long.BYTES) + array(length, 1);
            case PropertyRow.TAG_LIST -> {
                int count = row.getInt(at + 1);
                // The list is built, then copied.
                long bytes = SMALL + 2 * (object(2 * REFERENCE) + references(count));
                int position = at + 1 + Integer.BYTES;
                for (int i = 0; i < count; i++) {
                    int itemLength = row.getInt(position);
                    position += Integer.BYTES;
                    bytes += ofStored(row, position, itemLength);
                    position += itemLength;
                }
                yield bytes;
            }
            default -> LONG_BOX;
        };
    }

    private static long ofUtf8(DirectBuffer row, int at, int length) {
        for (int i = at; i < at + length; i++) {
            if (row.getByte(i) < 0) {
                return STRING + array(length, Character.BYTES);
            }
        }
        return STRING + array(length, 1);
    }

    private static long regionBytes(long heapBytesMax) {
        long regions = Math.clamp(heapBytesMax / REGIONS, REGION_BYTES_MIN, REGION_BYTES_MAX);
        return Long.highestOneBit(2 * regions - 1);
    }

    private static long aligned(long bytes) {
        return (bytes + ALIGNMENT - 1) & -ALIGNMENT;
    }
}
