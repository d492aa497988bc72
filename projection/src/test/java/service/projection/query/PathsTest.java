package service.projection.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import service.core.budget.RequestBudget;
import service.core.error.ErrorCode;
import service.core.error.ErrorDetail;
import service.core.error.ServiceException;
import service.core.gq.CompiledSource.Request;
import service.core.gq.GqCompiler;
import service.core.gq.plan.Plan;
import service.core.port.QueryExecutor.ExplainRow;
import service.core.port.QueryExecutor.Limits;
import service.core.testkit.HeapGraph;
import service.core.testkit.HeapView;
import service.core.testkit.Seed;
import service.core.value.Value;
import service.projection.TestEngine;

/** Paths: what ends a search that would take too much, and what is not enumerated. */
class PathsTest {
    private final HeapGraph graph = new HeapGraph(QuerySchema.CATALOG);
    private final HeapView view = new HeapView(graph, 3);
    private final VectorExecutor executor = new VectorExecutor(1 << 20);

    private HeapGraph.Entity person(int number) {
        HeapGraph.Entity person = graph.add(QuerySchema.PERSON, "p" + number);
        person.properties.put(QuerySchema.NAME, new Value.Text("n" + number));
        return person;
    }

    private HeapGraph.Entity knows(HeapGraph.Entity from, HeapGraph.Entity to, long since) {
        HeapGraph.Entity edge = graph.addEdge(
                QuerySchema.KNOWS, "k" + graph.all(QuerySchema.KNOWS).size(), from, to);
        edge.properties.put(QuerySchema.SINCE, new Value.Int(since));
        return edge;
    }

    /** Every two of the nodes know each other. */
    private void complete(int nodes) {
        for (int i = 0; i < nodes; i++) {
            person(i);
        }
        for (HeapGraph.Entity from : graph.all(QuerySchema.PERSON)) {
            for (HeapGraph.Entity to : graph.all(QuerySchema.PERSON)) {
                if (from != to) {
                    knows(from, to, 1);
                }
            }
        }
    }

    /** Edges lead right and down. */
    private void grid(int width) {
        for (int i = 0; i < width * width; i++) {
            person(i);
        }
        List<HeapGraph.Entity> all = graph.all(QuerySchema.PERSON);
        for (int i = 0; i < width * width; i++) {
            if (i % width < width - 1) {
                knows(all.get(i), all.get(i + 1), 1);
            }
            if (i / width < width - 1) {
                knows(all.get(i), all.get(i + width), 1);
            }
        }
    }

    private Plan.Read compile(String body) {
        Request request = GqCompiler.compile("query q() { " + body + " }", null, graph.catalog)
                .request();
        return (Plan.Read) ((Request.Query) request).plan();
    }

    private List<List<Value>> rows(String body) {
        return PlanTrials.run(compile(body), List.of(), view);
    }

    private void isTooMuch(String body, long work, long memory, String resource, String traversal) {
        RequestBudget budget = TestEngine.budget(memory, () -> false);
        Limits limits = new Limits(0, System.nanoTime() + 60_000_000_000L, 60_000, work, 1 << 30, budget);
        assertThatThrownBy(() -> executor.read(compile(body), List.of(), view, limits, (v, c, n, kept) -> {}))
                .isInstanceOfSatisfying(ServiceException.class, e -> {
                    assertThat(e.code()).isEqualTo(ErrorCode.RESOURCE_LIMIT);
                    assertThat(e.getMessage()).startsWith("the traversal `" + traversal + "`: the query");
                    assertThat(((ErrorDetail.ResourceLimit) e.detail()).resource())
                            .isEqualTo(resource);
                });
        assertThat(budget.memory().used()).isZero();
    }

    @Test
    void trailsOfACompleteGraphEndWithTheLimitThatNamesThem() {
        complete(14);
        isTooMuch(
                "match { $a: Person $a trail knows{1,12} $b } return { count(*) }",
                100_000,
                64 << 20,
                "work_limit",
                "$a trail knows{1,12} $b");
        isTooMuch(
                "match { $a: Person $a $p:acyclic knows{1,12} $b } return { $p } order { length($p) }",
                1L << 40,
                2 << 20,
                "memory_bytes",
                "$a $p:acyclic knows{1,12} $b");
    }

    @Test
    void allShortestPathsAreCountedWithoutMakingThem() {
        grid(11);
        String ends = "match { $a: Person { name: \"n0\" } $b: Person { name: \"n120\" } ";
        assertThat(rows(ends + "$a $p:all shortest knows{1,*} $b } return { length($p) as l, count(*) as n }"))
                .containsExactly(List.of(new Value.Int(20), new Value.Int(184_756)));
        assertThat(rows(ends + "exists { $a all shortest knows{1,64} $b } } return { $a.name }"))
                .hasSize(1);
    }

