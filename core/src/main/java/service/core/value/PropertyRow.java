package service.core.value;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.agrona.DirectBuffer;
import org.agrona.ExpandableArrayBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of an entity's properties, the same in an event's image and in the records table, so that applying an event
 * copies bytes. Little-endian. Properties without a value are absent.
 *
 * <pre>
 *  0  u16  n, the number of properties
 *  2  n × { u32 property identity (ascending), u32 end of its value, counted from the first value byte }
 *  2+8n    the values, back to back; each begins with its tag
 *
 *  tag  1 Bool u8 · 2 Int i64 · 3 UInt u64 · 4 Real f64 · 5 Date i32 · 6 DateTime i64 · 7 Text UTF-8 · 8 Vector f32…
 *       9 List u32 n, n × { u32 length, value } · 10 managed blob i64 size, 32 bytes SHA-256 · 11 external blob UTF-8
 *       0 a marked null, without bytes: in stored records only, see RowShape of core.schema; and an item of a list in a
 *         change that is not checked yet, which the check of its values refuses
 * </pre>
 *
 * Equal property maps have equal bytes: comparing rows compares entities. Immutable; safe between threads.
 */
public final class PropertyRow {
    public static final int TAG_NULL = 0;
    public static final int TAG_BOOL = 1;
    public static final int TAG_INT = 2;
    public static final int TAG_UINT = 3;
    public static final int TAG_REAL = 4;
    public static final int TAG_DATE = 5;
    public static final int TAG_DATETIME = 6;
    public static final int TAG_TEXT = 7;
    public static final int TAG_VECTOR = 8;
    public static final int TAG_LIST = 9;
    public static final int TAG_BLOB = 10;
    public static final int TAG_EXTERNAL_BLOB = 11;

