package service.projection.table;

import java.util.Arrays;
import service.core.value.Ulid;
import service.log.lmdb.MappedBytes;

/** Reads canonical ULIDs from the bytes of ids. Addresses are those of memory outside the heap. */
final class UlidText {
    private static final byte[] DIGITS = digits();

    private UlidText() {}

    /** The value of each byte as a digit; −1 for a byte that is none. */
    private static byte[] digits() {
        byte[] digits = new byte[256];
        Arrays.fill(digits, (byte) -1);
        byte[] text = new byte[Ulid.TEXT_LENGTH];
        for (int i = 0; i < 32; i++) {
            Ulid.putText(0, i, text, 0);
            digits[text[Ulid.TEXT_LENGTH - 1]] = (byte) i;
        }
        return digits;
    }

    private static int digit(long address) {
        return DIGITS[MappedBytes.byteAt(address) & 0xFF];
    }

    /** Whether the text is a canonical ULID, as {@link Ulid#isUlid}. */
    static boolean is(long address, int length) {
        if (length != Ulid.TEXT_LENGTH || !canStart(address, length)) {
            return false;
        }
        int bits = 0;
        for (int i = 0; i < Ulid.TEXT_LENGTH; i++) {
            bits |= digit(address + i);
        }
        return bits >= 0;
    }

    /** Whether the text begins as a ULID does; any other text sorts before all ULIDs or after them. */
    static boolean canStart(long address, int length) {
        return length > 0 && DIGITS[MappedBytes.byteAt(address) & 0xFF] >>> 3 == 0;
    }

    /** The upper half of a canonical ULID. */
    static long high(long address) {
        long high = 0;
        for (int i = 0; i < 13; i++) {
            high = (high << 5) | digit(address + i);
        }
        // Of the digit in the middle one bit is in this half and four in the other.
        return (high << 1) | (digit(address + 13) >>> 4);
    }

    /** The lower half of a canonical ULID. */
    static long low(long address) {
        long low = 0;
        for (int i = 13; i < Ulid.TEXT_LENGTH; i++) {
            low = (low << 5) | digit(address + i);
        }
        return low;
    }
}
