package service.core.graph.schema;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import service.core.budget.RequestBudget;
import service.core.budget.TestBudgets;
import service.core.testkit.Seed;
import service.core.value.Value;

final class TupleDigestsTest {
    /** However many passes the tuples need, each repetition is found once, with the first of its tuple. */
    @ParameterizedTest
    @ValueSource(ints = {64, 256, 4096})
    void findsEachRepetitionOnce(int slots, @Seed long seed) {
        Random random = new Random(seed);
        List<List<Value>> tuples = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            tuples.add(List.of(
                    new Value.Text("t" + random.nextInt(20)),
                    random.nextBoolean()
                            ? new Value.Int(random.nextInt(20))
                            : new Value.Real(random.nextBoolean() ? 0.0 : -0.0)));
        }
        Map<String, Integer> first = new HashMap<>();
        TreeSet<String> expected = new TreeSet<>();
        for (int i = 0; i < tuples.size(); i++) {
            Integer earlier = first.putIfAbsent(tuples.get(i).toString().replace("-0.0", "0.0"), i);
            if (earlier != null) {
                expected.add(i + " repeats " + earlier);
            }
        }
        TreeSet<String> found = new TreeSet<>();
        try (RequestBudget budget = TestBudgets.ample()) {
            TupleDigests digests = new TupleDigests(tuples.size(), slots, budget);
            assertThat(digests.passes).isEqualTo(Math.max(1, (1000 + slots - 1) / slots));
            for (int pass = 0; pass < digests.passes; pass++) {
                digests.begin(pass);
                for (int i = 0; i < tuples.size(); i++) {
                    digests.start();
                    tuples.get(i).forEach(digests::add);
                    int earlier = digests.claim(i);
                    if (earlier >= 0) {
                        assertThat(found.add(i + " repeats " + earlier)).isTrue();
                    }
                }
            }
        }
        assertThat(found).isEqualTo(expected);
    }
}
