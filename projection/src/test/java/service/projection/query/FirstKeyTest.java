package service.projection.query;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import service.core.gq.CompiledSource.Request;
import service.core.gq.GqCompiler;
import service.core.gq.plan.Plan;
import service.core.port.QueryExecutor;
import service.core.testkit.HeapGraph;
import service.core.testkit.HeapView;
import service.core.testkit.Seed;
import service.core.value.Value;
import service.projection.TestEngine;

/** The first rows by a number and a text, of several batches, with nulls and equal keys: compared with a plain sort. */
class FirstKeyTest {
    private static final int PEOPLE = 3_000;

    /** @param age {@code Long.MIN_VALUE} for null, which is the first in ascending order */
    private record Person(int number, long age, String city) {}

    @ParameterizedTest
    @CsvSource({"1, 5000, false", "20, 5000, true", "20, 30, false", "50, 3, true", "1024, 5000, true"})
    void rowsAreThoseOfASort(int limit, int ages, boolean descending, @Seed long seed) {
        Random random = new Random(seed);
        HeapGraph graph = new HeapGraph(QuerySchema.CATALOG);
        List<Person> people = new ArrayList<>();
        for (int i = 0; i < PEOPLE; i++) {
            // Negative and positive ones; one of ten is null.
            long age = random.nextInt(10) == 0 ? Long.MIN_VALUE : random.nextInt(ages) - ages / 2;
            String city = "c" + random.nextInt(20);
            HeapGraph.Entity person = graph.add(QuerySchema.PERSON, "p" + i);
            if (age != Long.MIN_VALUE) {
                person.properties.put(QuerySchema.AGE, new Value.Int(age));
            }
            person.properties.put(QuerySchema.CITY, new Value.Text(city));
            person.properties.put(QuerySchema.NAME, new Value.Text("p" + i));
            people.add(new Person(i, age, city));
        }
        Comparator<Person> byAge = Comparator.comparingLong(Person::age);
        List<List<Value>> wanted = people.stream()
                .sorted((descending ? byAge.reversed() : byAge)
                        .thenComparing(Person::city)
                        .thenComparing(person -> "p" + person.number()))
                .limit(limit)
                .map(person -> List.<Value>of(new Value.Text("p" + person.number())))
                .toList();
        String query = "query q() { match { $p: Person } return { $p.name } order { $p.age"
                + (descending ? " desc" : "")
                + ", $p.city } limit "
                + limit
                + " }";
        Request request = GqCompiler.compile(query, null, graph.catalog).request();
        Plan.Read plan = (Plan.Read) ((Request.Query) request).plan();
        assertThat(PlanTrials.run(plan, List.of(), new HeapView(graph, 3))).isEqualTo(wanted);
    }

    /** The same queries with a key that no index has are the model. */
    @Test
    void anIndexInTheOrderOfTheKeyGivesTheFirstRows(@Seed long seed) {
        Random random = new Random(seed);
        HeapGraph graph = new HeapGraph(QuerySchema.CATALOG);
        for (int i = 0; i < 4_200; i++) {
            HeapGraph.Entity person = graph.add(QuerySchema.PERSON, "p" + i);
            person.properties.put(QuerySchema.NAME, new Value.Text("p" + i));
            person.properties.put(QuerySchema.CITY, new Value.Text(random.nextBoolean() ? "rome" : "oslo"));
            if (random.nextInt(10) > 0) {
                long gap = random.nextInt(10) == 0 ? 1L << 40 : 0;
                person.properties.put(QuerySchema.SEEN, new Value.DateTime(gap + random.nextInt(3_000)));
            }
        }
        for (String query : List.of(
                "match { $p: Person } return { $p.name } order { KEY desc } limit 5",
                "match { $p: Person $p.city = \"rome\" } return { $p.name } order { KEY desc, $p.name } skip 2 limit 7",
                "match { $p: Person KEY is not null } return { $p.name, $p.seen } order { KEY } limit 5",
                "match { $p: Person KEY < datetime(\"1970-01-01T00:00:01Z\") } return { $p.name } order { KEY } limit 90",
                "match { $p: Person $p.city = \"bonn\" } return { $p.name } order { KEY desc } limit 5",
                "match { $p: Person KEY is null } return { $p.name } order { KEY desc } limit 5")) {
            Plan.Read plan = compile(query.replace("KEY", "$p.seen"), graph);
            List<List<Value>> wanted = PlanTrials.run(
                    compile(query.replace("{ KEY", "{ coalesce(KEY, KEY)").replace("KEY", "$p.seen"), graph),
                    List.of(),
                    new HeapView(graph, 3));
            assertThat(PlanTrials.run(plan, List.of(), new HeapView(graph, 3)))
                    .as(query)
                    .isEqualTo(wanted);
        }
        assertThat(operatorsOfFewRows("match { $p: Person } return { $p.name } order { $p.seen desc } limit 5", graph))
                .contains("IndexRange $p: Person by seen desc");
    }

