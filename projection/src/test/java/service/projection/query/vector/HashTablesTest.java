package service.projection.query.vector;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import service.core.port.QueryExecutor.Limits;
import service.core.testkit.Seed;
import service.core.value.KeyedHash;
import service.projection.TestEngine;

/** Compares the key tables with a map: through growth, after clearing, and when all keys share a slot. */
class HashTablesTest {
    private static final int KEYS = 3_000;

    /** With the last key of the hash, all keys share the first slot. */
    private static final long[] HASH_KEYS = {KeyedHash.PROCESS_KEY, KeyedHash.key(7), 0};

    /** The tables do not use the view. */
    private final ExecutionBudget budget = new ExecutionBudget(
            null, new Limits(0, Long.MAX_VALUE / 2, 0, Long.MAX_VALUE, Long.MAX_VALUE, TestEngine.ample()));

    private static void fill(LongTable table, int count, SplittableRandom random) {
        Map<Long, Integer> numbers = new HashMap<>();
        for (int i = 0; i < count; i++) {
            long key = random.nextInt(2 * count) * 1_000_000_007L;
            assertThat(table.find(key)).isEqualTo(numbers.getOrDefault(key, -1));
            int number = numbers.computeIfAbsent(key, any -> numbers.size());
            assertThat(table.add(key)).isEqualTo(number);
            assertThat(table.key(number)).isEqualTo(key);
        }
        assertThat(table.size()).isEqualTo(numbers.size());
        numbers.forEach((key, number) -> assertThat(table.find(key)).isEqualTo(number));
    }

    @Test
    void numbersKeepTheirPlacesThroughGrowthAndClearing(@Seed long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        for (long hashKey : HASH_KEYS) {
            LongTable table = new LongTable(budget, hashKey);
            for (int count : new int[] {KEYS, 3, 40, KEYS / 8, 1, 0, KEYS}) {
                table.clear();
                assertThat(table.size()).isZero();
                assertThat(table.find(0)).isEqualTo(-1);
                fill(table, count, random);
            }
        }
    }

    /** Also when the table is so large that slots are read before. */
    @Test
    void keysOfABatchHaveTheNumbersThatOneByOneGives(@Seed long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        LongTable table = new LongTable(budget);
        LongTable oneByOne = new LongTable(budget);
        long[] keys = new long[1_000];
        int[] numbers = new int[keys.length];
        for (int batch = 0; batch < 20; batch++) {
            int count = batch == 5 ? 0 : keys.length;
            for (int i = 0; i < count; i++) {
                keys[i] = random.nextInt(20_000) * 1_000_000_007L;
            }
            table.addAll(keys, count, numbers);
            for (int i = 0; i < count; i++) {
                assertThat(numbers[i]).isEqualTo(oneByOne.add(keys[i]));
            }
        }
        assertThat(table.size()).isEqualTo(oneByOne.size()).isGreaterThan(10_000);
    }

    /** Those of a scan: first without slots, then with, because many are looked for or one is out of order. */
    @Test
    void ascendingKeysKeepTheirPlaces(@Seed long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        LongTable table = new LongTable(budget);
        for (int searches : new int[] {0, KEYS / 32, KEYS}) {
            table.clear();
            for (int i = 0; i < KEYS; i++) {
                assertThat(table.add(3L * i)).isEqualTo(i);
                assertThat(table.add(3L * i)).isEqualTo(i);
            }
            for (int i = 0; i < searches; i++) {
                int key = random.nextInt(-3, 3 * KEYS + 3);
                boolean isThere = key >= 0 && key % 3 == 0 && key < 3 * KEYS;
                assertThat(table.find(key)).isEqualTo(isThere ? key / 3 : -1);
            }
            assertThat(table.add(-1)).isEqualTo(KEYS);
            assertThat(table.add(3)).isOne();
            assertThat(table.find(-1)).isEqualTo(KEYS);
            assertThat(table.find(4)).isEqualTo(-1);
            table.clear();
            fill(table, KEYS, random);
        }
    }

    @Test
    void aTableThatHasBecomeLargeGivesItsMemoryBackWhenCleared(@Seed long seed) {
        LongTable table = new LongTable(budget);
        for (long key = 0; key < 100_000; key++) {
            table.add(key);
        }
        table.clear();
        fill(table, KEYS, new SplittableRandom(seed));
    }

    @Test
    void textsKeepTheirPlacesThroughGrowth(@Seed long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        for (long hashKey : HASH_KEYS) {
            BytesTable table = new BytesTable(budget, hashKey);
            Map<String, Integer> numbers = new HashMap<>();
            for (int i = 0; i < KEYS; i++) {
                String text = "x".repeat(random.nextInt(20)) + random.nextInt(KEYS);
                byte[] bytes = ("_" + text + "_").getBytes(StandardCharsets.US_ASCII);
                int length = bytes.length - 2;
                assertThat(table.find(bytes, 1, length)).isEqualTo(numbers.getOrDefault(text, -1));
                int number = numbers.computeIfAbsent(text, any -> numbers.size());
                assertThat(table.add(bytes, 1, length)).isEqualTo(number);
            }
            assertThat(table.size()).isEqualTo(numbers.size());
        }
    }
}
