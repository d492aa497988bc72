package service.projection.query;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import service.core.gq.CompiledSource.Request;
import service.core.gq.GqCompiler;
import service.core.gq.plan.Plan;
import service.core.port.QueryExecutor.ExplainRow;
import service.core.testkit.HeapGraph;
import service.core.testkit.HeapView;
import service.core.value.Value;

/** Figures of what is in memory lead to better plans, also for queries with a cached plan, and to the same rows. */
class ResidentEstimatesTest {
    private static final int PEOPLE = 60;

    private final HeapGraph graph = new HeapGraph(QuerySchema.CATALOG);
    private final HeapView view = new HeapView(graph, 1023);
    private final VectorExecutor executor = new VectorExecutor(1 << 20);

    @BeforeEach
    void people() {
        for (int i = 0; i < PEOPLE; i++) {
            HeapGraph.Entity person = graph.add(QuerySchema.PERSON, "p" + i);
            person.properties.put(QuerySchema.SCORE, new Value.Real(i % 2));
            person.properties.put(QuerySchema.RATIO, new Value.Real(i));
        }
        List<HeapGraph.Entity> people = graph.all(QuerySchema.PERSON);
        for (int i = 0; i < 4 * PEOPLE; i++) {
            graph.addEdge(QuerySchema.KNOWS, "k" + i, people.get(i % PEOPLE), people.get(i * 7 % PEOPLE));
        }
    }

    private Plan.Read compile(String body) {
        Request request = GqCompiler.compile("query q() { " + body + " }", null, graph.catalog)
                .request();
        return (Plan.Read) ((Request.Query) request).plan();
    }

    private List<ExplainRow> explain(Plan.Read plan, HeapView of) {
        return executor.explain(plan, List.of(), of, PlanTrials.wide(), false);
    }

    @Test
    void aHopBeginsAtTheEndWhoseConditionKeepsFewerNodes() {
        Plan.Read plan =
                compile("match { $a: Person $a knows $b $a.score = 1.0 $b.ratio = 7.0 } return { count($a) as n }");
        List<List<Value>> rows = PlanTrials.run(plan, List.of(), view);
        view.distinctValues.put(QuerySchema.SCORE, 2L);
        view.distinctValues.put(QuerySchema.RATIO, (long) PEOPLE);
        assertThat(explain(plan, view).getLast().detail()).contains("$b");
        assertThat(PlanTrials.run(plan, List.of(), view)).isEqualTo(rows);
        // The same query gets another plan when the figures change.
        view.distinctValues.put(QuerySchema.SCORE, (long) PEOPLE);
        view.distinctValues.put(QuerySchema.RATIO, 2L);
        assertThat(explain(plan, view).getLast().detail()).contains("$a");
        assertThat(PlanTrials.run(plan, List.of(), view)).isEqualTo(rows);
    }

    @Test
    void aTriangleNeedsNoHashTableWhenNeighboursAreInMemory() {
        Plan.Read plan = compile("match { $a: Person $a knows $b $b knows $c $a knows $c } return { count($c) as n }");
        HeapView runs = new HeapView(graph, 1022);
        assertThat(explain(plan, view)).extracting(ExplainRow::operator).contains("HashJoin");
        assertThat(explain(plan, runs)).extracting(ExplainRow::operator).doesNotContain("HashJoin");
        assertThat(PlanTrials.run(plan, List.of(), runs)).isEqualTo(PlanTrials.run(plan, List.of(), view));
    }
}
