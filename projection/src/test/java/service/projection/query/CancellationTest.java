package service.projection.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.gq.CompiledSource.Request;
import service.core.gq.GqCompiler;
import service.core.gq.plan.Plan;
import service.core.port.QueryExecutor.Limits;
import service.core.testkit.HeapGraph;
import service.core.testkit.HeapView;
import service.core.value.Value;
import service.projection.TestEngine;

/**
 * Every operator checks often whether the caller still waits, and the next check ends the query of a caller that left.
 * With {@code -Dcancellation.millis=10} the test also fails when more processor time than that passes between two
 * checks; it is off by default because it depends on the speed of the machine.
 */
class CancellationTest {
    private static final long WORK_NANOS_MAX = 1_000_000 * Long.getLong("cancellation.millis", 0);
    private static final int TRIES = 12;
    private static final int QUESTIONS_MIN = 3;
    private static final int PEOPLE = 400;
    private static final int TEXT_LENGTH = 600_000;
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final HeapGraph graph = new HeapGraph(QuerySchema.CATALOG);
    private final HeapView view = new HeapView(graph, 1000);
    private final VectorExecutor executor = new VectorExecutor(1 << 20);

    @BeforeEach
    void people() {
        for (int i = 0; i < PEOPLE; i++) {
            HeapGraph.Entity person = graph.add(QuerySchema.PERSON, "person-" + i);
            person.properties.put(QuerySchema.NAME, new Value.Text("x" + i % 7));
            person.properties.put(QuerySchema.CITY, new Value.Text("oslo"));
            person.properties.put(QuerySchema.AGE, new Value.Int(-i));
            person.properties.put(QuerySchema.SCORE, new Value.Real(i));
        }
        for (int i = 0; i < 64; i++) {
            graph.addEdge(
                    QuerySchema.KNOWS,
                    "k" + i,
                    graph.all(QuerySchema.PERSON).get(i),
                    graph.all(QuerySchema.PERSON).get(i + 1));
        }
        for (int i = 0; i < 3; i++) {
            graph.add(QuerySchema.COMPANY, "c" + i)
                    .properties
                    .put(QuerySchema.TITLE, new Value.Text("ab".repeat(TEXT_LENGTH / 2) + i));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                // A product; a sort by values, by ids; a top; a join that repeats one key.
                "match { $a: Person $b: Person } return { count($a) }",
                "match { $a: Person $b: Person } return { $a } order { $b.score, $a.score } skip 150000",
                "match { $a: Person $b: Person } return { $a.age } order { $a.city } skip 150000",
                "match { $a: Person $b: Person } return { $a } order { $b.score desc, $a.name } limit 9000",
                "match { $a: Person $b: Person $a.city = $b.city } return { count($a) }",
                // Tables that grow: of pairs, of groups, of values; a list.
                "match { $a: Person $b: Person } return distinct { $a.@id, $b.@id } order { $a.@id } limit 1",
                "match { $a: Person $b: Person } return { $a, $b, count($a) as n } order { n } limit 1",
                "match { $a: Person $b: Person } return { count(distinct $a.score * 1000 + $b.score) }",
                "match { $a: Person $b: Person } return { collect($a.name) }",
                // Long texts: an expression, a part, an order, a key.
                "match { $c: Company $c.name matches \"(a|b|ab|ba)*c$\" } return { $c.size }",
                "match { $c: Company $c.name contains \"abababababababababababababababaa\" } return { $c.size }",
                "match { $c: Company $p: Person $p.age > -5 } return { $p.age } order { $c.name, $p.age } limit 1",
                "match { $c: Company $p: Person $p.age > -5 } return { $c.name, count($p) as n } order { n } limit 1",
                // Stages: values that are sorted, groups of a window.
                "match { $a: Person $b: Person } with { $a, $b.score as $s } where $s > 3 order { $s } limit 99999"
                        + " return { count($a) }",
                "match { $a: Person $b: Person } return { $a.age } order { $b.score } limit 1 per { $a.age }",
                // Lists: rows of their items, loops.
                "match { for $i in range(1, 100000) $i % 3 = 0 } return { count(*) }",
                "with { range(1, 3000) as $l } return { length([$x in $l where any($y in $l[0..40] where $y = $x)]) }",
                // Searches and blocks.
                "match { $a: Person $a <knows>{1,*} $b } return { count(*) }",
                "match { $a: Person $a knows{1,64} $b } return { count($b) }",
                "match { $a: Person $b: Person $a knows{1,64} $b $a.age > $b.age } return { count($b) }",
                "match { $a: Person exists { $b: Person $b.age > $a.age } } return { count($a) }",
                "match { $a: Person optional { $b: Person $b.age > $a.age } } return { count($b) }",
                "match { $a: Person count { $b: Person $b.age > $a.age } > 3 } return { count($a) }"
            })
    void asksInAllItsWorkAndEndsWhenToldTo(String query) {
        Plan.Read plan = compile(query);
        // The plan is made and kept here, so that all later runs ask alike.
        run(plan, () -> false);
        Watch watch = new Watch();
        run(plan, watch);
        int asked = watch.asked;
        assertThat(asked).isGreaterThan(QUESTIONS_MIN);
        for (int tenths = 1; tenths < 10; tenths += 4) {
            Leaving leaving = new Leaving(Math.max(1, asked * tenths / 10));
            assertThatThrownBy(() -> run(plan, leaving)).isInstanceOf(CancellationException.class);
            assertThat(leaving.asked).isEqualTo(leaving.after);
        }
        if (WORK_NANOS_MAX > 0) {
            measure(plan);
        }
    }

