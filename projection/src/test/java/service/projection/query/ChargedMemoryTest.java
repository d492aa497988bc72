package service.projection.query;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.Reference;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import service.core.batch.Column;
import service.core.budget.RequestBudget;
import service.core.gq.CompiledSource.Request;
import service.core.gq.GqCompiler;
import service.core.gq.plan.Plan;
import service.core.port.QueryExecutor.Limits;
import service.core.testkit.HeapGraph;
import service.core.testkit.HeapView;
import service.core.testkit.LiveHeap;
import service.core.value.Value;
import service.projection.TestEngine;
import service.projection.query.operator.Operator;
import service.projection.query.operator.OutputOperators;
import service.projection.query.operator.Source;
import service.projection.query.plan.Choices;
import service.projection.query.plan.Node;
import service.projection.query.plan.ReadPlanner;
import service.projection.query.plan.Statistics;
import service.projection.query.vector.ExecutionBudget;

/**
 * What a query is charged against what it holds: when the first result batch arrives, the charge is compared with the
 * heap after a collection.
 */
class ChargedMemoryTest {
    private static final int PEOPLE = 200;

    /** A charge is hardly ever below what is held. */
    private static final double LEAST = 0.95;

    /** The room that arrays have for their growth is charged, and is part of what is held. */
    private static final double MOST = 1.35;

    /** What else the JVM keeps or frees between two readings of its heap; it matters where little is held. */
    private static final long NOISE_BYTES = 32 << 10;

    private final HeapGraph graph = new HeapGraph(QuerySchema.CATALOG);
    private final HeapView view = new HeapView(graph, Column.CAPACITY);

    @BeforeEach
    void people() {
        for (int i = 0; i < PEOPLE; i++) {
            HeapGraph.Entity person = graph.add(QuerySchema.PERSON, "a person with the number " + i);
            person.properties.put(QuerySchema.NAME, new Value.Text("the name of person " + i));
            person.properties.put(QuerySchema.AGE, new Value.Int(i));
            person.properties.put(QuerySchema.SCORE, new Value.Real(i / 7.0));
            person.properties.put(QuerySchema.ACTIVE, new Value.Bool(i % 2 == 0));
            person.properties.put(QuerySchema.BORN, new Value.Date(i));
            person.properties.put(QuerySchema.SEEN, new Value.DateTime(i));
        }
    }

    static Stream<String> queries() {
        String pairs = "match { $a: Person $b: Person } return ";
        return Stream.of(
                pairs + "{ collect($a.name) }",
                pairs + "{ collect($a.age) }",
                pairs + "{ collect($a.score), collect($b.born), collect($b.active), collect($a.seen) }",
                pairs + "{ $a.age, collect($b.name) } order { $a.age }",
                pairs + "{ count(distinct $a.age * 1000 + $b.age) }",
                pairs + "{ count(distinct $a.score * 1000.5 + $b.score) }",
                pairs + "{ $a.age * 1000 + $b.age as k, count($a) as n } order { n }",
                pairs + "{ $a.name, $b.name, min($a.name), max($b.name) }",
                pairs + "{ $a.@id, $b.@id, min($b.score), sum($a.age), avg($b.age) }",
                pairs + "{ $a.name } order { $b.name }",
                pairs + "{ $a } order { $a.age * $b.age }",
                pairs + "distinct { $a.name, $b.name } order { $b.name }",
                pairs + "distinct { $a.age * 1000 + $b.age } order { 1 = 1 } limit 1000000",
                pairs.replace("return", "with")
                        + "{ $a.name as $n, $b, count(*) as $k } return { $n, $k } order { $n }",
                pairs.replace("return", "with") + "{ $a.name as $n, $b.@id as $i } return { $n } order { $i }",
                pairs + "{ $a.age } order { $b.name } limit 1 per { $a.age * 1000 + $b.age }",
                "match { $a: Person $b: Person $a.age = $b.age $c: Person $d: Person } return { count($a) } limit 1",
                "match { $a: Person } return { " + columns(600, i -> arithmetic(i)) + " }",
                "match { $a: Person } return { " + columns(900, i -> "lower($a.name)") + " }",
                "match { $a: Person } return { " + columns(300, i -> "[$a.age, " + i + ", $a.age]") + " }",
                "match { $a: Person " + conditions(" or ") + " } return { count($a) }",
                "match { $a: Person " + conditions(" ") + " } return { count($a) }",
                "match { " + columns(4, i -> "$v" + i + ": Person", " ") + " } return { "
                        + columns(4, i -> "$v" + i + ".age") + " } limit 2000");
    }

    private static String columns(int count, java.util.function.IntFunction<String> column) {
        return columns(count, i -> column.apply(i) + " as c" + i, ", ");
    }

    private static String columns(int count, java.util.function.IntFunction<String> part, String separator) {
        return IntStream.range(0, count).mapToObj(part).collect(Collectors.joining(separator));
    }

    private static String arithmetic(int i) {
        return "$a.age" + " + $a.age * 3".repeat(20) + " - " + i;
    }

    private static String conditions(String separator) {
        return IntStream.range(0, 2_000).mapToObj(i -> "$a.age != " + -i).collect(Collectors.joining(separator));
    }

    private Plan.Read compile(String body) {
        Request request = GqCompiler.compile("query q() { " + body + " }", null, graph.catalog)
                .request();
        return (Plan.Read) ((Request.Query) request).plan();
    }

    @ParameterizedTest
    @MethodSource("queries")
    void isWhatTheQueryHolds(String query) {
        Plan.Read plan = compile(query);
        // What is made once, such as classes, is not measured.
        run(plan, TestEngine.budget(1 << 30, () -> false), () -> {});
        AtomicLong charged = new AtomicLong();
        AtomicLong held = new AtomicLong();
        try (RequestBudget budget = TestEngine.budget(1 << 30, () -> false)) {
            long before = LiveHeap.bytes();
            run(plan, budget, () -> {
                charged.set(budget.memory().used());
                held.set(LiveHeap.bytes() - before);
            });
        }
        assertThat(charged.get())
                .as("charged for %d bytes", held.get())
                .isBetween((long) (LEAST * held.get()) - NOISE_BYTES, (long) (MOST * held.get()) + NOISE_BYTES);
    }

    /** Runs a query whose operators stay reachable to its end. */
    private void run(Plan.Read plan, RequestBudget request, Runnable atFirstBatch) {
        Limits limits = new Limits(0, System.nanoTime() + (1L << 40), 1000, 1L << 40, 1 << 30, request);
        Statistics statistics = new Statistics(view, List.of(), () -> {});
        Node root = new ReadPlanner(statistics, plan, Choices.CHEAPEST).plan();
        try (ExecutionBudget budget = new ExecutionBudget(view, limits)) {
            AtomicBoolean isFirst = new AtomicBoolean(true);
            Operator end =
                    new OutputOperators.ToSink(budget, plan.result().outputs().size(), (v, columns, size, kept) -> {
                        if (isFirst.getAndSet(false)) {
                            atFirstBatch.run();
                        }
                    });
            Source source = new Lowering(
                            budget,
                            List.of(),
                            plan.variables(),
                            ReadPlanner.nullable(plan),
                            ReadPlanner.stopsEarly(plan),
                            false)
                    .lower(root, end, new BitSet());
            try {
                source.drive();
            } finally {
                Reference.reachabilityFence(source);
            }
        }
    }
}