    @Test
    void anExistsBlockStopsAtTheFirstNode() {
        grid(40);
        Plan.Read plan = compile("match { $a: Person { name: \"n0\" } } with { $a } limit 1"
                + " match { exists { $a knows{1,*} $_ } } return { count(*) }");
        // The search of all would read more than three thousand edges.
        executor.read(plan, List.of(), view, PlanTrials.wide().withWork(1_640), (v, columns, size, kept) -> {});
    }

    @ParameterizedTest
    @ValueSource(strings = {"knows{1,2", "knows{0,12", "<knows>{1,*", "<knows>{1,3"})
    void theFirstPathsByCostAreThoseOfAllPaths(String edges, @Seed long seed) {
        Random random = new Random(seed);
        int people = 40;
        List<HeapGraph.Entity> all =
                IntStream.range(0, people).mapToObj(this::person).toList();
        for (int i = 0; i < 3 * people; i++) {
            knows(all.get(random.nextInt(people)), all.get(random.nextInt(people)), random.nextInt(8));
        }
        for (String ends : List.of("$a: Person ", "$a: Person $b: Person $b.name < \"n2\" ")) {
            String query = "match { " + ends + "$a $p:cheapest " + edges + " | $x $e $y by $e.since} $b }"
                    + " return { $a.name as a, $b.name as b, cost($p) as c } order { c, a, b }";
            List<List<Value>> rows = rows(query);
            for (int limit : new int[] {1, 9, 100}) {
                assertThat(rows(query + " limit " + limit)).isEqualTo(rows.subList(0, Math.min(limit, rows.size())));
            }
        }
    }

    /** Lengths alone come from a search that makes no path. */
    @ParameterizedTest
    @ValueSource(strings = {"knows{1,*", "knows{0,3", "<knows>{1,*", "<knows>{1,3", "<knows>{0,*"})
    void lengthsBetweenTwoEndsAreThoseOfThePaths(String edges, @Seed long seed) {
        Random random = new Random(seed);
        int people = 20;
        List<HeapGraph.Entity> all =
                IntStream.range(0, people).mapToObj(this::person).toList();
        for (int i = 0; i < people + 5; i++) {
            knows(all.get(random.nextInt(people)), all.get(random.nextInt(people)), 1);
        }
        String query = "match { $a: Person $b: Person optional { $a $p:shortest " + edges + "} $b } }"
                + " return { $a.name as a, $b.name as b, length($p) as l%s } order { a, b }";
        List<List<Value>> lengths = rows(query.formatted(""));
        assertThat(lengths).hasSize(people * people);
        assertThat(lengths)
                .isEqualTo(rows(query.formatted(", $p as p")).stream()
                        .map(row -> row.subList(0, 3))
                        .toList());
    }

    @Test
    void searchesEndWhereTheFirstPathsByCostAreKnown() {
        grid(40);
        Plan.Read plan = compile("match { $a: Person $a $p:cheapest knows{1,* | $x $e $y by $e.since} $b }"
                + " return { $a.name as a, $b.name as b } order { cost($p), a, b } limit 3");
        // The searches of all would read more than a million edges.
        executor.read(plan, List.of(), view, PlanTrials.wide().withWork(40_000), (v, columns, size, kept) -> {});
    }

    @Test
    void ofShortestPathsOnlyTheStepsOfResultsArePriced() {
        complete(30);
        String all = "match { $a: Person { name: \"n0\" } $b: Person { name: \"n1\" } $a $p:all shortest"
                + " knows{1,* | $x $e $y by 0.5 * count { $y knows $_ }} $b } return { cost($p) }";
        // The nodes around both ends have 1,700 neighbours.
        executor.read(compile(all), List.of(), view, PlanTrials.wide().withWork(300), (v, columns, size, kept) -> {});
        assertThat(rows(all)).containsExactly(List.of(new Value.Real(14.5)));
        assertThat(rows(all.replace("all shortest", "cheapest"))).containsExactly(List.of(new Value.Real(14.5)));
    }

    @Test
    void tooManyShortestPathsAreRefusedBeforeTheyAreCountedOut() {
        grid(40);
        isTooMuch(
                "match { $a: Person { name: \"n0\" } $b: Person { name: \"n1599\" } $a all shortest knows{1,*} $b }"
                        + " return { count(*) }",
                1_000_000,
                64 << 20,
                "work_limit",
                "$a all shortest knows{1,*} $b");
    }

