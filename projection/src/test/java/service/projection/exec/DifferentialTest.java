package service.projection.exec;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import service.core.batch.Column;
import service.core.batch.EntityColumn;
import service.core.gq.plan.Plan;
import service.core.port.QueryExecutor;
import service.core.value.Value;

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
    static final QueryExecutor.Limits WIDE =
            new QueryExecutor.Limits(
                    0,
                    System.nanoTime() + 3_600_000_000_000L,
                    1L << 40,
                    1 << 30,
                    1L << 30,
                    () -> false);
    private static final int QUERIES = 20_000;

    /** Draws of a plan per query; those that give one that was tried already are not run again. */
    private static final int DRAWS = 6;

    static List<List<Value>> run(Plan.Read plan, HeapView view) {
        return run(plan, view, Choices.CHEAPEST);
    }

    private static List<List<Value>> run(Plan.Read plan, HeapView view, Choices choices) {
        List<List<Value>> rows = new ArrayList<>();
        new VectorExecutor(choices)
                .read(
                        plan,
                        List.of(),
                        view,
                        WIDE,
                        (v, columns, size) -> {
                            for (int row = 0; row < size; row++) {
                                List<Value> values = new ArrayList<>();
                                for (Column column : columns) {
                                    values.add(cell(view, column, row));
                                }
                                rows.add(values);
                            }
                            return 0;
                        });
        return rows;
    }

    private static Value cell(HeapView view, Column column, int row) {
        if (column instanceof EntityColumn entities && !column.isNull(row)) {
            int type = entities.types[row];
            return new Value.Text(view.id(type, entities.ordinals[row]) + " " + type);
        }
        return Cells.value(column, row);
    }

    /** How often each kind of node stood in a plan that was run. */
    private final Map<String, Integer> kinds = new HashMap<>();

    private int plans;

    @Test
    void everyPlanOfEveryQueryAgreesWithTheOracle() {
        long seed = Long.getLong("seed", System.nanoTime());
        int queries = Integer.getInteger("queries", QUERIES);
        System.out.println("DifferentialTest seed " + seed);
        Random seeds = new Random(seed);
        for (int i = 0; i < queries; i++) {
            long one = seeds.nextLong();
            compare(one, "seed " + seed + ", query " + i + " of its own seed " + one);
        }
        System.out.println(queries + " queries by " + plans + " plans: " + kinds);
        if (queries >= QUERIES) {
            assertThat(plans).isGreaterThan(3 * queries);
            for (Class<?> kind : Node.class.getPermittedSubclasses()) {
                // Only mutations look at the edges of a node; a count of a whole type is rare here.
                boolean rare = kind == Node.EdgesAt.class || kind == Node.Counts.class;
                assertThat(rare || kinds.getOrDefault(kind.getSimpleName(), 0) > 20)
                        .as("plans with " + kind.getSimpleName())
                        .isTrue();
            }
        }
    }

    private void compare(long seed, String where) {
        Random random = new Random(seed);
        RandomQueries queries = new RandomQueries(random);
        HeapGraph graph = queries.graph();
        Plan.Read plan = queries.query();
        HeapView view = new HeapView(graph, 1 + random.nextInt(5));
        Set<Node> tried = new HashSet<>();
        try {
            List<List<Value>> expected = new NaiveEvaluator(graph, plan, List.of()).run();
            for (int i = 0; i < DRAWS; i++) {
                long drawn = i == 0 ? 0 : random.nextLong();
                Node node = new ReadPlanner(view, plan, List.of(), choices(drawn)).plan();
                if (tried.add(node)) {
                    count(node);
                    agree(plan, expected, run(plan, view, choices(drawn)), node);
                }
            }
            if (seed % 8 == 0) {
                var explained = new VectorExecutor().explain(plan, List.of(), view, WIDE, true);
                if (plan.limit() == null) {
                    assertThat(explained.getFirst().actualRows()).isEqualTo(expected.size());
                }
            }
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError(where + "\n" + plan + "\n" + e.getMessage(), e);
        }
    }

    /** Zero stands for the planner's own choices. */
    private static Choices choices(long drawn) {
        if (drawn == 0) {
            return Choices.CHEAPEST;
        }
        Random random = new Random(drawn);
        return new Choices() {
            @Override
            public double weigh(double cost) {
                return random.nextDouble();
            }

            @Override
            public int postingsMax(double all) {
                return random.nextInt(3);
            }
        };
    }

    private void count(Node node) {
        plans++;
        kinds.merge(node.getClass().getSimpleName(), 1, Integer::sum);
        PlanShape.children(node).forEach(this::countWithin);
    }

    private void countWithin(Node node) {
        kinds.merge(node.getClass().getSimpleName(), 1, Integer::sum);
        PlanShape.children(node).forEach(this::countWithin);
    }

    private static void agree(
            Plan.Read plan, List<List<Value>> expected, List<List<Value>> actual, Node node) {
        String described = String.valueOf(node);
        if (!plan.order().isEmpty()) {
            assertThat(actual).as(described).isEqualTo(expected);
        } else if (plan.limit() == null && plan.skip() == null) {
            assertThat(NaiveEvaluator.bag(actual))
                    .as(described)
                    .isEqualTo(NaiveEvaluator.bag(expected));
        } else {
            assertThat(actual).as(described).hasSameSizeAs(expected);
        }
    }
}