    /** The same queries with a key that the planner does not know as the id are the model. */
    @Test
    void idsInTheirOrderGiveTheFirstRows(@Seed long seed) {
        Random random = new Random(seed);
        HeapGraph graph = new HeapGraph(QuerySchema.CATALOG);
        for (int i = 0; i < 4_200; i++) {
            HeapGraph.Entity person = graph.add(QuerySchema.PERSON, "p" + i);
            person.properties.put(QuerySchema.NAME, new Value.Text("p" + i));
            person.properties.put(QuerySchema.CITY, new Value.Text(random.nextBoolean() ? "rome" : "oslo"));
        }
        for (String query : List.of(
                "match { $p: Person } return { $p.name } order { KEY } limit 5",
                "match { $p: Person KEY > \"p2\" } return { $p.name } order { KEY } skip 2 limit 50",
                "match { $p: Person KEY >= \"p2\" KEY < \"p2000\" } return { $p.name } order { KEY } limit 50",
                "match { $p: Person KEY >= \"p2\" KEY <= \"p2003\" } return { count($p) as n }",
                "match { $p: Person KEY > \"p1\" KEY < \"p9\" } return { count($p) as n }",
                "match { $p: Person KEY > \"p7\" $p.city = \"rome\" } return { $p.name } order { KEY } limit 9",
                "match { $p: Person $p.city = \"bonn\" } return { $p.name } order { KEY } limit 5")) {
            Plan.Read plan = compile(query.replace("KEY", "$p.@id"), graph);
            List<List<Value>> wanted = PlanTrials.run(
                    compile(query.replace("KEY", "coalesce($p.@id, $p.@id)"), graph),
                    List.of(),
                    new HeapView(graph, 3));
            assertThat(PlanTrials.run(plan, List.of(), new HeapView(graph, 3)))
                    .as(query)
                    .isEqualTo(wanted);
        }
        assertThat(operatorsOfFewRows(
                        "match { $p: Person $p.@id > \"p3\" } return { $p.name } order { $p.@id } limit 5", graph))
                .contains("IdRange $p: Person @id > \"p3\" by @id");
        assertThat(operatorsOfFewRows(
                        "match { $p: Person $p.@id >= \"p3\" $p.@id < \"p30\" } return { $p.name }", graph))
                .contains("IdRange $p: Person @id >= \"p3\" and @id < \"p30\"");
    }

    /** The operators of a query that runs although it may examine fewer entities than the type has. */
    private static List<String> operatorsOfFewRows(String body, HeapGraph graph) {
        Plan.Read plan = compile(body, graph);
        QueryExecutor.Limits few = new QueryExecutor.Limits(
                0, System.nanoTime() + (1L << 40), 1000, 2_000, 1 << 30, TestEngine.budget(1 << 30, () -> false));
        VectorExecutor executor = new VectorExecutor(1 << 20);
        executor.read(plan, List.of(), new HeapView(graph, 3), few, (v, columns, n, kept) -> {});
        return executor.explain(plan, List.of(), new HeapView(graph, 3), few, false).stream()
                .map(row -> row.operator() + " " + row.detail())
                .toList();
    }

    private static Plan.Read compile(String body, HeapGraph graph) {
        Request request = GqCompiler.compile("query q() { " + body + " }", null, graph.catalog)
                .request();
        return (Plan.Read) ((Request.Query) request).plan();
    }
}
