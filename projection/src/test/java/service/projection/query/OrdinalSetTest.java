package service.projection.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import service.core.error.ServiceException;
import service.core.port.QueryExecutor.Limits;
import service.core.testkit.HeapGraph;
import service.core.testkit.HeapView;
import service.core.testkit.Seed;
import service.projection.TestEngine;
import service.projection.query.vector.ExecutionBudget;
import service.projection.query.vector.OrdinalSet;

/** Compares ordinal sets, hashed and as bitmaps, with a set of the JDK, and checks the memory charged for them. */
class OrdinalSetTest {
    private static final long PLENTY = 1L << 40;
    private static final int FEW_EVER = 1_000;
    private static final int SOME_EVER = 100_000;
    private static final int BILLION_EVER = 1_000_000_000;

    /** One request may have three quarters of the memory; a growing array exists twice for a moment. */
    private static final long LIST_BYTES_A_MEMBER = 11;

    private static final long HASHED_BYTES_A_MEMBER = 24;

    private static OrdinalSet set(int everGiven, long memoryBytes) {
        HeapView view = new HeapView(new HeapGraph(QuerySchema.CATALOG), 1);
        view.ordinalsGone = everGiven;
        Limits limits =
                new Limits(0, Long.MAX_VALUE / 2, 0, PLENTY, PLENTY, TestEngine.budget(memoryBytes, () -> false));
        return new OrdinalSet(new ExecutionBudget(view, limits), QuerySchema.PERSON);
    }

    private static void fill(OrdinalSet set, int everGiven, int count, SplittableRandom random) {
        Set<Integer> known = new HashSet<>();
        List<Integer> members = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int ordinal = random.nextInt(everGiven);
            assertThat(set.add(ordinal)).isEqualTo(known.add(ordinal));
            if (members.size() < known.size()) {
                members.add(ordinal);
            }
            assertThat(set.add(ordinal)).isFalse();
        }
        assertThat(set.size()).isEqualTo(members.size());
        for (int i = 0; i < members.size(); i++) {
            assertThat(set.get(i)).isEqualTo(members.get(i));
        }
    }

    @Test
    void membersKeepTheirNumbersThroughGrowthAndClearing(@Seed long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        for (int everGiven : new int[] {1, FEW_EVER, SOME_EVER, BILLION_EVER}) {
            OrdinalSet set = set(everGiven, PLENTY);
            for (int count : new int[] {10, 20_000, 3, 0, 500, 2_000, 1, 20_000}) {
                fill(set, everGiven, count, random);
                set.clear();
                assertThat(set.size()).isZero();
            }
        }
    }

    @Test
    void aFewMembersCostLittleHoweverManyOrdinalsWereGiven(@Seed long seed) {
        OrdinalSet set = set(BILLION_EVER, HASHED_BYTES_A_MEMBER * 10_000);
        fill(set, BILLION_EVER, 10_000, new SplittableRandom(seed));
        set.clear();
        assertThatThrownBy(() -> fill(set, BILLION_EVER, 20_000, new SplittableRandom(seed + 1)))
                .isInstanceOf(ServiceException.class)
                .hasMessageContaining("memory");
    }

    @Test
    void manyMembersCostTheirListAndABitForEachOrdinal(@Seed long seed) {
        fill(
                set(SOME_EVER, LIST_BYTES_A_MEMBER * SOME_EVER + SOME_EVER / 8),
                SOME_EVER,
                10 * SOME_EVER,
                new SplittableRandom(seed));
    }
}
