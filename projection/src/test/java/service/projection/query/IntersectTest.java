package service.projection.query;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import service.core.gq.CompiledSource.Request;
import service.core.gq.GqCompiler;
import service.core.gq.plan.Plan;
import service.core.port.QueryExecutor.ExplainRow;
import service.core.testkit.HeapGraph;
import service.core.testkit.HeapView;
import service.core.testkit.Seed;
import service.core.value.Value;

/**
 * Triangles of a graph with hubs, parallel edges and loops: the plan that intersects neighbours, the one that
 * enumerates them, and three nested loops count the same.
 */
class IntersectTest {
    private static final int PEOPLE = 100;
    private static final int EDGES = 250;
    private static final int HUBS = 3;

    private static final List<String> TRIANGLES = List.of(
            "match { $a: Person $a knows $b $b knows $c $a knows $c } return { count($c) as n }",
            "match { $a: Person $a knows $b $b knows $c $c knows $a } return { count($b) as n }",
            "match { $a: Person $a knows $b $b knows $c $c knows $a } return { count($c) as n, sum($c.age) as m }");

    private final HeapGraph graph = new HeapGraph(QuerySchema.CATALOG);
    private final List<TreeSet<Integer>> out = new ArrayList<>();

    private void build(Random random) {
        for (int i = 0; i < PEOPLE; i++) {
            graph.add(QuerySchema.PERSON, "p" + i).properties.put(QuerySchema.AGE, new Value.Int(i));
            out.add(new TreeSet<>());
        }
        for (int hub = 0; hub < HUBS; hub++) {
            for (int i = 0; i < PEOPLE; i++) {
                knows(hub, i);
            }
        }
        for (int i = 0; i < EDGES; i++) {
            int from = random.nextInt(PEOPLE);
            int to = random.nextInt(5) == 0 ? random.nextInt(HUBS) : random.nextInt(PEOPLE);
            knows(from, to);
            if (random.nextInt(10) == 0) {
                knows(from, to);
            }
        }
    }

    private void knows(int from, int to) {
        List<HeapGraph.Entity> people = graph.all(QuerySchema.PERSON);
        int number = graph.all(QuerySchema.KNOWS).size();
        graph.addEdge(QuerySchema.KNOWS, "k" + number, people.get(from), people.get(to));
        out.get(from).add(to);
    }

    /** Triangles whose third edge leads from the first node to the last, or back, and the sum of the last nodes. */
    private long[] counted(boolean back) {
        long count = 0;
        long sum = 0;
        for (int a = 0; a < PEOPLE; a++) {
            for (int b : out.get(a)) {
                for (int c : out.get(b)) {
                    if (back ? out.get(c).contains(a) : out.get(a).contains(c)) {
                        count++;
                        sum += c;
                    }
                }
            }
        }
        return new long[] {count, sum};
    }

    @Test
    void trianglesAreTheSameByIntersectionAndByEnumeration(@Seed long seed) {
        build(new Random(seed));
        HeapView runs = new HeapView(graph, 1022);
        HeapView none = new HeapView(graph, 1023);
        for (int i = 0; i < TRIANGLES.size(); i++) {
            Plan.Read plan = compile(TRIANGLES.get(i));
            long[] wanted = counted(i > 0);
            List<Value> row = new ArrayList<>(List.of(new Value.Int(wanted[0])));
            if (i == 2) {
                row.add(new Value.Int(wanted[1]));
            }
            assertThat(PlanTrials.run(plan, List.of(), runs))
                    .as(TRIANGLES.get(i))
                    .containsExactly(row);
            assertThat(PlanTrials.run(plan, List.of(), none))
                    .as(TRIANGLES.get(i))
                    .containsExactly(row);
        }
        // The operator of the last hop has followed both.
        List<ExplainRow> explained = new VectorExecutor(1 << 20)
                .explain(compile(TRIANGLES.get(0)), List.of(), runs, PlanTrials.wide(), true);
        assertThat(explained.stream().filter(row -> row.operator().equals("Expand")))
                .extracting(ExplainRow::actualRows)
                .contains(-1L, counted(false)[0]);
    }

    private Plan.Read compile(String body) {
        Request request = GqCompiler.compile("query q() { " + body + " }", null, graph.catalog)
                .request();
        return (Plan.Read) ((Request.Query) request).plan();
    }
}
