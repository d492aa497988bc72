package service.projection.query;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import service.core.gq.CompiledSource.Request;
import service.core.gq.GqCompiler;
import service.core.gq.plan.Plan;
import service.core.port.QueryExecutor.Limits;
import service.core.testkit.HeapGraph;
import service.core.testkit.HeapView;
import service.core.testkit.Seed;
import service.core.value.Value;
import service.projection.TestEngine;

/** Blocks under more rows than a batch has, of which many or few repeat for the block: compared with nested loops. */
class KnownMatchesTest {
    private static final int WORK = 20_000;

    private final HeapGraph graph = new HeapGraph(QuerySchema.CATALOG);
    private final VectorExecutor executor = new VectorExecutor(1 << 20);
    private boolean[][] knows = {};

    private void people(int people, int edges, Random random) {
        knows = new boolean[people][people];
        for (int i = 0; i < people; i++) {
            graph.add(QuerySchema.PERSON, "p" + i).properties.put(QuerySchema.AGE, new Value.Int(i));
        }
        for (int i = 0; i < edges; i++) {
            knows(random.nextInt(people), random.nextInt(people));
        }
    }

    private void knows(int from, int to) {
        List<HeapGraph.Entity> people = graph.all(QuerySchema.PERSON);
        int number = graph.all(QuerySchema.KNOWS).size();
        graph.addEdge(QuerySchema.KNOWS, "k" + number, people.get(from), people.get(to));
        knows[from][to] = true;
    }

    /** Paths of two hops whose last node does not know the first one, or knows somebody older than {@code age}. */
    private long counted(boolean back, int age) {
        long count = 0;
        for (int a = 0; a < knows.length; a++) {
            for (int b = 0; b < knows.length; b++) {
                for (int c = 0; knows[a][b] && c < knows.length; c++) {
                    if (knows[b][c] && (back ? !knows[c][a] : knowsOlder(c, age))) {
                        count++;
                    }
                }
            }
        }
        return count;
    }

    private boolean knowsOlder(int person, int age) {
        for (int other = age + 1; other < knows.length; other++) {
            if (knows[person][other]) {
                return true;
            }
        }
        return false;
    }

    private List<List<Value>> rows(String body) {
        return PlanTrials.run(compile(body), List.of(), new HeapView(graph, 3));
    }

    private Plan.Read compile(String body) {
        Request request = GqCompiler.compile("query q() { " + body + " }", null, graph.catalog)
                .request();
        return (Plan.Read) ((Request.Query) request).plan();
    }

    private void compare(int people, int edges, long seed) {
        people(people, edges, new Random(seed));
        int age = people * 9 / 10;
        assertThat(rows("match { $a: Person $a knows $b $b knows $c not { $c knows $a } } return { count($b) as n }"))
                .containsExactly(List.of(new Value.Int(counted(true, age))));
        assertThat(rows("match { $a: Person $a knows $b $b knows $c exists { $c knows $d $d.age > " + age
                        + " } } return { count($b) as n }"))
                .containsExactly(List.of(new Value.Int(counted(false, age))));
    }

    @Test
    void manyRowsRepeat(@Seed long seed) {
        compare(40, 600, seed);
    }

    @Test
    void fewRowsRepeat(@Seed long seed) {
        compare(400, 2_000, seed);
    }

    @Test
    void aBlockLooksAtTheSameNeighboursOnce() {
        people(1_000, 0, new Random(0));
        for (int i = 1; i < 1_000; i++) {
            knows(i, 0);
            knows(0, i);
        }
        Plan.Read plan = compile(
                "match { $a: Person $a knows $b $b.age < 1 not { $b knows $c $c.age > 2000 } } return { count($a) as n }");
        Limits limits = new Limits(
                0, System.nanoTime() + (1L << 40), 1000, WORK, 1 << 30, TestEngine.budget(1 << 30, () -> false));
        long[] count = new long[1];
        executor.read(plan, List.of(), new HeapView(graph, 3), limits, (view, columns, size, kept) -> {
            count[0] = ((service.core.batch.LongColumn) columns[0]).values[0];
        });
        assertThat(count[0]).isEqualTo(999);
    }
}
