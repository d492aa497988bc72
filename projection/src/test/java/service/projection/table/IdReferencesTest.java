package service.projection.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import service.core.value.KeyedHash;

/** The hash table of the ids in a window of changes. */
final class IdReferencesTest {
    private static final int IDS = 5_000;
    private static final int TYPE = 1;
    private static final long KNOWN = KeyedHash.key(0x1234_5678_9ABC_DEF0L);

    /** An id of twelve bytes, whose key begins with the four bytes of its type. */
    private static UnsafeBuffer prepared(int i) {
        long first = ByteBuffer.allocate(8)
                .order(ByteOrder.LITTLE_ENDIAN)
                .put(3, (byte) TYPE)
                .putInt(4, i)
                .getLong(0);
        long second = 99 ^ KeyedHash.step(KeyedHash.start(16, KNOWN), first, KNOWN);
        return new UnsafeBuffer(ByteBuffer.allocate(12)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(i)
                .putLong(second)
                .array());
    }

    private static int longestRun(IdReferences references) {
        try (references) {
            for (int i = 0; i < IDS; i++) {
                assertThat(references.reference(TYPE, prepared(i), 0, 12)).isEqualTo(i);
            }
            for (int i = 0; i < IDS; i++) {
                assertThat(references.reference(TYPE, prepared(i), 0, 12)).isEqualTo(i);
            }
            return references.longestRun();
        }
    }

    @Test
    void idsThatCollideUnderOneHashKeyAreSpreadUnderAnother() {
        assertThat(longestRun(new IdReferences(KNOWN))).isEqualTo(IDS);
        assertThat(longestRun(new IdReferences())).isLessThan(IDS / 10);
    }
}
