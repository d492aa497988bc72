package service.projection.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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
            case Value.Bool(boolean is) -> String.valueOf(is);
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
    void anEdgeOfTheStageBeforeFindsNodes() {
        String edges = "match { $a $w:knows $b } with { $w } match { $p: Person $w.@dst = $p.@id";
        assertThat(rows(edges + " } return { $p.name, count(*) } order { $p.name }"))
                .containsExactly("ada 2", "bob 2", "cyd 1", "dan 2");
        assertThat(rows(edges + " $p worksAt $c } return { $w.@src, $c.name } order { $w.@src }"))
                .containsExactly("p1 acme", "p3 acme");
    }

    /** What a `for` depends on is matched before it, but no clause without the variables that it uses. */
    @Test
    void aMatchIsDividedWhereNoClauseMissesAVariable() {
        assertThat(rows("match { $a: Person optional { $a worksAt $c }"
                        + " optional { $a knows $b count { $d: Company $d.name = $c.name } > 0 }"
                        + " for $x in [$b.name] } return { $a.name, $x } order { $x desc, $a.name } limit 2"))
                .containsExactly("ada bob", "bob null");
        String ada = "match { $a: Person { name: \"ada\" } for $g in [$a.age + 10, 99] ";
        assertThat(rows(ada + "$b: Person { age: $g } exists { $a knows $b } } return { $b.name }"))
                .containsExactly("bob");
        assertThat(rows(ada + "$b: Person { age: $g } optional { $b worksAt $c } } return { $b.name, $c.name }"
                        + " order { $b.name } limit 1"))
                .containsExactly("bob null");
        assertThat(rows(ada + "optional { $a knows $b $b.age = $g } $b.age > $a.age } return { $b.name, $g }"))
                .containsExactly("bob 30");
        assertThat(rows(ada + "optional { $a knows $b $b.age = $g } optional { $b knows $c $c.name = \"ada\" } }"
                        + " return { $b.name, $c.name, $g } order { $g }"))
                .containsExactly("bob ada 30", "null null 99");
        assertThat(rows(ada + "optional { $a knows $b $b.age = $g } not { $b knows $c } } return { $b.name, $g }"))
                .containsExactly("null 99");
    }

    @Test
    void aBlockIsDividedByLetAndFor() {
        assertThat(rows("match { $a: Person exists { $a knows $b let $n = $b.age + 10 $n > $a.age + 10 } }"
                        + " return { $a.name } order { $a.name }"))
                .containsExactly("ada", "bob");
        assertThat(rows("match { $a: Person } return { $a.name, count { for $i in range(1, $a.age / 10) $i > 1 } as n }"
                        + " order { $a.name }"))
                .containsExactly("ada 1", "bob 2", "cyd 3", "dan 1", "eve 2");
        assertThat(rows("match { $p: Person } with { collect($p) as $all } match { $a: Person { name: \"bob\" } }"
                        + " return { collect($e.name) { for $e in $all $a knows $e $e worksAt $c } as names }"))
                .containsExactly("[ada]");
        assertThat(rows("match { $a: Person { name: \"ada\" } sum($k) { $a knows $b for $i in [1, 2]"
                        + " let $k = $i * $b.age } = 90 } return { $a.name }"))
                .containsExactly("ada");
        assertThat(rows("match { $a knows{1,3 | $x $_ $y where exists { let $n = $y.age $n > $x.age }} $b }"
                        + " return { $a.name, $b.name } order { $a.name, $b.name }"))
                .containsExactly("ada bob", "ada cyd", "bob cyd");
    }

    @Test
    void anOptionalBlockIsDividedByLetAndFor() {
        assertThat(rows("match { $a: Person optional { $a knows $b let $n = $b.age * 2 $n > 70 } }"
                        + " return { $a.name, $b.name, $n } order { $a.name }"))
                .containsExactly("ada null null", "bob cyd 80", "cyd null null", "dan null null", "eve null null");
        assertThat(rows("match { optional { for $i in [1, 2, 3] $i > $least } let $least = 1 } return { $i }"))
                .containsExactlyInAnyOrder("2", "3");
        assertThat(rows("match { $a: Person { name: \"ada\" } optional { $a worksAt $c optional { for $x in [$c.name]"
                        + " $x != \"acme\" } } } return { $c.name, $x }"))
                .containsExactly("acme null");
        assertThat(rows(
                        "match { $a: Person $a.age = $n optional { $a knows $b optional { $b knows $c let $n = $c.age } }"
                                + " } return { $a.name, $b.name, $c.name } order { $a.name, $b.name, $c.name }"))
                .containsExactly("ada bob ada", "bob ada bob", "dan dan ada", "dan dan dan");
    }

    /** More traversals than are planned exactly: a part that starts at the nodes found does not find the first one. */
    @Test
    void aLongPathIsFoundByAValue() {
        assertThat(rows("match { $b: Person $a: Person $a.@id = to_string($b.age)"
                        + " $a knows $c $c knows $d $d knows $e $e knows $f $f knows $g $g knows $h $h knows $i"
                        + " $i knows $j $c.@id = \"p1\" $d.@id = \"p2\" $e.@id = \"p3\" $f.@id = \"p0\" }"
                        + " return { $a.name, $j.name }"))
                .isEmpty();
    }

    /** Nothing tells 0.0 from -0.0, so the answer of a block for one is that for the other. */
    @Test
    void thereIsOneZero() {
        String zeros = "match { $a: Person } with { $a, 0.0 * (25 - $a.age) as $s }";
        assertThat(rows(zeros + " return distinct { to_string($s) }")).containsExactly("0.0");
        assertThat(rows(zeros + " match { exists { $b: Person to_string($s) starts_with \"-\" } } return { $a.name }"))
                .isEmpty();
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

    /** The ids of all that a row holds break ties in the order of their names, of what nothing else reads as well. */
    @Test
    void anEntityThatIsNotReadBreaksTies() {
        String pairs = "match { $a: Person $b: Person $a.age = 40 $b.city = \"oslo\"";
        for (String each : List.of(
                pairs + " for $x in [$b, null] }",
                pairs + " for $b2 in [$b] for $x in [$b2, null] }",
                pairs + " } with { $a, $b } match { for $x in [$b, null] }",
                pairs + " } with { $a, $b } with { $a, $b, $b.name as $n } match { for $x in [$b, null] }")) {
            assertThat(rows(each + " return { $a.name, $x.name } order { $a.city }"))
                    .as(each)
                    .containsExactly("cyd null", "cyd ada", "cyd null", "cyd bob");
            assertThat(rows(each + " return { $a.name, $x.name } order { $a.city } skip 1 limit 2"))
                    .as(each)
                    .containsExactly("cyd ada", "cyd null");
        }
    }

    @Test
    void theRuleOfAWalkReadsARowThatHoldsNeitherEnd() {
        assertThat(rows("match { $a: Person { name: \"ada\" } } with { $a } match { $x: Person"
                        + " $x trail knows{1,1 | $f $w $t where $t.age > $a.age} $y } return { count(distinct $y) }"))
                .containsExactly("2");
    }

    @Test
    void theRuleOfAWalkHoldsBlocks() {
        String from = "match { $a: Person { name: \"ada\" } $a ";
        String later = "$p:trail knows{1,2} $b } with { $p, [$n in nodes($p)[1..] | $n] as $l }";
        for (int least = 0; least < 4; least++) {
            String known = "count { $y <knows> $m  $m.name != \"ada\" }";
            assertThat(rows(from + "$p:trail knows{1,2 | $x $w $y where " + known + " >= " + least
                            + "} $b } return { count(*) }"))
                    .as("at least " + least)
                    .isEqualTo(rows(from + later + " match { for $y in $l } with { $p, min(" + known
                            + ") as $n } where $n >= " + least + " return { count(*) }"));
        }
        assertThat(rows(from + "$p:cheapest knows{1,3 | $x $w $y by count { $y knows $m }} $b } with { $p,"
                        + " [$n in nodes($p)[1..] | $n] as $l } match { for $y in $l } with { $p,"
                        + " sum(count { $y knows $m }) as $n } where cost($p) != $n return { count(*) }"))
                .containsExactly("0");
    }

    @Test
    void anAggregateStandsInTheOrderOfAWithAlone() {
        String named = "match { $a: Person } with { $a.city as $c%s } order { %s } limit 1 return { $c }";
        for (String key : List.of("count($a) desc", "0 - count($a)", "max($a.name) desc", "min($a.age), $c desc")) {
            String aggregate = key.replaceAll(" desc|, .*", "");
            assertThat(rows(named.formatted("", key)))
                    .as(key)
                    .isEqualTo(rows(named.formatted(", " + aggregate + " as $k", key.replace(aggregate, "$k"))));
        }
        assertThat(rows("match { $a: Person } with { $a.city as $c } order { count($a) desc } limit 1"
                        + " match { $b: Person { city: $c } } return { count($b) }"))
                .isEqualTo(rows("match { $a: Person } with { $a.city as $c, count($a) as $n } order { $n desc } limit 1"
                        + " return { $n }"));
    }

    @Test
    void aBlockInABranchThatIsNotChosenFailsNothing() {
        String failing = "sum(1 / ($b.age - $b.age)) { $a <knows> $b }";
        for (String choice : List.of(
                "case when $a.age > 1000 then " + failing + " else 7 end",
                "case when $a.name is not null then 7 else " + failing + " end",
                "case when $a.age > 1000 then case when true then " + failing + " else 1 end else 7 end",
                "case when true then 7 when " + failing + " > 0 then 8 end",
                "case when $a.age > 1000 then 1 when $a.age > 1000 then " + failing + " else 7 end")) {
            assertThat(rows("match { $a: Person } return { min(" + choice + ") as n, max(" + choice + ") as m }"))
                    .as(choice)
                    .containsExactly("7 7");
            assertThat(rows("match { $a: Person " + choice + " = 7 } return { count(*) > 3 }"))
                    .as(choice)
                    .containsExactly("true");
        }
        assertThat(rows("match { $a: Person { name: \"ada\" } } return { case when count { $a knows $_ } > 0"
                        + " then count { $a knows $_ } else -1 end, case when $a.name = \"ada\" then exists { $a knows $_ }"
                        + " end }"))
                .isEqualTo(rows("match { $a: Person { name: \"ada\" } } return { count { $a knows $_ }, true }"));
    }

    /** Entities within lists, records and paths break ties by their ids, not by the numbers of their records. */
    @Test
    void entitiesWithinValuesBreakTiesByTheirIds() {
        HeapGraph.Entity late = graph.add(QuerySchema.PERSON, "a9");
        late.properties.put(QuerySchema.NAME, new Value.Text("zoe"));
        graph.addEdge(QuerySchema.KNOWS, "k9", person(2), late);
        String known = "match { $a: Person { name: \"cyd\" } $x: Person $a $p:trail knows{1,1} $x }";
        assertThat(rows(known + " with { [$x] as $l } order { length($l) } limit 1 return { $l[0].@id }"))
                .containsExactly("a9");
        assertThat(rows(known + " with { {x: $x} as $r, 1 as $n } order { $n } limit 1 return { $r.x.@id }"))
                .containsExactly("a9");
        assertThat(rows(known + " with { $p } order { length($p) } limit 1 return { nodes($p)[1].@id }"))
                .containsExactly("a9");
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
        String columns = names.replace("as $", "as ");
        for (String body : List.of(
                pairs + "with { " + names + " } order { $an } limit 99999 return { count(*) }",
                pairs + "with distinct { " + names + " } return { count(*) }",
                pairs + "with { " + names + ", collect($a.name) as $all } return { count(*) }",
                pairs + "return { 1 as one } limit 1 per { $a.name, $b.name, $c.name, $d.name, $e.name }",
                pairs
                        + "return { $a.name } order { $b.name } limit 9 per { $a.name, $b.name, $c.name, $d.name, $e.name }",
                pairs + "match { $f: Person $g: Person } return { median($a.age) as m }",
                pairs
                        + "match { $f: Person $g: Person } return { percentile(distinct $a.age + $b.age * $c.age, 0.1) as m,"
                        + " collect($a.name order { $b.name, $c.name }) as l }",
                pairs + "return { " + columns + " } union " + pairs + "return { " + columns + " }",
                "match { $a: Person } return { collect($b.name)"
                        + " { $b: Person $c: Person $d: Person $e: Person $f: Person } as l }")) {
            assertLimit(body, limits(1L << 40, 300_000), "memory_bytes");
        }
        assertLimit("match { $a: Person $a <knows>{1,*} $b } return { count(*) }", limits(9, 1 << 30), "work_limit");
        assertLimit(
                "match { $a: Person } return { count { $b: Person count { $c: Person exists { $d: Person } } > 0 } as n }",
                limits(9, 1 << 30),
                "work_limit");
        String part = "match { $a: Person } return { count(*) as n }";
        assertLimit(
                part + (" union all " + part.replace("count(*)", "count($a.name)")).repeat(40),
                limits(9, 1 << 30),
                "work_limit");
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
    void aBlockIsAValueInEveryPlace() {
        String people = "match { $a: Person } ";
        String friends = "count { $a knows $b }";
        assertThat(rows(people + "return { $a.name, " + friends + " as n } order { n desc, $a.name } limit 2"))
                .containsExactly("bob 2", "dan 2");
        assertThat(rows(people + "return { $a.name, " + friends + " * 2 + 1 as n, exists { $a worksAt $_ } as w }"
                        + " order { $a.name }"))
                .containsExactly("ada 3 true", "bob 5 false", "cyd 3 false", "dan 5 false", "eve 1 false");
        assertThat(rows("match { $a: Person " + friends + " = 2 or not exists { $a <knows> $_ } }"
                        + " return { $a.name } order { " + friends + ", $a.name }"))
                .containsExactly("eve", "bob", "dan");
        assertThat(rows(people + "return { $a.city, sum(" + friends + ") as n } order { $a.city }"))
                .containsExactly("oslo 3", "rome 3");
        assertThat(rows(people + "return { " + friends + " as n, count(*) as people } order { n }"))
                .containsExactly("0 1", "1 2", "2 2");
        assertThat(rows(people + "return { $a.name } order { $a.name } limit 1 per { " + friends + " }"))
                .containsExactly("ada", "bob", "eve");
        assertThat(rows(people + "return { collect($b.name order { $b.name desc }) { $a knows $b } as l,"
                        + " max($b.age) { $a knows $b } as m } order { $a.name }"))
                .containsExactly("[bob] 30", "[cyd, ada] 40", "[dan] 20", "[dan, ada] 20", "[] null");
        assertThat(rows(people + "return { sum(count { $b knows $c }) { $a knows $b } as n } order { $a.name }"))
                .containsExactly("2", "2", "2", "3", "null");
        assertThat(rows("match { $a: Person count { $a knows $b  count { $b knows $_ } = 2 } >= 1 }"
                        + " return { $a.name } order { $a.name }"))
                .containsExactly("ada", "cyd", "dan");
    }

    /** The variables of a list stand after {@code in} as conditions, also in blocks; nodes are the ends of an edge. */
    @Test
    void aNodeInAListIsACondition() {
        String ring = "match { $p: Person  $p.age < 40 } with { collect($p) as $young } ";
        String known = ring + "match { $q: Person  optional { $q knows $r  $r in $young } } "
                + "return { $q.name, count(distinct $r) as n } order { $q.name }";
        assertThat(rows(known)).containsExactly("ada 1", "bob 1", "cyd 1", "dan 2", "eve 0");
        assertThat(rows(ring + "match { $q: Person  $q not in $young } return { $q.name }"))
                .containsExactly("cyd");
    }

    @Test
    void aBlockAfterAWithSeesWhatItLeaves() {
        assertThat(rows("match { $a knows $b } with { $b, count(*) as $n }"
                        + " where count { $b knows $c } >= $n order { count { $b knows $_ } desc, $n } limit 2"
                        + " return { $b.name, $n } order { $b.name }"))
                .containsExactly("bob 1", "dan 2");
        assertThat(rows("match { $a: Person } with { $a as $x, count { $a knows $_ } as $n } where $n = 1"
                        + " return { $x.name, $n } order { $x.name }"))
                .containsExactly("ada 1", "cyd 1");
    }

    @Test
    void aUnionPutsPartsTogether() {
        String oslo = "match { $a: Person { city: \"oslo\" } } return { $a.name as n, $a.age as k } ";
        String young = "match { $b: Person $b.age = 20 } return { $b.name as n, $b.age as k } ";
        assertThat(rows(oslo + "union all " + young + "order { n, k }"))
                .containsExactly("ada 20", "ada 20", "bob 30", "dan 20");
        assertThat(rows(oslo + "union " + young + "order { n desc } skip 1 limit 1"))
                .containsExactly("bob 30");
        // Read from left to right: what follows the last plain union is not made once.
        assertThat(rows(oslo + "union " + oslo + "union all " + oslo + "order { n }"))
                .containsExactly("ada 20", "ada 20", "bob 30", "bob 30");
        assertThat(rows(oslo + "union all " + oslo + "union " + oslo + "order { n }"))
                .containsExactly("ada 20", "bob 30");
        assertThat(rows("return { 1 as x, null as y } union return { 1.0 as x, null as y }"
                        + " union all return { 2 as x, \"a\" as y } order { x, y }"))
                .containsExactly("Real[value=1.0] null", "Real[value=2.0] a");
        assertThat(rows("match { $a: Person { name: \"ada\" } } return { $a as x } union all"
                        + " match { $c: Company } return { $c as x } union match { $c: Company } return { $c as x }"))
                .hasSize(2);
        assertThat(rows("match { $a: Person } with { $a } order { $a.name desc } limit 1 return { $a.name as n }"
                        + " union all match { $a: Person } return { min($a.name) as n } order { n } limit 1 per { n }"))
                .containsExactly("ada", "eve");
        assertThat(explained(oslo + "union all " + young + "limit 1").stream().map(ExplainRow::operator))
                .startsWith("Project", "Limit", "Union", "Stage");
    }

    @Test
    void aPartOfAUnionKeepsWhatCanBeAmongTheFirstRows() {
        String people = "match { $p: Person } return { $p.age as a, $p.name as n } ";
        String companies = "match { $c: Company } return { 25 as a, $c.name as n } ";
        String first = people + "union all " + companies + "order { a desc, n desc } limit 3";
        assertThat(rows(first)).containsExactly("40 cyd", "30 eve", "30 bob");
        assertThat(explained(first).stream().map(ExplainRow::operator))
                .filteredOn("TopN"::equals)
                .hasSize(3);
        // A distinct union, an offset and a column that is converted leave the parts as they are.
        for (String whole : List.of(
                first.replace("union all", "union"),
                first.replace("limit 3", "skip 1 limit 3"),
                first.replace("25 as", "25.5 as"))) {
            assertThat(explained(whole).stream().map(ExplainRow::operator))
                    .as(whole)
                    .filteredOn("TopN"::equals)
                    .hasSizeLessThan(3);
        }
    }

    /** The second form makes a list for each row, whose items are compared one by one. */
    @ParameterizedTest
    @CsvSource({"$y, $x", "to_string($y), to_string($x)", "1.5 * $y, $x", "$y, 1.0 * $x", "$a, $b"})
    void aListThatManyRowsHaveHoldsWhatAListOfEachRowHolds(String item, String sought) {
        String rows = "match { $a: Person for $y in range(0, 12) } with { collect(" + item
                + ") as $l } match { $b: Person for $x in range(-2, 20) } return { $x, $b.@id, " + sought
                + " in LIST as is } order { $x, $b.@id }";
        assertThat(rows(rows.replace("LIST", "$l")))
                .hasSizeGreaterThan(20)
                .isEqualTo(rows(rows.replace("LIST", "($l || $l[0..$x - $x])")));
    }

    @Test
    void aLengthCountsCodePoints() {
        assertThat(rows("match { for $t in [\"\", \"a\", \"h\u00e9\", \"\u20ac\", \"\ud83d\ude00!\", null] }"
                        + " return { length(trim($t)) as n, length($t) as m } order { n }"))
                .containsExactly("null null", "0 0", "1 1", "1 1", "2 2", "2 2");
    }

    @Test
    void theEmptyListIsAListOfNoRows() {
        assertThat(rows("match { for $x in [] } return { count(*), collect($x) }"))
                .containsExactly("0 []");
        assertThat(rows("match { $a: Person for $x in [] } return { $a.name, $x }"))
                .isEmpty();
        assertThat(rows("with { [] as $l } match { let $m = $l[0..2] for $x in [null] } return { $l, $m, $x }"))
                .containsExactly("[] [] null");
        assertThat(rows("return { [] as l } union all return { [1] as l } union all return { null as l }"))
                .containsExactly("[]", "[1]", "null");
    }

    @Test
    void listsOfOneGroupAreInTheOrderOfTheIdsOfTheirRows() {
        String ages = "[20, 30, 40, 20, 30]";
        assertThat(rows("match { $a: Person } return { collect($a.age) as ages, collect($a.name) as names,"
                        + " collect($a.age limit 3) as three, collect($a.name order { $a.age desc }) as eldest,"
                        + " collect(distinct $a.age) as each }"))
                .containsExactly(
                        ages + " [ada, bob, cyd, dan, eve] [20, 30, 40] [cyd, bob, eve, ada, dan] [20, 30, 40]");
        assertThat(rows("match { $a: Person { city: \"oslo\" }  $b: Person } return { $a.name, collect($b.age) as l }"
                        + " order { $a.name }"))
                .containsExactly("ada " + ages, "bob " + ages);
        assertThat(rows("match { $a: Person } with { $a, collect($b.age) { $b: Person } as $l }"
                        + " return { collect($a.age) as l, collect($l[2]) as of }"))
                .containsExactly(ages + " [40, 40, 40, 40, 40]");
        assertThat(rows("match { $a: Person  optional { $a worksAt $c } } return { collect($a.age) as l }"))
                .containsExactly(ages);
        assertThat(rows("match { for $n in [3, 1, 2] } return { collect($n) as l }"))
                .containsExactly("[1, 2, 3]");
    }

    @Test
    void aggregatesTakeConditionsOrdersAndLimits() {
        assertThat(rows("match { $a: Person } return { count(* where $a.age > 20) as n,"
                        + " collect($a.name where $a.age < 40 order { $a.age desc, $a.name } limit 3) as l,"
                        + " median($a.age) as m, percentile($a.age, 0.25) as p }"))
                .containsExactly("3 [bob, eve, ada] Real[value=30.0] Real[value=20.0]");
        assertThat(rows("match { $a: Person } return { stdev($a.age where $a.name = \"ada\") as one,"
                        + " round(stdev($a.age) * 100.0) as all, sum(60 / ($a.age - 20) where $a.age > 20) as s }"))
                .containsExactly("null Real[value=837.0] 15");
        assertThat(rows("match { $a: Person } return { $a.city } order { max($a.age) desc, count(*) }"))
                .containsExactly("rome", "oslo");
        assertThat(rows("match { $a knows $b } return { collect(distinct $b.name order { $b.name desc }) as l }"))
                .containsExactly("[dan, cyd, bob, ada]");
    }

    @Test
    void conditionsMoveToTheStageThatTheyAreAbout() {
        assertThat(explained("match { $a knows $b } with { $a, count(*) as $n, max($b.age) as $m }"
                                + " match { $a.name = \"ada\" $a worksAt $c } return { $c.size, $n }")
                        .stream()
                        .map(row -> row.operator() + " " + row.detail()))
                .contains("IndexSeek $a: Person name = \"ada\"", "Aggregate count(*) by $a");
    }

    @Test
    void valuesOfAStageFindEntitiesByIndexes() {
        String body =
                "match { $a: Person } with { max($a.name) as $n } match { $p: Person $p.name = $n } return { $p.age }";
        assertThat(explained(body).stream().map(row -> row.operator() + " " + row.detail()))
                .contains("IndexSeek $p: Person $p.name = $n (each row)");
        assertThat(rows(body)).containsExactly("30");
        assertThat(rows("match { $a: Person } with { $a.@id as $id } match { $p: Person $p.@id = $id $p worksAt $c }"
                        + " return { $p.name, $c.name }"))
                .containsExactly("ada acme");
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
