package service.projection.query.vector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import service.core.port.QueryExecutor.Limits;
import service.core.testkit.Seed;
import service.projection.TestEngine;

/** Ordinals in ascending order, few and many. */
class IntSortTest {
    private static final int MANY = 100_000;

    private static ExecutionBudget budget(BooleanSupplier cancelled) {
        return new ExecutionBudget(
                null,
                new Limits(
                        0,
                        Long.MAX_VALUE / 2,
                        0,
                        Long.MAX_VALUE,
                        Long.MAX_VALUE,
                        TestEngine.budget(1 << 30, cancelled)));
    }

    @Test
    void numbersOfAnyCountAndSizeAreSortedAscending(@Seed long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        for (int count : new int[] {0, 1, 100, 1 << 15, (1 << 15) + 1, MANY}) {
            for (int bound : new int[] {1, 100, 1 << 11, 1 << 20, Integer.MAX_VALUE}) {
                int[] numbers = random.ints(count, 0, bound).toArray();
                int[] sorted = numbers.clone();
                Arrays.sort(sorted);
                assertThat(IntSort.ascending(numbers, budget(() -> false))).isEqualTo(sorted);
            }
        }
    }

    @Test
    void aSortOfManyNumbersEndsWhenTheCallerNoLongerWaits(@Seed long seed) {
        AtomicInteger asked = new AtomicInteger();
        int[] numbers = new SplittableRandom(seed).ints(MANY, 0, MANY).toArray();
        ExecutionBudget budget = budget(() -> asked.incrementAndGet() > 4);
        assertThatThrownBy(() -> IntSort.ascending(numbers, budget)).isInstanceOf(CancellationException.class);
    }
}
