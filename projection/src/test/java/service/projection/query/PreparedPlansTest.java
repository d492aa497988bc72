package service.projection.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import service.core.gq.CompiledSource.Request;
import service.core.gq.GqCompiler;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Plan;
import service.core.testkit.HeapGraph;
import service.core.testkit.HeapView;
import service.core.value.Value;
import service.projection.query.plan.Choices;
import service.projection.query.plan.Node;
import service.projection.query.plan.PlanShape;
import service.projection.query.plan.ReadPlanner;

/** Tests when a plan is reused and when it is made again. */
class PreparedPlansTest {
    private static final int BYTES_MAX = 10_000_000;

    private final HeapGraph graph = new HeapGraph(QuerySchema.CATALOG);
    private final HeapView view = new HeapView(graph, 100);
    private final PreparedPlans prepared = new PreparedPlans(BYTES_MAX);
    private int planned;

    private Plan.Read compile(String source) {
        Request request = GqCompiler.compile(source, null, graph.catalog).request();
        return (Plan.Read) ((Request.Query) request).plan();
    }

    private Node plan(Plan.Read plan, Value... arguments) {
        return prepared.plan(plan, view, List.of(arguments), () -> {}, statistics -> {
            planned++;
            return new ReadPlanner(statistics, plan, Choices.CHEAPEST).plan();
        });
    }

    private void people(int count, String name) {
        for (int i = 0; i < count; i++) {
            int number = graph.all(QuerySchema.PERSON).size();
            graph.add(QuerySchema.PERSON, "p" + number).properties.put(QuerySchema.NAME, new Value.Text(name));
        }
    }

    @Test
    void aLookUpByIdIsPlannedOnceHoweverTheGraphChanges() {
        Plan.Read byId = compile("query q($id: String) { match { $p: Person $p.@id = $id } return { $p.age } }");
        Node first = plan(byId, new Value.Text("p1"));
        people(500, "ann");
        assertThat(plan(byId, new Value.Text("p2"))).isSameAs(first);
        assertThat(planned).isEqualTo(1);
    }

    @Test
    void aPlanStaysUntilACountMovesByADigit() {
        people(1000, "ann");
        Plan.Read named = compile("query q($n: String) { match { $p: Person { name: $n } } return { $p.age } }");
        Node first = plan(named, new Value.Text("ann"));
        people(20, "bob");
        assertThat(plan(named, new Value.Text("bob"))).isSameAs(first);
        people(500, "bob");
        assertThat(plan(named, new Value.Text("bob"))).isNotSameAs(first);
        assertThat(planned).isEqualTo(2);
    }

    @Test
    void anArgumentThatMatchesManyRowsGetsAnotherPlan() {
        people(2000, "many");
        people(1, "few");
        for (int i = 0; i < 50; i++) {
            HeapGraph.Entity company = graph.add(QuerySchema.COMPANY, "c" + i);
            company.properties.put(QuerySchema.SIZE, new Value.Int(i));
            graph.addEdge(
                    QuerySchema.WORKS_AT, "w" + i, graph.all(QuerySchema.PERSON).get(i), company);
        }
        Plan.Read query = compile("query q($n: String) { match { $p: Person { name: $n } $p worksAt $c"
                + " $c: Company $c.size < 3 } return { $c.size } }");
        Node few = plan(query, new Value.Text("few"));
        Node many = plan(query, new Value.Text("many"));
        assertThat(start(few)).isInstanceOf(Node.Index.class);
        assertThat(start(many)).isInstanceOf(Node.Scan.class);
        assertThat(plan(query, new Value.Text("few"))).isSameAs(few);
        assertThat(plan(query, new Value.Text("many"))).isSameAs(many);
        assertThat(planned).isEqualTo(2);
    }

    private static Node start(Node node) {
        List<Node> inputs = PlanShape.children(node);
        return inputs.isEmpty() ? node : start(inputs.getFirst());
    }

    @Test
    void equalStatisticsGiveEqualPlans() {
        people(300, "ann");
        String source = "query q($n: String) { match { $p: Person { name: $n } $p knows $q"
                + " exists { $q worksAt $c $c.size > 1 } } return { $q.name } }";
        Node once = plan(compile(source), new Value.Text("ann"));
        assertThat(plan(compile(source), new Value.Text("ann"))).isEqualTo(once);
        assertThat(planned).isEqualTo(2);
    }

    /** Predicates of every kind of expression. */
    @Test
    void plansAreCollectedWithTheirQueries() {
        people(10, "ann");
        List<Object> compiled = new ArrayList<>();
        VectorExecutor executor = new VectorExecutor(prepared);
        for (String predicate : List.of(
                "age > 1",
                "age > 1 and name = \"ann\"",
                "age > 1 or active",
                "not active",
                "active",
                "true",
                "$yes",
                "name contains \"n\"",
                "age in [1, 2]",
                "age is null")) {
            Expression selected = predicate(predicate);
            executor.select(QuerySchema.PERSON, selected, List.of(new Value.Bool(true)), view, PlanTrials.wide());
            compiled.add(selected);
        }
        Plan.Read read = compile("query q() { match { $p: Person } return { $p.name, $p.age } order { $p.age } }");
        executor.read(read, List.of(), view, PlanTrials.wide(), (v, columns, size, kept) -> {});
        compiled.add(read);
        assertThat(prepared.queries()).isEqualTo(compiled.size());
        compiled.clear();
        read = null;
        await().untilAsserted(() -> {
            System.gc();
            assertThat(prepared.queries()).isZero();
        });
    }

    private Expression predicate(String text) {
        Request request = GqCompiler.compile(
                        "query q($yes: Bool) { delete Person where " + text + " }", null, graph.catalog)
                .request();
        Plan.Mutation mutation = (Plan.Mutation) ((Request.Query) request).plan();
        return ((Plan.Statement.Delete) mutation.statements().getFirst()).predicate();
    }

    @Test
    void plansAreBoundedByTheirSizeTogether() {
        int deep = 1_000;
        int fits = BYTES_MAX / PreparedPlans.OPERATOR_BYTES / (deep + 1);
        List<Object> queries = new ArrayList<>();
        for (int i = 0; i < 2 * fits; i++) {
            Object query = new Object();
            queries.add(query);
            prepared.plan(query, view, List.of(), () -> {}, statistics -> filters(deep));
        }
        assertThat(prepared.queries()).isBetween(1L, (long) fits);
        assertThat(queries).hasSize(2 * fits);
    }

    private static Node filters(int count) {
        Node plan = new Node.Unit();
        for (int i = 0; i < count; i++) {
            plan = new Node.Filter(plan, List.of(), false, 1);
        }
        return plan;
    }
}
