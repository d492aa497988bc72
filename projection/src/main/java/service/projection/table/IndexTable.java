package service.projection.table;

import static service.log.lmdb.MappedBytes.byteAt;
import static service.log.lmdb.MappedBytes.intAt;
import static service.log.lmdb.MappedBytes.longAt;

import java.nio.ByteBuffer;
import java.util.List;
import service.core.schema.Constraint;
import service.core.schema.IndexDefinition;
import service.core.value.PropertyRow;
import service.core.value.Sha256;
import service.log.lmdb.KeyBuffer;
import service.log.lmdb.MappedBytes;

/**
 * Postings of the property indexes, in the order of their values.
 *
 * <pre>
 *  u32 index | member values … | u32 ordinal | u32 ~incarnation | u64 ~offset   →   u8  bit 0 live · bit 1 a value was cut
 *
 *  Bool               u8
 *  I32 I64 U32        i64, sign bit flipped            DateTime  the same
 *  U64                u64
 *  F32 F64            f64 bits, all flipped when negative, else the sign bit; −0 as 0
 *  Date               i32, sign bit flipped
 *  src, dst           u32 ordinal of the end; u32 2^31 + place, then the ordinal, of one that is not of the first type
 *  String, enum       UTF-8 with 00 as 00 FF, then 00 00
 *    longer than fits the first bytes, then 00 01, then 8 bytes of the SHA-256 of the whole
 *  Vector             00 01, then 8 bytes of the SHA-256
 * </pre>
 *
 * Big-endian. Byte order is value order, except among truncated values with an equal prefix: readers of a truncated
 * posting compare the record. An entity with a null member has no posting.
 */
public final class IndexTable {
    public static final int LIVE = 1;
    public static final int CUT = 2;

    /** Bytes of a key that are not values. */
    private static final int FRAME = 20;

    private static final int CUT_TAIL = 10;
    private static final int TEXT_MAX = 400;
    private static final int CUT_MARK = 1;

    /** The value of an absent posting in what {@link #put} returns. */
    public static final int ABSENT = -1;

    private IndexTable() {}

    public static void start(KeyBuffer into, int index) {
        into.clear().putInt(index);
    }

    /** Bytes of a text that a key holds untruncated, when an index has that many members. */
    public static int textMax(int members) {
        return Math.max(1, Math.min(TEXT_MAX, (KeyBuffer.KEY_BYTES_MAX - FRAME) / members - CUT_TAIL));
    }

    /**
     * Writes the key of a posting up to its ordinal, from a row in memory.
     *
     * @param source of an edge, as {@link service.core.schema.EdgeEnd#key} gives it
     * @param destination as {@code source}
     * @return 0, {@link #CUT}, or {@link #ABSENT} when a member is null
     */
    public static int put(KeyBuffer into, IndexDefinition index, long row, long source, long destination) {
        start(into, index.identity());
        List<Integer> members = index.members();
        int textMax = textMax(members.size());
        int flags = 0;
        for (int i = 0; i < members.size(); i++) {
            int member = members.get(i);
            if (member == Constraint.SRC || member == Constraint.DST) {
                putEnd(into, member == Constraint.SRC ? source : destination);
                continue;
            }
            int slot = MappedRow.slot(row, member, 0);
            if (slot < 0) {
                return ABSENT;
            }
            if (putValue(into, MappedRow.value(row, slot), MappedRow.valueLength(row, slot), textMax)) {
                flags = CUT;
            }
        }
        return flags;
    }

    /** Appends an end, as {@link service.core.schema.EdgeEnd#key} gives it. */
    public static void putEnd(KeyBuffer into, long end) {
        int place = (int) (end >>> Integer.SIZE);
        if (place > 0) {
            into.putInt(Integer.MIN_VALUE | place);
        }
        into.putInt((int) end);
    }

    /** Appends one tagged value; true when it was cut. */
    public static boolean putValue(KeyBuffer into, long value, int length, int textMax) {
        switch (byteAt(value)) {
            case PropertyRow.TAG_BOOL -> into.putByte(byteAt(value + 1));
            case PropertyRow.TAG_INT, PropertyRow.TAG_DATETIME -> into.putLong(longAt(value + 1) ^ Long.MIN_VALUE);
            case PropertyRow.TAG_UINT -> into.putLong(longAt(value + 1));
            case PropertyRow.TAG_REAL -> into.putLong(ordered(Double.longBitsToDouble(longAt(value + 1))));
            case PropertyRow.TAG_DATE -> into.putInt(intAt(value + 1) ^ Integer.MIN_VALUE);
            case PropertyRow.TAG_TEXT, PropertyRow.TAG_EXTERNAL_BLOB -> {
                if (putText(into, value + 1, length - 1, textMax)) {
                    into.putByte(0).putByte(0);
                } else {
                    putDigest(into, value, length);
                    return true;
                }
            }
            default -> {
                putDigest(into, value, length);
                return true;
            }
        }
        return false;
    }

    /** Appends the escaped bytes of a text without a terminator; false when it was truncated. */
    public static boolean putText(KeyBuffer into, long text, int length, int textMax) {
        int start = into.length();
        for (int i = 0; i < length; i++) {
            byte b = byteAt(text + i);
            if (into.length() - start + (b == 0 ? 2 : 1) > textMax) {
                return false;
            }
            into.putByte(b);
            if (b == 0) {
                into.putByte(0xFF);
            }
        }
        return true;
    }

    /** Appends the separator between the prefix of a truncated text and its digest. */
    public static void putCutMark(KeyBuffer into) {
        into.putByte(0).putByte(CUT_MARK);
    }

    private static void putDigest(KeyBuffer into, long value, int length) {
        byte[] digest = Sha256.of(MappedBytes.copy(value, length));
        putCutMark(into);
        into.putLong(ByteBuffer.wrap(digest).getLong());
    }

    private static long ordered(double value) {
        long bits = Double.doubleToLongBits(value == 0 ? 0.0 : value);
        return bits < 0 ? ~bits : bits ^ Long.MIN_VALUE;
    }
}
