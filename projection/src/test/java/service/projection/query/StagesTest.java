package service.projection.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import service.core.error.ErrorDetail;
import service.core.error.ServiceException;
import service.core.gq.CompiledSource.Request;
import service.core.gq.GqCompiler;
import service.core.gq.plan.Plan;
import service.core.port.QueryExecutor.ExplainRow;
import service.core.port.QueryExecutor.Limits;
import service.core.testkit.HeapGraph;
import service.core.testkit.HeapView;
import service.core.value.Value;
import service.projection.TestEngine;

/** Reads of several stages, groups of a window, cycles: the rows, the plans and the limits. */
class StagesTest {
    private final HeapGraph graph = new HeapGraph(QuerySchema.CATALOG);
    private final HeapView view = new HeapView(graph, 3);
    private final VectorExecutor executor = new VectorExecutor(1 << 20);

    @BeforeEach
    void people() {
        String[] names = {"ada", "bob", "cyd", "dan", "eve"};
        for (int i = 0; i < names.length; i++) {
            HeapGraph.Entity person = graph.add(QuerySchema.PERSON, "p" + i);
            person.properties.put(QuerySchema.NAME, new Value.Text(names[i]));
            person.properties.put(QuerySchema.AGE, new Value.Int(20 + 10 * (i % 3)));
            person.properties.put(QuerySchema.CITY, new Value.Text(i < 2 ? "oslo" : "rome"));
        }
        graph.add(QuerySchema.COMPANY, "acme").properties.put(QuerySchema.TITLE, new Value.Text("acme"));
        // A ring of four with a chord back, two parallel edges, and a loop on the last.
        int[][] knows = {{0, 1}, {0, 1}, {1, 2}, {2, 3}, {3, 0}, {1, 0}, {3, 3}};
        for (int i = 0; i < knows.length; i++) {
            graph.addEdge(QuerySchema.KNOWS, "k" + i, person(knows[i][0]), person(knows[i][1]));
        }
        HeapGraph.Entity acme = graph.all(QuerySchema.COMPANY).getFirst();
        graph.addEdge(QuerySchema.WORKS_AT, "w0", person(0), acme);
    }

    private HeapGraph.Entity person(int ordinal) {
        return graph.all(QuerySchema.PERSON).get(ordinal);
    }

    private Plan.Read compile(String body) {
        Request request = GqCompiler.compile("query q() { " + body + " }", null, graph.catalog)
                .request();
        return (Plan.Read) ((Request.Query) request).plan();
    }

    /** The rows as one text each: the values with blanks between them. */
    private List<String> rows(String body) {
        return PlanTrials.run(compile(body), List.of(), view).stream()
                .map(row -> String.join(" ", row.stream().map(StagesTest::shown).toList()))
                .toList();
    }

    private static String shown(Value value) {
        return switch (value) {
            case Value.Text(String text) -> text;
            case Value.Int(long number) -> String.valueOf(number);
            case Value.Null ignored -> "null";
            case Value.ListOf(List<Value> items) ->
                items.stream().map(StagesTest::shown).toList().toString();
            default -> value.toString();
        };
    }

    private List<ExplainRow> explained(String body) {
        return executor.explain(compile(body), List.of(), view, PlanTrials.wide(), false);
    }

    @Test
    void aStageGoesOnFromTheEntitiesOfTheOneBefore() {
        assertThat(rows("match { $a knows $b } with { $b, count(*) as $n } where $n > 1"
                        + " match { $b knows $c } return { $b.name, $n, $c.name } order { $b.name, $c.name }"))
                .containsExactly("ada 2 bob", "dan 2 ada", "dan 2 dan");
        assertThat(rows("match { $a: Person } with { $a.city as $city, collect($a.name) as $names }"
                        + " match { $p: Person $p.name in $names $p.city != $city } return { $p.name }"))
                .isEmpty();
        assertThat(rows("with { 1 + 1 as $two } with { $two * 2 as $four } return { $four }"))
                .containsExactly("4");
        assertThat(rows("match { $a: Person { name: \"eve\" } optional { $a worksAt $c } } with { $a, $c }"
                        + " match { optional { $a knows $b } } return { $a.name, $c.name, count($c), count(*) }"))
                .containsExactly("eve null 0 1");
        assertThat(rows("match { $a: Person $a.age = 20 } with { $a as $x } match { $x worksAt $a }"
                        + " return { $x.name, $a.name }"))
                .containsExactly("ada acme");
    }

    @Test
    void theOrderOfAStageChoosesItsRows() {
        assertThat(rows("match { $a: Person } with { $a.age as $age, $a.city as $city } order { $age desc } limit 2"
                        + " return { $age, $city } order { $age }"))
                .containsExactly("30 oslo", "40 rome");
        assertThat(rows("match { $a: Person } with { $a } order { $a.age } skip 1 limit 2 return { $a.name }"
                        + " order { $a.name }"))
                .containsExactly("bob", "dan");
        // Rows with one entity differ in a value.
        assertThat(rows("match { $a knows $b } with { $a, $b.name as $n } return { $a.name, $n } order { $a.age }"))
                .containsExactly("ada bob", "dan ada", "dan dan", "bob ada", "bob cyd", "cyd dan");
    }