    @Test
    void planningEndsWithTheTimeOfTheRequest() {
        Plan.Read plan = compile("match { $a: Person $b: Person } return { $a.@id }");
        Limits over =
                new Limits(0, System.nanoTime() - 1, 1000, 1L << 40, 1 << 30, TestEngine.budget(1 << 30, () -> false));
        assertThatThrownBy(() -> executor.explain(plan, List.of(), view, over, false))
                .isInstanceOfSatisfying(
                        ServiceException.class,
                        refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.RESOURCE_LIMIT));
    }

    /** Takes the best of several tries, to leave out the time of the JIT compiler. */
    private void measure(Plan.Read plan) {
        Watch best = new Watch();
        best.longest = Long.MAX_VALUE;
        for (int i = 0; i < TRIES; i++) {
            Watch watch = new Watch();
            run(plan, watch);
            best = watch.longest < best.longest ? watch : best;
        }
        assertThat(best.longest)
                .as("nanoseconds before the question at %s", best.where)
                .isLessThan(WORK_NANOS_MAX);
    }

    private Plan.Read compile(String body) {
        Request request = GqCompiler.compile("query q() { " + body + " }", null, graph.catalog)
                .request();
        return (Plan.Read) ((Request.Query) request).plan();
    }

    private void run(Plan.Read plan, BooleanSupplier cancelled) {
        Limits limits = new Limits(
                0, System.nanoTime() + (1L << 40), 1000, 1L << 40, 1 << 30, TestEngine.budget(1 << 30, cancelled));
        executor.read(plan, List.of(), view, limits, (v, columns, size, kept) -> {});
    }

    /** A caller that waits, and measures the time between checks. */
    private static final class Watch implements BooleanSupplier {
        private long last = THREADS.getCurrentThreadCpuTime();
        private long longest;
        private String where = "";
        private int asked;

        @Override
        public boolean getAsBoolean() {
            long now = THREADS.getCurrentThreadCpuTime();
            if (now - last > longest) {
                longest = now - last;
                where = Arrays.toString(Thread.currentThread().getStackTrace());
            }
            asked++;
            last = THREADS.getCurrentThreadCpuTime();
            return false;
        }
    }

    /** A caller that leaves at one check. */
    private static final class Leaving implements BooleanSupplier {
        private final int after;
        private int asked;

        Leaving(int after) {
            this.after = after;
        }

        @Override
        public boolean getAsBoolean() {
            return ++asked >= after;
        }
    }
}
