package service.core.value;

import static service.core.value.PropertyRow.HEADER;
import static service.core.value.PropertyRow.INTS;
import static service.core.value.PropertyRow.LONGS;
import static service.core.value.PropertyRow.SHORTS;
import static service.core.value.PropertyRow.SLOT;

import java.util.Arrays;
import org.agrona.ExpandableArrayBuffer;

/**
 * Builds {@link PropertyRow}s from values in any order, without boxing: each value is encoded into a scratch buffer
 * when it is put, and {@link #build} sorts them by identity. One builder serves many rows, on one thread.
 */
public final class PropertyRowBuilder {
    private final int[] identities;
    private final int[] starts;
    private final int[] ends;
    private byte[] scratch = new byte[1024];
    private int used;
    private int present;

    /** @param identities the properties that rows may have, ascending; the methods address them by their index here */
    public PropertyRowBuilder(int[] identities) {
        this.identities = identities.clone();
        this.starts = new int[identities.length];
        this.ends = new int[identities.length];
    }

    /** Removes all values, for the next row. */
    public void reset() {
        Arrays.fill(ends, 0);
        used = 0;
        present = 0;
    }

    public boolean has(int place) {
        return ends[place] != 0;
    }

    public void putBool(int place, boolean value) {
        int at = begin(place, 2);
        scratch[at] = PropertyRow.TAG_BOOL;
        scratch[at + 1] = (byte) (value ? 1 : 0);
        end(place, at + 2);
    }

    public void putInt(int place, long value) {
        putLong(place, PropertyRow.TAG_INT, value);
    }

    public void putUInt(int place, long bits) {
        putLong(place, PropertyRow.TAG_UINT, bits);
    }

    public void putReal(int place, double value) {
        putLong(place, PropertyRow.TAG_REAL, Double.doubleToRawLongBits(Value.positiveZero(value)));
    }

    public void putDateTime(int place, long epochMillis) {
        putLong(place, PropertyRow.TAG_DATETIME, epochMillis);
    }

    public void putDate(int place, int epochDay) {
        int at = begin(place, 5);
        scratch[at] = PropertyRow.TAG_DATE;
        INTS.set(scratch, at + 1, epochDay);
        end(place, at + 5);
    }

    private void putLong(int place, int tag, long value) {
        int at = begin(place, 9);
        scratch[at] = (byte) tag;
        LONGS.set(scratch, at + 1, value);
        end(place, at + 9);
    }

    /** Puts text. Returns false and puts nothing when the text holds half a surrogate pair. */
    public boolean putText(int place, char[] text, int offset, int length) {
        int at = begin(place, 1 + 3 * length);
        byte[] into = scratch;
        into[at] = PropertyRow.TAG_TEXT;
        int position = at + 1;
        int limit = offset + length;
        for (int i = offset; i < limit; i++) {
            char c = text[i];
            if (c < 0x80) {
                into[position++] = (byte) c;
            } else if (c < 0x800) {
                into[position++] = (byte) (0xC0 | (c >> 6));
                into[position++] = (byte) (0x80 | (c & 0x3F));
            } else if (!Character.isSurrogate(c)) {
                into[position++] = (byte) (0xE0 | (c >> 12));
                into[position++] = (byte) (0x80 | ((c >> 6) & 0x3F));
                into[position++] = (byte) (0x80 | (c & 0x3F));
            } else {
                if (Character.isLowSurrogate(c) || i + 1 == limit || !Character.isLowSurrogate(text[i + 1])) {
                    return false;
                }
                int codePoint = Character.toCodePoint(c, text[++i]);
                into[position++] = (byte) (0xF0 | (codePoint >> 18));
                into[position++] = (byte) (0x80 | ((codePoint >> 12) & 0x3F));
                into[position++] = (byte) (0x80 | ((codePoint >> 6) & 0x3F));
                into[position++] = (byte) (0x80 | (codePoint & 0x3F));
            }
        }
        end(place, position);
        return true;
    }

    /** Puts any value but null. */
    public void put(int place, Value value) {
        ExpandableArrayBuffer buffer = new ExpandableArrayBuffer();
        int length = TaggedValue.put(buffer, 0, value);
        int at = begin(place, length);
        buffer.getBytes(0, scratch, at, length);
        end(place, at + length);
    }

    /** The row of the values that were put since {@link #reset}. */
    public PropertyRow build() {
        if (present == 0) {
            return PropertyRow.EMPTY;
        }
        byte[] row = new byte[HEADER + SLOT * present + used];
        SHORTS.set(row, 0, (short) present);
        int slot = HEADER;
        int values = HEADER + SLOT * present;
        int end = 0;
        for (int place = 0; place < identities.length; place++) {
            if (ends[place] != 0) {
                int length = ends[place] - starts[place];
                System.arraycopy(scratch, starts[place], row, values + end, length);
                end += length;
                INTS.set(row, slot, identities[place]);
                INTS.set(row, slot + 4, end);
                slot += SLOT;
            }
        }
        return PropertyRow.wrap(row);
    }

    private int begin(int place, int room) {
        if (ends[place] != 0) {
            throw new IllegalStateException("a property is put once");
        }
        if (scratch.length - used < room) {
            scratch = Arrays.copyOf(scratch, Math.max(scratch.length * 2, used + room));
        }
        return used;
    }

    private void end(int place, int end) {
        starts[place] = used;
        ends[place] = end;
        used = end;
        present++;
    }
}
