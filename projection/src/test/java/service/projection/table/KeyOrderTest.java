package service.projection.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import org.agrona.UnsafeApi;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import service.core.testkit.Seed;

/** Keys with long common prefixes, equal keys and keys that begin others, against a stable sort of arrays of bytes. */
final class KeyOrderTest {
    private static final int LENGTH_MAX = 40;

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 50, 2_047, 2_048, 20_000})
    void keysAreInTheOrderOfTheirBytes(int size, @Seed long seed) {
        Random random = new Random(seed + size);
        for (int values : new int[] {1, 2, 5, 256}) {
            byte[][] keys = new byte[size][];
            for (int i = 0; i < size; i++) {
                keys[i] = key(random, i == 0 ? null : keys[random.nextInt(i)], values);
            }
            int[] expected = IntStream.range(0, size)
                    .boxed()
                    .sorted((a, b) -> Arrays.compareUnsigned(keys[a], keys[b]))
                    .mapToInt(Integer::intValue)
                    .toArray();
            assertThat(sorted(keys)).as("%d values of a byte", values).isEqualTo(expected);
        }
    }

    /** A random key, or one that begins as another does. */
    private static byte[] key(Random random, byte @Nullable [] other, int values) {
        byte[] key = new byte[random.nextInt(LENGTH_MAX)];
        for (int i = 0; i < key.length; i++) {
            key[i] = (byte) (random.nextInt(values) - values / 2);
        }
        if (other != null && random.nextInt(4) > 0) {
            System.arraycopy(other, 0, key, 0, Math.min(key.length, random.nextInt(other.length + 1)));
        }
        return key;
    }

    private static int[] sorted(byte[][] keys) {
        long memory = UnsafeApi.allocateMemory(1L + (long) keys.length * LENGTH_MAX);
        try {
            KeyOrder order = new KeyOrder(keys.length);
            for (int i = 0; i < keys.length; i++) {
                long at = memory + (long) i * LENGTH_MAX;
                for (int j = 0; j < keys[i].length; j++) {
                    UnsafeApi.putByte(at + j, keys[i][j]);
                }
                order.add(at, keys[i].length);
            }
            return order.sorted();
        } finally {
            UnsafeApi.freeMemory(memory);
        }
    }
}
