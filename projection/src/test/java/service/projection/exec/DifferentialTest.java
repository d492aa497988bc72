package service.projection.exec;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import service.core.batch.Column;
import service.core.batch.EntityColumn;
import service.core.gq.plan.Plan;
import service.core.port.QueryExecutor;
import service.core.value.Value;

/** Random queries over random graphs: the executor and the oracle agree on every result. */
class DifferentialTest {
    static final QueryExecutor.Limits WIDE =
            new QueryExecutor.Limits(
                    0,
                    System.nanoTime() + 3_600_000_000_000L,
                    1L << 40,
                    1 << 30,
                    1L << 30,
                    () -> false);

    static List<List<Value>> run(Plan.Read plan, HeapView view) {
        List<List<Value>> rows = new ArrayList<>();
        new VectorExecutor()
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

    @Test
    void executorAndOracleAgree() {
        long seed = Long.getLong("seed", System.nanoTime());
        System.out.println("DifferentialTest seed " + seed);
        int queries = Integer.getInteger("queries", 4000);
        Random seeds = new Random(seed);
        for (int i = 0; i < queries; i++) {
            long one = seeds.nextLong();
            compare(one, "seed " + seed + ", query " + i + " of its own seed " + one);
        }
    }

    private static void compare(long seed, String where) {
        Random random = new Random(seed);
        RandomQueries queries = new RandomQueries(random);
        HeapGraph graph = queries.graph();
        Plan.Read plan = queries.query();
        HeapView view = new HeapView(graph, 1 + random.nextInt(5));
        List<List<Value>> expected;
        List<List<Value>> actual;
        try {
            expected = new NaiveEvaluator(graph, plan, List.of()).run();
            actual = run(plan, view);
            if (seed % 8 == 0) {
                var explained = new VectorExecutor().explain(plan, List.of(), view, WIDE, true);
                assertThat(explained.getFirst().actualRows()).as(where).isEqualTo(actual.size());
            }
        } catch (RuntimeException e) {
            throw new AssertionError(where + "\n" + plan, e);
        }
        String described = where + "\n" + plan;
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
