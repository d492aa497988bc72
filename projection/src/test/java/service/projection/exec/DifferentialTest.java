package service.projection.exec;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Random queries over random graphs: the executor and the oracle agree on every result, whatever
 * plan the executor takes.
 *
 * <p>Each query runs by the plan of its statistics and by others that the planner could take, drawn
 * at random: any index or the scan, any start, either end of a traversal, an edge first, hash joins
 * or steps, any order of the patterns. {@code -Dqueries=n} tries more queries, {@code -Dseed=n} the
 * same ones again.
 */
class DifferentialTest {
    private static final int QUERIES = 20_000;
    private static final int DRAWS = 6;

    @Test
    void everyPlanOfEveryQueryAgreesWithTheOracle() {
        long seed = Long.getLong("seed", System.nanoTime());
        int queries = Integer.getInteger("queries", QUERIES);
        System.out.println("DifferentialTest seed " + seed);
        Random seeds = new Random(seed);
        PlanTrials trials = new PlanTrials(DRAWS);
        for (int i = 0; i < queries; i++) {
            long one = seeds.nextLong();
            Random random = new Random(one);
            HeapGraph graph = new RandomGraphs(random).graph();
            HeapView view = new HeapView(graph, 1 + random.nextInt(5));
            String where = "seed " + seed + ", query " + i + " of its own seed " + one;
            trials.compare(random, graph, view, where);
        }
        System.out.println(trials);
        assertThat(trials.refused).isLessThan(queries / 20);
        if (queries >= QUERIES) {
            assertThat(trials.plans).isGreaterThan(3 * queries);
            for (Class<?> kind : Node.class.getPermittedSubclasses()) {
                // Few queries count a whole type or name an end of an edge.
                boolean rare = kind == Node.EdgesAt.class || kind == Node.Counts.class;
                assertThat(rare || trials.kinds.getOrDefault(kind.getSimpleName(), 0) > 100)
                        .as("plans with " + kind.getSimpleName())
                        .isTrue();
            }
        }
    }
}
