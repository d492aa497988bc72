package service.projection.resident;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import java.util.Random;
import org.junit.jupiter.api.Test;
import service.core.testkit.Seed;

class DirtySetTest {
    /** Compared with a bit set: ordinals that the union has not, or that it no longer holds, are not clean. */
    @Test
    void aUnionHasAllMarks(@Seed long seed) {
        Random random = new Random(seed);
        for (int round = 0; round < 200; round++) {
            int bound = 1 + random.nextInt(400);
            int markedFrom = random.nextInt(bound + 1);
            DirtySet set = new DirtySet(bound);
            long[] others = new long[(bound + Long.SIZE - 1) / Long.SIZE];
            BitSet expected = new BitSet();
            for (int ordinal = 0; ordinal < bound; ordinal++) {
                boolean first = ordinal >= markedFrom ? random.nextBoolean() : random.nextInt(20) == 0;
                boolean second = ordinal >= markedFrom ? !first : random.nextInt(20) == 0;
                if (first) {
                    set.mark(ordinal);
                }
                if (second) {
                    others[ordinal >>> 6] |= 1L << ordinal;
                }
                expected.set(ordinal, first || second);
            }
            DirtySet union = set.with(others);
            for (int ordinal = 0; ordinal < bound + 100; ordinal++) {
                assertThat(union.isClean(ordinal))
                        .as("ordinal %d of %d, all marked from %d", ordinal, bound, markedFrom)
                        .isEqualTo(ordinal < bound && !expected.get(ordinal));
            }
            assertThat(union.bound()).isBetween(expected.previousClearBit(bound - 1) + 1, bound);
            assertThat(union.bound() == bound || union.bound() % Long.SIZE == 0).isTrue();
            assertThat(union.marked()).isEqualTo(expected.get(0, union.bound()).cardinality());
        }
    }

    @Test
    void theEndOfAUnionIsCutOff() {
        DirtySet set = new DirtySet(200);
        for (int ordinal = 70; ordinal < 200; ordinal++) {
            set.mark(ordinal);
        }
        DirtySet union = set.with(new long[4]);
        assertThat(union.bound()).isEqualTo(128);
        assertThat(union.marked()).isEqualTo(58);
        set.mark(0);
        assertThat(union.isClean(0))
                .as("the first set is not part of the union")
                .isTrue();
    }
}
