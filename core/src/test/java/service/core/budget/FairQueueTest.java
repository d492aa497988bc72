package service.core.budget;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import service.core.testkit.Seed;

/** Turns between holders, and the shares of a bounded number of units. */
final class FairQueueTest {
    @Test
    void holdersAreServedInTurnAndTheirItemsInOrder() {
        FairQueue<String> queue = new FairQueue<>();
        for (int i = 0; i < 3; i++) {
            queue.add("a", "a" + i);
        }
        queue.add("b", "b0");
        queue.add("c", "c0");
        queue.add("c", "c1");
        List<String> served = new ArrayList<>();
        served.add(queue.poll());
        queue.add("b", "b1");
        for (String next = queue.poll(); next != null; next = queue.poll()) {
            served.add(next);
        }
        assertThat(served).containsExactly("a0", "b0", "c0", "a1", "b1", "c1", "a2");
        assertThat(queue.holders()).isZero();
    }

    @Test
    void aHolderThatMayNotBeServedKeepsItsTurn() {
        FairQueue<String> queue = new FairQueue<>();
        queue.add("a", "a0");
        queue.add("b", "b0");
        queue.add("b", "b1");
        assertThat(queue.poll(item -> item.startsWith("b"))).isEqualTo("b0");
        assertThat(queue.poll()).isEqualTo("a0");
        assertThat(queue.poll(item -> false)).isNull();
        assertThat(queue.remove("b", "b1")).isTrue();
        assertThat(queue.remove("b", "b1")).isFalse();
        assertThat(queue.isEmpty()).isTrue();
    }

    /** No holder waits longer than one turn of each other one; nothing is lost, and each order is kept. */
    @Test
    void randomUseKeepsOrderAndTurns(@Seed long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        FairQueue<Integer> queue = new FairQueue<>();
        Map<Object, List<Integer>> model = new HashMap<>();
        Map<Object, Integer> othersServed = new HashMap<>();
        int size = 0;
        for (int i = 0; i < 20_000; i++) {
            if (random.nextInt(2) == 0) {
                Object holder = random.nextInt(8);
                queue.add(holder, i);
                model.computeIfAbsent(holder, any -> new ArrayList<>()).add(i);
                size++;
            } else if (size > 0) {
                Integer served = queue.poll();
                Object holder = model.entrySet().stream()
                        .filter(waiting -> waiting.getValue().getFirst().equals(served))
                        .findFirst()
                        .orElseThrow()
                        .getKey();
                model.get(holder).removeFirst();
                othersServed.put(holder, 0);
                for (Object other : model.keySet()) {
                    if (!other.equals(holder)) {
                        assertThat(othersServed.merge(other, 1, Integer::sum)).isLessThanOrEqualTo(8);
                    }
                }
                if (model.get(holder).isEmpty()) {
                    model.remove(holder);
                    othersServed.remove(holder);
                }
                size--;
            }
            assertThat(queue.size()).isEqualTo(size);
            assertThat(queue.holders()).isEqualTo(model.size());
        }
    }

    @ParameterizedTest
    @CsvSource({
        // units, percent, greedy holders, what each gets, what stays free
        "64, 75, 1, 48, 16",
        "256, 75, 1, 192, 64",
        "64, 75, 2, 28, 9",
        "64, 50, 1, 32, 32",
        "64, 100, 1, 64, 0",
        "1, 75, 1, 1, 0",
        "2, 75, 1, 2, 0",
        "4, 75, 1, 3, 1",
        "10000, 75, 1, 7500, 2500",
        "64, 1, 1, 1, 63",
    })
    void greedyHoldersLeaveSomeFree(int units, int percent, int holders, int each, int free) {
        Shares shares = new Shares(units, percent);
        boolean moved = true;
        while (moved) {
            moved = false;
            for (int holder = 0; holder < holders; holder++) {
                moved |= shares.take(holder);
            }
        }
        assertThat(shares.held(0)).isEqualTo(each);
        assertThat(units - shares.taken()).isEqualTo(free);
        if (free > 0) {
            assertThat(shares.take("another")).isTrue();
            shares.give("another");
        }
        for (int holder = 0; holder < holders; holder++) {
            while (shares.held(holder) > 0) {
                shares.give(holder);
            }
        }
        assertThat(shares.taken()).isZero();
        assertThat(shares.holders()).as("no trace of a holder without units").isZero();
    }
}