    @Test
    void aSearchOfEverythingStaysInItsMemory() {
        grid(60);
        isTooMuch(
                "match { $a: Person { name: \"n0\" } $a $p:cheapest knows{1,* | $x $e $y by $e.since} $b }"
                        + " return { cost($p) }",
                1L << 40,
                200 << 10,
                "memory_bytes",
                "$a $p:cheapest knows{1,* | $x $e $y by $e.since} $b");
    }

    @Test
    void aNegativeCostNamesTheEdge() {
        knows(person(0), person(1), -2);
        assertThatThrownBy(() ->
                        rows("match { $a $p:cheapest knows{1,3 | $x $e $y by $e.since} $b }" + " return { cost($p) }"))
                .hasMessageContaining("R4")
                .hasMessageContaining("the cost of `Knows` \"k0\" is -2.0");
    }

    @Test
    void explainNamesTheSearches() {
        String ends = "match { $a: Person { name: \"n0\" } $b: Person { name: \"n1\" } ";
        assertThat(executor
                        .explain(
                                compile(ends + "$a $p:shortest knows{1,*} $b $a trail knows{1,3} $b"
                                        + " $a $q:cheapest knows{1,9 | $x $e $y where $e.since > 1 by $e.since} $b }"
                                        + " return { $p, cost($q) }"),
                                List.of(),
                                view,
                                PlanTrials.wide(),
                                false)
                        .stream()
                        .map(ExplainRow::operator))
                .contains("ShortestPath", "AllPaths", "CheapestPath");
    }

    /** More than the searches from all rows of a batch may find together, so that each has to run alone. */
    @Test
    void searchesThatFindMuchGiveTheSameAsThoseThatRunTogether() {
        int targets = 2_000;
        List<HeapGraph.Entity> far =
                IntStream.range(0, targets).mapToObj(this::person).toList();
        for (int source = 0; source < 10; source++) {
            HeapGraph.Entity near = person(targets + source);
            HeapGraph.Entity loop = source == 0 ? near : far.get(source);
            knows(near, loop, 1);
            far.forEach(to -> knows(near, to, 1));
        }
        assertThat(rows("match { $a: Person $a knows{1,2} $b } return { count($b) as n }"))
                .isEqualTo(List.of(List.of(new Value.Int(10L * targets + 1))));
        assertThat(rows("match { $a: Person { name: \"n2003\" } $a knows{1,2} $b } return { count($b) as n }"))
                .isEqualTo(List.of(List.of(new Value.Int(targets))));
    }

    @Test
    void aTestOfWhatIsCountedIsTheCount(@Seed long seed) {
        Random random = new Random(seed);
        List<HeapGraph.Entity> all =
                IntStream.range(0, 12).mapToObj(this::person).toList();
        for (int i = 0; i < 60; i++) {
            knows(all.get(random.nextInt(12)), all.get(random.nextInt(12)), random.nextInt(8));
        }
        String ways = "match { $a: Person $a $p:cheapest knows{1,4 | $x $e $y where exists { $x $k:knows $m"
                + " $m knows $y $k.since > 2 } or $e.since = 7 by 9 - SECOND } $b }"
                + " return { $a.name as a, $b.name as b, cost($p) as c } order { a, b }";
        String same = "count { $x $l:knows $n $n knows $y $l.since > 2 }";
        String other = "count { $x $l:knows $n $n knows $y $l.since >= 3 }";
        assertThat(rows(ways.replace("SECOND", same))).isEqualTo(rows(ways.replace("SECOND", other)));
        assertThat(tests(ways.replace("SECOND", same))).isZero();
        assertThat(tests(ways.replace("SECOND", other))).isPositive();
    }

    private long tests(String query) {
        return executor.explain(compile(query), List.of(), view, PlanTrials.wide(), false).stream()
                .filter(row ->
                        row.operator().equals("BlockValue") && row.detail().startsWith("exists"))
                .count();
    }

    @Test
    void aBlockBetweenTwoVariablesRunsOnceForEachOfTheFirst() {
        complete(40);
        String between = "match { $a: Person $a knows $b } "
                + "return { $a.name as a, sum(count { $a knows $m $m knows $b }) as ways } order { a } limit 1";
        assertThat(executor.explain(compile(between), List.of(), view, PlanTrials.wide(), false))
                .extracting(ExplainRow::operator)
                .contains("SharedJoin");
        assertThat(rows(between)).isEqualTo(List.of(List.of(new Value.Text("n0"), new Value.Int(39 * 38))));
    }
}
