package service.core.value;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Values prepared to collide do so only under the key that they were prepared for. */
class KeyedHashTest {
    private static final int VALUES = 20_000;
    private static final int SLOTS = 1 << 15;
    private static final long KNOWN = KeyedHash.key(0x1234_5678_9ABC_DEF0L);
    private static final long GOLDEN_RATIO = 0x9E3779B97F4A7C15L;
    private static final long[] OTHERS =
            new SplittableRandom(9).longs(20).map(KeyedHash::key).toArray();

    private static long slotsTaken(int[] hashes) {
        int shift = KeyedHash.shift(SLOTS);
        return Arrays.stream(hashes).map(hash -> hash >>> shift).distinct().count();
    }

    /** As many slots are taken as random values would take, within a twentieth. */
    private static void assertSpread(int[] hashes) {
        double random = SLOTS * (1 - Math.exp(-(double) hashes.length / SLOTS));
        assertThat((double) slotsTaken(hashes)).isBetween(0.95 * random, 1.05 * random);
    }

    /** A client that knows the key computes for each first word the second one that leads to the same state. */
    @Test
    void textsPreparedForOneKeyAreSpreadByAnother() {
        long start = (KNOWN * GOLDEN_RATIO) ^ 16;
        byte[][] prepared = IntStream.range(0, VALUES)
                .mapToObj(i -> words(i, 99 ^ fold(start ^ i, KNOWN)))
                .toArray(byte[][]::new);
        assertThat(slotsTaken(hashes(prepared, KNOWN))).isEqualTo(1);
        for (long other : OTHERS) {
            assertSpread(hashes(prepared, other));
        }
        assertSpread(hashes(prepared, KeyedHash.PROCESS_KEY));
    }

    /** Found by trial: one number in 256 falls into one of the first 128 slots. */
    @Test
    void numbersPreparedForOneKeyAreSpreadByAnother() {
        long[] prepared = LongStream.iterate(0, i -> i + 1)
                .filter(i -> KeyedHash.hash(i, KNOWN) >>> 24 == 0)
                .limit(VALUES)
                .toArray();
        assertThat(slotsTaken(hashes(prepared, KNOWN))).isLessThanOrEqualTo(SLOTS / 256);
        for (long other : OTHERS) {
            assertSpread(hashes(prepared, other));
        }
        assertSpread(hashes(prepared, KeyedHash.PROCESS_KEY));
    }

    private static int[] hashes(long[] values, long key) {
        return Arrays.stream(values)
                .mapToInt(value -> KeyedHash.hash(value, key))
                .toArray();
    }

    @Test
    void numbersInEqualStepsAreSpreadByEveryKey() {
        for (long other : OTHERS) {
            for (int low : new int[] {0, 10, 24, 32, 40, 49}) {
                assertSpread(
                        hashes(LongStream.range(0, VALUES).map(i -> i << low).toArray(), other));
            }
            assertSpread(hashes(
                    LongStream.range(0, VALUES).map(Double::doubleToRawLongBits).toArray(), other));
        }
    }

    /**
     * Under a fixed multiplier a flip of the uppermost bit of one word is undone by flips in the next word, from every
     * start value: such pairs, fifteen in a row, make 32,768 texts of one hash.
     */
    @Test
    void flipsThatAFixedMultiplierWouldUndoAreSpread() {
        byte[][] flipped = IntStream.range(0, VALUES)
                .mapToObj(i -> {
                    long[] words = new long[30];
                    for (int pair = 0; pair < 15; pair++) {
                        if (((i >>> pair) & 1) != 0) {
                            words[2 * pair] = 1L << 63;
                            words[2 * pair + 1] = (1L << 63) ^ (1L << 31);
                        }
                    }
                    return words(words);
                })
                .toArray(byte[][]::new);
        for (long other : OTHERS) {
            assertSpread(hashes(flipped, other));
        }
    }

    private static long fold(long a, long b) {
        return (a * b) ^ Math.unsignedMultiplyHigh(a, b);
    }

    private static byte[] words(long... words) {
        ByteBuffer buffer = ByteBuffer.allocate(Long.BYTES * words.length).order(ByteOrder.LITTLE_ENDIAN);
        for (long word : words) {
            buffer.putLong(word);
        }
        return buffer.array();
    }

    private static int[] hashes(byte[][] texts, long key) {
        ToIntFunction<byte[]> hash = text -> KeyedHash.hash(text, 0, text.length, key);
        return Arrays.stream(texts).mapToInt(hash).toArray();
    }

    @Test
    void aHashDependsOnEveryByteAndNotOnItsOffsetInTheArray() {
        for (int length = 0; length <= 40; length++) {
            byte[] text = new byte[length];
            Arrays.fill(text, (byte) 'x');
            byte[] moved = new byte[length + 7];
            System.arraycopy(text, 0, moved, 3, length);
            int hash = KeyedHash.hash(text, 0, length, KNOWN);
            assertThat(KeyedHash.hash(moved, 3, length, KNOWN)).isEqualTo(hash);
            Set<Integer> seen = new HashSet<>(Set.of(hash));
            for (int i = 0; i < length; i++) {
                text[i] ^= (byte) 0x80;
                assertThat(seen.add(KeyedHash.hash(text, 0, length, KNOWN)))
                        .as("byte %d of %d", i, length)
                        .isTrue();
                text[i] ^= (byte) 0x80;
            }
            seen.add(KeyedHash.hash(Arrays.copyOf(text, length + 1), 0, length + 1, KNOWN));
            assertThat(seen).hasSize(length + 2);
        }
    }
}
