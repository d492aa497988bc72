package service.projection.exec;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;
import service.core.batch.Column;
import service.core.batch.EntityColumn;
import service.core.error.ServiceException;
import service.core.gq.CompiledSource.Request;
import service.core.gq.GqCompiler;
import service.core.gq.plan.Plan;
import service.core.port.GraphView;
import service.core.port.QueryExecutor;
import service.core.value.Value;

/**
 * Runs random queries by several plans each and compares every result with the oracle's. The first
 * plan is the one that statistics pick; for the others the planner weighs its candidates at random.
 */
final class PlanTrials {
    static final QueryExecutor.Limits WIDE =
            new QueryExecutor.Limits(
                    0,
                    System.nanoTime() + 3_600_000_000_000L,
                    1L << 40,
                    1 << 30,
                    1L << 30,
                    () -> false);

    /** Draws of a plan per query; those that give one that was tried already are not run again. */
    private final int draws;

    /** How often each kind of node stood in a plan that was run. */
    final Map<String, Integer> kinds = new HashMap<>();

    int queries;
    int plans;
    int refused;
    private int failed;

    PlanTrials(int draws) {
        this.draws = draws;
    }

    @Override
    public String toString() {
        return "%d queries by %d plans, %d refused, %d with errors: %s"
                .formatted(queries, plans, refused, failed, kinds);
    }

    /** Tries one query over a view that shows the graph. */
    void compare(Random random, HeapGraph graph, GraphView view, String where) {
        String source = new RandomSource(random).query();
        queries++;
        Plan.Read plan = compile(source, graph);
        if (plan == null) {
            refused++;
            return;
        }
        List<Value> arguments =
                plan.parameters().stream()
                        .map(p -> p.defaultValue() == null ? Value.NULL : p.defaultValue())
                        .toList();
        Set<Node> tried = new HashSet<>();
        try {
            Expected expected = Expected.of(graph, plan, arguments);
            failed += expected.fault == null ? 0 : 1;
            for (int i = 0; i < draws; i++) {
                long drawn = i == 0 ? 0 : random.nextLong();
                Node node = new ReadPlanner(view, plan, arguments, choices(drawn)).plan();
                if (tried.add(node)) {
                    plans++;
                    count(node);
                    expected.check(() -> run(plan, arguments, view, choices(drawn)), node);
                }
            }
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError(where + "\n" + source + "\n" + e.getMessage(), e);
        }
    }

    private static Plan.Read compile(String source, HeapGraph graph) {
        try {
            return (Plan.Read)
                    ((Request.Query) GqCompiler.compile(source, null, graph.catalog).request())
                            .plan();
        } catch (ServiceException e) {
            return null;
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
        kinds.merge(node.getClass().getSimpleName(), 1, Integer::sum);
        PlanShape.children(node).forEach(this::count);
    }

    /** The rows of a query, entities as texts "id type". */
    static List<List<Value>> run(
            Plan.Read plan, List<Value> arguments, GraphView view, Choices choices) {
        List<List<Value>> rows = new ArrayList<>();
        new VectorExecutor(choices)
                .read(
                        plan,
                        arguments,
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

    private static Value cell(GraphView view, Column column, int row) {
        if (column instanceof EntityColumn entities && !column.isNull(row)) {
            int type = entities.types[row];
            return new Value.Text(view.id(type, entities.ordinals[row]) + " " + type);
        }
        return Cells.value(column, row);
    }

    /**
     * What the oracle says of a query.
     *
     * @param rows what it answers
     * @param all what it would answer without {@code skip} and {@code limit}
     */
    private record Expected(
            Plan.Read plan, List<List<Value>> rows, List<List<Value>> all, NaiveFault fault) {
        static Expected of(HeapGraph graph, Plan.Read plan, List<Value> arguments) {
            try {
                NaiveEvaluator oracle = new NaiveEvaluator(graph, plan, arguments);
                List<List<Value>> all = oracle.all();
                return new Expected(plan, oracle.limited(all), all, null);
            } catch (NaiveFault e) {
                return new Expected(plan, List.of(), List.of(), e);
            }
        }

        void check(Supplier<List<List<Value>>> run, Node node) {
            List<List<Value>> actual;
            try {
                actual = run.get();
            } catch (ServiceException e) {
                assertThat(fault).as(() -> node + " " + e.getMessage()).isNotNull();
                return;
            }
            if (fault != null) {
                assertThat(fault.certain && plan.limit() == null)
                        .as(() -> "no error by " + node)
                        .isFalse();
            } else if (!plan.order().isEmpty()) {
                assertThat(actual).as(node::toString).isEqualTo(rows);
            } else {
                assertThat(actual).as(node::toString).hasSameSizeAs(rows);
                Map<List<Value>, Integer> there = NaiveEvaluator.bag(all);
                NaiveEvaluator.bag(actual)
                        .forEach(
                                (row, times) ->
                                        assertThat(times)
                                                .as(() -> row + " by " + node)
                                                .isLessThanOrEqualTo(there.getOrDefault(row, 0)));
            }
        }
    }
}
