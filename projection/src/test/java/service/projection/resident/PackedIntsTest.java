package service.projection.resident;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import service.core.testkit.Seed;

class PackedIntsTest {
    private static final int SIZE = 500;

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 256, 257, 1 << 24, Integer.MAX_VALUE})
    void keepsNumbersBelowABound(int bound, @Seed long seed) {
        Random random = new Random(seed);
        PackedInts packed = new PackedInts(SIZE, bound);
        int[] numbers = new int[SIZE];
        for (int i = 0; i < SIZE; i++) {
            numbers[i] = bound == 0 || random.nextInt(3) == 0 ? Math.max(0, bound - 1) : random.nextInt(bound);
        }
        for (int from = 0; from < SIZE; ) {
            int size = Math.min(SIZE - from, 1 + random.nextInt(100));
            packed.setAll(from, java.util.Arrays.copyOfRange(numbers, from, from + size), size);
            from += size;
        }
        for (int i = 0; i < SIZE; i++) {
            assertThat(packed.get(i)).isEqualTo(numbers[i]);
        }
        assertThat(packed.bytes()).isEqualTo(PackedInts.bytes(SIZE, bound));
    }
}