    static final VarHandle SHORTS = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);
    static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    static final int HEADER = 2;
    static final int SLOT = 8;

    public static final PropertyRow EMPTY = new PropertyRow(new byte[HEADER]);

    private final byte[] bytes;

    private PropertyRow(byte[] bytes) {
        this.bytes = bytes;
    }

    /** Wraps the array without a copy; the caller must not change it afterwards. */
    public static PropertyRow wrap(byte[] bytes) {
        return new PropertyRow(bytes);
    }

    /** Encodes a map from property identity to value; {@link Value#NULL} entries are left out. */
    public static PropertyRow of(Map<Integer, Value> properties) {
        NavigableMap<Integer, Value> sorted = new TreeMap<>(properties);
        sorted.values().removeIf(Value.Null.class::isInstance);
        if (sorted.isEmpty()) {
            return EMPTY;
        }
        int values = HEADER + SLOT * sorted.size();
        ExpandableArrayBuffer buffer = new ExpandableArrayBuffer(values + 16 * sorted.size());
        buffer.putShort(0, (short) sorted.size());
        int slot = HEADER;
        int end = values;
        for (Map.Entry<Integer, Value> entry : sorted.entrySet()) {
            end = TaggedValue.put(buffer, end, entry.getValue());
            buffer.putInt(slot, entry.getKey());
            buffer.putInt(slot + 4, end - values);
            slot += SLOT;
        }
        byte[] bytes = new byte[end];
        buffer.getBytes(0, bytes);
        return new PropertyRow(bytes);
    }

    /** The encoded bytes; the caller must not change them. */
    public byte[] bytes() {
        return bytes;
    }

    public @Nullable Value get(int property) {
        int place = placeOf(property);
        return place < 0 ? null : valueAt(place);
    }

    /** The place of a property, or −1 when the row does not have it. */
    public int placeOf(int property) {
        int low = 0;
        int high = size() - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            int identity = identityAt(middle);
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

    /** The text at a place whose tag is {@link #TAG_TEXT}. */
    public String textAt(int index) {
        int start = startAt(index) + 1;
        return new String(bytes, start, endAt(index) - start, StandardCharsets.UTF_8);
    }

    /** Whether the value at a place is this text. Copies nothing when the text is ASCII. */
    public boolean isTextAt(int index, String text) {
        int start = startAt(index) + 1;
        int length = endAt(index) - start;
        if (tagAt(index) != TAG_TEXT || length < text.length()) {
            return false;
        }
        if (length > text.length()) {
            return text.equals(textAt(index));
        }
        for (int i = 0; i < length; i++) {
            if (bytes[start + i] != text.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    /** The number of properties with a value. */
    public int size() {
        return (short) SHORTS.get(bytes, 0) & 0xFFFF;
    }

    /** The identity of the property at a place; identities ascend with places. */
    public int identityAt(int index) {
        return (int) INTS.get(bytes, HEADER + SLOT * index);
    }

    /** The tag of the value at a place. */
    public int tagAt(int index) {
        return bytes[startAt(index)];
    }

    /** The value at a place. */
    public Value valueAt(int index) {
        int start = startAt(index);
        return TaggedValue.get(new UnsafeBuffer(bytes), start, endAt(index) - start);
    }

    /** The eight bytes after the tag of a value of eight bytes. */
    public long longAt(int index) {
        return (long) LONGS.get(bytes, startAt(index) + 1);
    }

    /** Length in bytes of the value at a place, including its tag. */
    public int lengthAt(int index) {
        return endAt(index) - startAt(index);
    }

    /** Where the value at a place begins in {@link #bytes}: with its tag. */
    public int startAt(int index) {
        int values = HEADER + SLOT * size();
        return index == 0 ? values : values + (int) INTS.get(bytes, HEADER + SLOT * index - 4);
    }

    private int endAt(int index) {
        return HEADER + SLOT * size() + (int) INTS.get(bytes, HEADER + SLOT * index + 4);
    }

    /**
     * A copy of this row in which the values of another row replace or extend its own and some properties are removed.
     * Copies bytes.
     *
     * @param cleared identities of the removed properties, ascending
     */
    public PropertyRow overlaidWith(PropertyRow given, int[] cleared) {
        int mine = size();
        int theirs = given.size();
        int[] identities = new int[mine + theirs];
        PropertyRow[] rows = new PropertyRow[mine + theirs];
        int[] places = new int[mine + theirs];
        int n = 0;
        int length = 0;
        for (int i = 0, j = 0; i < mine || j < theirs; ) {
            int left = i < mine ? identityAt(i) : Integer.MAX_VALUE;
            int right = j < theirs ? given.identityAt(j) : Integer.MAX_VALUE;
            boolean takeGiven = right <= left;
            int identity = takeGiven ? right : left;
            if (takeGiven || java.util.Arrays.binarySearch(cleared, identity) < 0) {
                identities[n] = identity;
                rows[n] = takeGiven ? given : this;
                places[n] = takeGiven ? j : i;
                length += rows[n].lengthAt(places[n]);
                n++;
            }
            i += left == identity ? 1 : 0;
            j += right == identity ? 1 : 0;
        }
        byte[] merged = new byte[HEADER + SLOT * n + length];
        SHORTS.set(merged, 0, (short) n);
        int end = 0;
        for (int k = 0; k < n; k++) {
            int size = rows[k].lengthAt(places[k]);
            System.arraycopy(rows[k].bytes, rows[k].startAt(places[k]), merged, HEADER + SLOT * n + end, size);
            end += size;
            INTS.set(merged, HEADER + SLOT * k, identities[k]);
            INTS.set(merged, HEADER + SLOT * k + 4, end);
        }
        return new PropertyRow(merged);
    }

    /**
     * A copy of this row with marked nulls.
     *
     * @param nulls properties that the row does not have, ascending
     */
    public PropertyRow withNulls(int[] nulls) {
        int n = size() + nulls.length;
        byte[] marked = new byte[bytes.length + nulls.length * (SLOT + 1)];
        SHORTS.set(marked, 0, (short) n);
        int end = 0;
        int mine = 0;
        int given = 0;
        for (int k = 0; k < n; k++) {
            boolean isNull = mine == size() || (given < nulls.length && nulls[given] < identityAt(mine));
            INTS.set(marked, HEADER + SLOT * k, isNull ? nulls[given] : identityAt(mine));
            int length = isNull ? 1 : lengthAt(mine);
            if (isNull) {
                marked[HEADER + SLOT * n + end] = TAG_NULL;
                given++;
            } else {
                System.arraycopy(bytes, startAt(mine), marked, HEADER + SLOT * n + end, length);
                mine++;
            }
            end += length;
            INTS.set(marked, HEADER + SLOT * k + 4, end);
        }
        return new PropertyRow(marked);
    }

    /** A fresh mutable map from property identity to value, ascending. */
    public NavigableMap<Integer, Value> toMap() {
        UnsafeBuffer buffer = new UnsafeBuffer(bytes);
        int n = size();
        int values = values(0, n);
        NavigableMap<Integer, Value> map = new TreeMap<>();
        int start = values;
        for (int i = 0; i < n; i++) {
            int end = values + end(buffer, 0, i);
            map.put(identityAt(i), TaggedValue.get(buffer, start, end - start));
            start = end;
        }
        return map;
    }

    /** The number of properties of a row that begins at {@code row}. */
    public static int count(DirectBuffer buffer, int row) {
        return buffer.getShort(row) & 0xFFFF;
    }

    /** The start of the values of such a row with {@code count} properties. */
    public static int values(int row, int count) {
        return row + HEADER + SLOT * count;
    }

    /** The identity of the property at a place of such a row; identities ascend with places. */
    public static int identity(DirectBuffer buffer, int row, int place) {
        return buffer.getInt(row + HEADER + SLOT * place);
    }

    /** The end of the value at a place of such a row, counted from {@link #values}. */
    public static int end(DirectBuffer buffer, int row, int place) {
        return buffer.getInt(row + HEADER + SLOT * place + Integer.BYTES);
    }

    /** The place of a property in such a row, or −1 when the row does not have it. */
    public static int placeOf(DirectBuffer buffer, int row, int property) {
        int low = 0;
        int high = count(buffer, row) - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            int identity = identity(buffer, row, middle);
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

    /** Passes each managed blob of a row that begins at {@code row} to a consumer. Cost: reads each value's tag. */
    public static void blobs(DirectBuffer buffer, int row, Consumer<Value.ManagedBlob> consumer) {
        int n = count(buffer, row);
        int values = values(row, n);
        int start = values;
        for (int i = 0; i < n; i++) {
            int end = values + end(buffer, row, i);
            if (buffer.getByte(start) == TAG_BLOB) {
                consumer.accept((Value.ManagedBlob) TaggedValue.get(buffer, start, end - start));
            }
            start = end;
        }
    }

    /** The managed blobs of this row. */
    public void blobs(Consumer<Value.ManagedBlob> consumer) {
        blobs(new UnsafeBuffer(bytes), 0, consumer);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PropertyRow row && java.util.Arrays.equals(bytes, row.bytes);
    }

    @Override
    public int hashCode() {
        return java.util.Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return toMap().toString();
    }
}