    @Test
    void aWindowKeepsTheFirstRowsOfEachGroup() {
        assertThat(rows("match { $a: Person } return { $a.city, $a.name } order { $a.name desc } limit 1"
                        + " per { $a.city }"))
                .containsExactly("rome eve", "oslo bob");
        assertThat(rows("match { $a: Person } return { $a.city, $a.name } order { $a.name } skip 1 limit 1"
                        + " per { $a.city }"))
                .containsExactly("oslo bob", "rome dan");
        assertThat(rows("match { $a: Person } return { $a.age, $a.city, count(*) as n } order { n desc }"
                        + " limit 1 per { $a.city }"))
                .containsExactly("20 oslo 1", "20 rome 1");
        assertThat(rows("match { $a: Person } with { $a } order { $a.name } limit 1 per { $a.city }"
                        + " return { $a.name } order { $a.name }"))
                .containsExactly("ada", "cyd");
    }

    @Test
    void conditionsOnResultsFilterWhatWasMade() {
        assertThat(rows("match { $a: Person } return { $a.age, count(*) as n } where n > 1 order { $a.age }"))
                .containsExactly("20 2", "30 2");
        assertThat(rows("match { $a: Person } return { $a.age } where count(*) = 1"))
                .containsExactly("40");
        assertThat(rows("match { $a: Person } return distinct { $a.city } where $a.city != \"oslo\""))
                .containsExactly("rome");
        assertThat(rows("match { $a: Person } return { $a.name as n } where n = \"ada\" or n is null"))
                .containsExactly("ada");
    }

    @Test
    void conditionsAfterAListUseIndexes() {
        List<ExplainRow> plan = explained("match { $a: Person } with { $a, $a.name as $n } where $n = \"ada\""
                + " match { $a knows $b } return { $b.name, $n }");
        assertThat(plan.stream().map(ExplainRow::operator))
                .containsExactly("Project", "Expand", "Stage", "Project", "IndexSeek");
        assertThat(plan.get(2).detail()).isEqualTo("$a, $n");
        assertThat(explained("match { $a: Person } return { $a.name } limit 2 per { $a.city }").stream()
                        .map(row -> row.operator() + " " + row.detail()))
                .contains("Limit limit 2 per $a.city");
        assertThat(explained("match { $a: Person } return { $a.city, count(*) as n } where n > 1").stream()
                        .map(row -> row.operator() + " " + row.detail()))
                .contains("Filter count(*) > 1");
    }

    @Test
    void stagesEndWithinTheirLimits() {
        String pairs = "match { $a: Person $b: Person $c: Person $d: Person $e: Person } ";
        String names = "$a.name as $an, $b.name as $bn, $c.name as $cn, $d.name as $dn, $e.name as $en";
        for (String body : List.of(
                pairs + "with { " + names + " } order { $an } limit 99999 return { count(*) }",
                pairs + "with distinct { " + names + " } return { count(*) }",
                pairs + "with { " + names + ", collect($a.name) as $all } return { count(*) }",
                pairs + "return { 1 as one } limit 1 per { $a.name, $b.name, $c.name, $d.name, $e.name }")) {
            assertLimit(body, limits(1L << 40, 300_000), "memory_bytes");
        }
        assertLimit("match { $a: Person $a <knows>{1,*} $b } return { count(*) }", limits(9, 1 << 30), "work_limit");
    }

    private static Limits limits(long work, long bytes) {
        long hour = 3_600_000_000_000L;
        return new Limits(0, System.nanoTime() + hour, 1000, work, 1 << 30, TestEngine.budget(bytes, () -> false));
    }

    private void assertLimit(String body, Limits limits, String resource) {
        assertThatThrownBy(() -> executor.read(compile(body), List.of(), view, limits, (v, c, n, kept) -> {}))
                .as(body)
                .isInstanceOfSatisfying(
                        ServiceException.class,
                        e -> assertThat(((ErrorDetail.ResourceLimit) e.detail()).resource())
                                .isEqualTo(resource));
    }

    @Test
    void aCycleAlongUndirectedEdgesWalksNoEdgeTwice() {
        String cyd = "match { $a: Person { name: \"cyd\" } $a <knows>";
        // Ada and Bob are joined by three edges, Cyd and her neighbours by one each.
        assertThat(rows("match { $a: Person { name: \"ada\" } $a <knows>{2,2} $a } return { $a.name }"))
                .containsExactly("ada");
        assertThat(rows(cyd + "{1,3} $a } return { $a.name }")).isEmpty();
        assertThat(rows(cyd + "{4,4} $a } return { $a.name }")).containsExactly("cyd");
        assertThat(rows(cyd + "{1,*} $b $b.name = \"cyd\" } return { $b.name }"))
                .containsExactly("cyd");
        assertThat(rows("match { $a: Person { name: \"eve\" } $a <knows>{1,*} $b } return { $b.name }"))
                .isEmpty();
    }

    @Test
    void countOfRowsCountsRowsWithNulls() {
        assertThat(rows("match { $a: Person optional { $a worksAt $c } } return { count(*), count($c) }"))
                .containsExactly("5 1");
        assertThat(explained("match { $a: Person } return { count(*) as n }")
                        .getLast()
                        .detail())
                .isEqualTo("count of Person (known)");
    }
}
