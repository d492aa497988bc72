package service.projection.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import service.core.error.ErrorCode;
import service.core.error.ErrorDetail;
import service.core.error.ServiceException;
import service.core.gq.CompiledSource.Request;
import service.core.gq.GqCompiler;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Expression.ComparisonOperator;
import service.core.gq.plan.Plan;
import service.core.port.QueryExecutor.ExplainRow;
import service.core.port.QueryExecutor.Limits;
import service.core.testkit.HeapGraph;
import service.core.testkit.HeapView;
import service.core.testkit.Seed;
import service.core.value.Direction;
import service.core.value.PropertyType;
import service.core.value.Value;
import service.projection.TestEngine;
import service.projection.query.vector.Substring;

/** Runs queries from text to rows, and checks their plans. */
class ExecutorTest {
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
        HeapGraph.Entity acme = graph.add(QuerySchema.COMPANY, "acme");
        acme.properties.put(QuerySchema.TITLE, new Value.Text("acme"));
        acme.properties.put(QuerySchema.SIZE, new Value.Int(20));
        // A ring of four with a chord back, two parallel edges, and a loop on the last.
        int[][] knows = {{0, 1}, {0, 1}, {1, 2}, {2, 3}, {3, 0}, {1, 0}, {3, 3}};
        for (int i = 0; i < knows.length; i++) {
            graph.addEdge(QuerySchema.KNOWS, "k" + i, person(knows[i][0]), person(knows[i][1]))
                    .properties
                    .put(QuerySchema.SINCE, new Value.Int(2000 + i));
        }
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

    private static Plan.Read ofNumber(String body) {
        Request request = GqCompiler.compile("query q($n: I64) { " + body + " }", null, QuerySchema.CATALOG)
                .request();
        return (Plan.Read) ((Request.Query) request).plan();
    }

    private List<List<Object>> rows(String body) {
        return PlanTrials.run(compile(body), List.of(), view).stream()
                .map(row -> row.stream().map(ExecutorTest::plain).toList())
                .toList();
    }

    private static Object plain(Value value) {
        return switch (value) {
            case Value.Text v -> v.value();
            case Value.Int v -> v.value();
            case Value.Real v -> v.value();
            case Value.Bool v -> v.value();
            case Value.Null ignored -> "null";
            case Value.ListOf v -> v.items().stream().map(ExecutorTest::plain).toList();
            default -> value;
        };
    }

    private List<ExplainRow> explained(String body) {
        return executor.explain(compile(body), List.of(), view, PlanTrials.wide(), false);
    }

    private List<String> operators(String body) {
        return explained(body).stream().map(ExplainRow::operator).toList();
    }

    @Test
    void aTraversalGivesOneRowForEachPairOrForEachEdge() {
        assertThat(rows("match { $a: Person { name: \"ada\" } $a knows $b } return { $b.name }"))
                .containsExactly(List.of("bob"));
        assertThat(rows("match { $a: Person { name: \"ada\" } $a $w:knows $b }"
                        + " return { $b.name, $w.@id } order { $w.since desc }"))
                .containsExactly(List.of("bob", "k1"), List.of("bob", "k0"));
    }

    @Test
    void aMatchThatBindsNothingHasOneRow() {
        assertThat(rows("match { 1 = 1 } return { 1 as x }")).containsExactly(List.of(1L));
        assertThat(rows("match { 1 = 2 } return { 1 as x }")).isEmpty();
        assertThat(rows("match { exists { $p: Person } } return { 1 as x }")).containsExactly(List.of(1L));
        assertThat(rows("match { not { $p: Person } } return { 1 as x }")).isEmpty();
        assertThat(rows("match { optional { $p: Person { name: \"nobody\" } } }"
                        + " return { $p.name, count(1) as n }"))
                .containsExactly(List.of("null", 1L));
    }

    @Test
    void tiesGoByTheVariableThatTheTextNamesFirst() {
        assertThat(rows("match { optional { $a worksAt $c } $a: Person }" + " return { $a.name } order { 1 }"))
                .containsExactly(List.of("ada"), List.of("bob"), List.of("cyd"), List.of("dan"), List.of("eve"));
        assertThat(rows("match { exists { $b knows $_ } $a knows $b }"
                        + " return { $b.name, $a.name } order { 1 } limit 3"))
                .containsExactly(List.of("ada", "bob"), List.of("ada", "dan"), List.of("bob", "ada"));
    }

    @Test
    void collectOfNoRowsAndOfNullsIsEmpty() {
        assertThat(rows("match { $a: Person { name: \"nobody\" } }" + " return { collect($a.name), count($a) }"))
                .containsExactly(List.of(List.of(), 0L));
        assertThat(rows("match { $a: Person optional { $a worksAt $c $c.size > 99 } }" + " return { collect($c.@id) }"))
                .containsExactly(List.of(List.of()));
    }

    @Test
    void shortestDistancesGiveTheStartAtItsShortestCycle() {
        assertThat(rows("match { $a: Person { name: \"ada\" } $a knows{1,8} $b }"
                        + " return { $b.name } order { $b.name }"))
                .containsExactly(List.of("ada"), List.of("bob"), List.of("cyd"), List.of("dan"));
        assertThat(rows("match { $a: Person { name: \"ada\" } $a knows{2,2} $b }"
                        + " return { $b.name } order { $b.name }"))
                .containsExactly(List.of("ada"), List.of("cyd"));
        assertThat(rows("match { $a: Person { name: \"dan\" } $a knows{1,2} $b }"
                        + " return { $b.name } order { $b.name }"))
                .containsExactly(List.of("ada"), List.of("bob"), List.of("dan"));
        assertThat(rows("match { $a: Person { name: \"dan\" } $a knows{2,3} $b }"
                        + " return { $b.name } order { $b.name }"))
                .containsExactly(List.of("bob"), List.of("cyd"));
        assertThat(rows("match { $a: Person $a knows{1,*} $a } return { $a.name } order { $a.name }"))
                .containsExactly(List.of("ada"), List.of("bob"), List.of("cyd"), List.of("dan"));
        assertThat(rows("match { $a: Person { name: \"ada\" } $a knows{0,1} $b }"
                        + " return { $b.name } order { $b.name }"))
                .containsExactly(List.of("ada"), List.of("bob"));
    }

    @Test
    void groupsAreCountedAndOrdered() {
        assertThat(rows("match { $p: Person } return { $p.city, count($p) as n, sum($p.age) }" + " order { n desc }"))
                .containsExactly(List.of("rome", 3L, 90L), List.of("oslo", 2L, 50L));
        assertThat(rows("match { $p: Person $p.age > 100 } return { count($p), sum($p.age) }"))
                .containsExactly(List.of(0L, "null"));
    }

    @Test
    void blocksKeepRowsByTheirMatchesOrTheAbsenceOfMatches() {
        assertThat(rows("match { $p: Person not { $p knows $_ } } return { $p.name }"))
                .containsExactly(List.of("eve"));
        assertThat(rows("match { $p: Person optional { $p worksAt $c } }"
                        + " return { $p.name, $c.name } order { $c.name desc, $p.name } limit 2"))
                .containsExactly(List.of("ada", "acme"), List.of("bob", "null"));
        assertThat(rows("match { $p: Person count { $p $w:knows $_ } > 1 }" + " return { $p.name } order { $p.name }"))
                .containsExactly(List.of("ada"), List.of("bob"), List.of("dan"));
    }

    @Test
    void countingATypeScansNothing() {
        String count = "match { $p: Person } return { count($p) as n, count($p) + 1 }";
        assertThat(rows(count)).containsExactly(List.of(5L, 6L));
        assertThat(view.scanned).isZero();
        assertThat(operators(count)).containsExactly("Project", "Aggregate");
    }

    @Test
    void idsKeysAndIndexesReplaceScans() {
        assertThat(operators("match { $p: Person $p.@id = \"p3\" } return { $p.name }"))
                .containsExactly("Project", "IdLookup");
        assertThat(operators("match { $c: Company { name: \"acme\" } } return { $c.size }"))
                .containsExactly("Project", "IdLookup");
        assertThat(operators("match { $p: Person $p.name = \"bob\" } return { $p.age }"))
                .containsExactly("Project", "IndexSeek");
        String range = "match { $p: Person { city: \"rome\" } $p.age >= 30 } return { $p.name } order { $p.name }";
        assertThat(operators(range)).containsExactly("Project", "Sort", "Project", "IndexRange");
        assertThat(rows(range)).containsExactly(List.of("cyd"), List.of("eve"));
    }

    @Test
    void aPlanStartsAtAnEdgeThatAnIndexFinds() {
        String query = "match { $a $w:knows $b $w.since = 2003 } return { $a.name, $b.name } order { $a.name }";
        assertThat(operators(query)).endsWith("ExpandEdge", "IndexSeek");
        assertThat(rows(query)).containsExactly(List.of("cyd", "dan"));
    }

    @Test
    void aPlanStartsAtTheEndWithFewerRows() {
        for (int i = 0; i < 500; i++) {
            graph.addEdge(
                    QuerySchema.WORKS_AT,
                    "x" + i,
                    graph.add(QuerySchema.PERSON, "x" + i),
                    graph.all(QuerySchema.COMPANY).getFirst());
        }
        String query = "match { $p: Person { name: \"ada\" } $p worksAt $c $c: Company { name: \"acme\" } }"
                + " return { count($p) }";
        int before = view.scanned;
        assertThat(rows(query)).containsExactly(List.of(1L));
        assertThat(view.scanned - before).isLessThan(10);
    }

    @Test
    void aSearchBetweenTwoKnownNodesRunsFromBothEnds() {
        HeapGraph.Entity[] crowd = new HeapGraph.Entity[300];
        for (int i = 0; i < crowd.length; i++) {
            crowd[i] = graph.add(QuerySchema.PERSON, "x" + i);
        }
        for (int i = 0; i < 4 * crowd.length; i++) {
            graph.addEdge(QuerySchema.KNOWS, "x" + i, crowd[i % crowd.length], crowd[i * 7919 % crowd.length]);
        }
        String query = "match { $a: Person { name: \"ada\" } $b: Person { name: \"dan\" }"
                + " $a knows{2,5} $b } return { $a.name }";
        assertThat(executor.explain(compile(query), List.of(), view, PlanTrials.wide(), false))
                .anySatisfy(row -> {
                    assertThat(row.operator()).isEqualTo("Expand");
                    assertThat(row.detail()).contains("(both bound)");
                });
        assertThat(rows(query)).containsExactly(List.of("ada"));
    }

    @Test
    void anExistsBlockBecomesAHashJoinThatStopsAtTheFirstMatch() {
        for (int i = 0; i < 3000; i++) {
            graph.add(QuerySchema.PERSON, "x" + i)
                    .properties
                    .put(QuerySchema.CITY, new Value.Text(i % 2 == 0 ? "oslo" : "bonn"));
        }
        String query = "match { $p: Person exists { $q: Person $q.city = $p.city } } return { count($p) }";
        assertThat(operators(query)).contains("SemiJoin", "HashJoin");
        assertThat(rows(query)).containsExactly(List.of(3005L));
        String none = "match { $p: Person not { $c: Company $c.size > 90 } } return { count($p) }";
        assertThat(rows(none)).containsExactly(List.of(3005L));
    }

    @Test
    void aBlockThatManyOuterRowsAskIsReadOnceAndJoinedWithThem() {
        for (int i = 0; i < 300; i++) {
            HeapGraph.Entity person = graph.add(QuerySchema.PERSON, "x" + i);
            person.properties.put(QuerySchema.AGE, new Value.Int(i % 50));
            for (int k = 0; k < 5; k++) {
                graph.addEdge(QuerySchema.KNOWS, "x" + i + "-" + k, person, person(k));
            }
        }
        String query = "match { $p: Person } with { $p, count { $q knows $p  $q.age < 5 } as $n } where $n > 20"
                + " return { $n, count($p) as persons }";
        assertThat(operators(query)).contains("BlockValue", "HashJoin");
        assertThat(rows(query)).containsExactly(List.of(30L, 5L));
    }

    @Test
    void anArithmeticFaultIsReportedOnlyForRowsThatPassTheOtherConditions() {
        String query =
                "match { $a: Person 60 / ($a.age - 30) > 0 $a knows $b $a.name = \"ada\" }" + " return { $b.name }";
        assertThatThrownBy(() -> rows(query.replace("ada", "bob"))).hasMessageContaining("division by zero");
        assertThat(rows(query.replace("> 0", "< 0"))).containsExactly(List.of("bob"));
    }

    @Test
    void aWideIndexRangeIsReplacedByAScan() {
        for (int i = 0; i < 12_000; i++) {
            graph.add(QuerySchema.PERSON, "x" + i)
                    .properties
                    .put(QuerySchema.NAME, new Value.Text(i % 2 == 0 ? "many" : "few" + i));
        }
        assertThat(rows("match { $p: Person $p.name starts_with \"many\" } return { count($p) }"))
                .containsExactly(List.of(6000L));
        assertThat(view.scanned).isGreaterThan(12_000);
        int before = view.scanned;
        assertThat(rows("match { $p: Person $p.name starts_with \"few111\" } return { count($p) }"))
                .containsExactly(List.of(56L));
        assertThat(view.scanned - before).isEqualTo(56);
    }

    @Test
    void patternsRelatedByEqualityAreJoinedByHash() {
        String query = "match { $p: Person $c: Company $p.age = $c.size } return { $p.name } order { $p.name }";
        assertThat(operators(query)).contains("HashJoin").doesNotContain("CrossJoin");
        assertThat(rows(query)).containsExactly(List.of("ada"), List.of("dan"));
    }

    @Test
    void aLimitWithoutAnOrderStopsTheScanEarly() {
        for (int i = 0; i < 5000; i++) {
            graph.add(QuerySchema.PERSON, "x" + i);
        }
        assertThat(rows("match { $p: Person $p.city is null } return { $p.@id } limit 2"))
                .hasSize(2);
        assertThat(view.scanned).isLessThan(20);
    }

    @Test
    void explainAnalyzeCountsRowsAndTime() {
        List<ExplainRow> rows = executor.explain(
                compile("match { $a: Person { city: \"rome\" } $a knows $b } return { count($b) }"),
                List.of(),
                view,
                PlanTrials.wide(),
                true);
        assertThat(rows).extracting(ExplainRow::operator).startsWith("Project", "Aggregate");
        assertThat(rows).extracting(ExplainRow::depth).startsWith(0, 1, 2);
        assertThat(rows.getFirst().actualRows()).isEqualTo(1);
        assertThat(rows).allSatisfy(row -> assertThat(row.micros()).isNotNegative());
    }

    /** The tests run at the beginning of 1970. */
    @Test
    void relativeDatesAreRangesOfAnIndex() {
        for (int day = -400; day < 400; day++) {
            HeapGraph.Entity person = graph.add(QuerySchema.PERSON, "d" + day);
            person.properties.put(QuerySchema.BORN, new Value.Date(day));
            person.properties.put(QuerySchema.SEEN, new Value.DateTime(day * 86_400_000L + 1));
        }
        Map<String, Long> found = new LinkedHashMap<>();
        found.put("$p.seen > now()", 400L);
        found.put("$p.born >= date(now())", 400L);
        found.put("$p.born < truncate(date(now()), \"year\")", 400L);
        found.put("$p.seen < datetime(truncate(date(now()), \"year\"))", 400L);
        found.put("date_diff(now(), $p.seen) <= 7", 407L);
        found.put("date_diff(now(), $p.seen) < 7", 406L);
        found.put("7 > date_diff(now(), $p.born)", 406L);
        found.put("date_diff($p.born, now()) >= 7", 393L);
        found.put("date_diff($p.seen, date(\"1969-12-31\")) > 7", 393L);
        found.put("datetime_diff(now(), $p.seen) < 86400000", 401L);
        found.put("datetime_diff(now(), $p.born) < 86400000", 400L);
        found.put("datetime_diff(now(), $p.born) <= 86400000", 401L);
        found.put("$p.born >= date_add(now(), -7, \"day\")", 407L);
        found.put("$p.born > date_add(date(now()), 2 - 1, \"month\")", 368L);
        found.put("$p.seen < datetime_add(now(), 48, \"hour\")", 402L);
        found.put("datetime_add(truncate(now(), \"month\"), -3, \"quarter\") <= $p.seen", 675L);
        found.forEach((filter, count) -> {
            String body = "match { $p: Person " + filter + " } return { count($p) as n }";
            assertThat(explained(body)).as(filter).anySatisfy(row -> {
                assertThat(row.operator()).isEqualTo("IndexRange");
                assertThat(row.detail()).containsPattern("now\\(\\)|1969").containsPattern("born|seen");
            });
            assertThat(rows(body)).as(filter).containsExactly(List.of(count));
        });
        String window = "match { $p: Person date_diff(now(), $p.seen) < 30 date_diff(now(), $p.seen) >= 0 }"
                + " return { count($p) as n }";
        assertThat(explained(window))
                .extracting(ExplainRow::operator)
                .contains("IndexRange")
                .doesNotContain("Filter");
        assertThat(rows(window)).containsExactly(List.of(30L));
    }

    @Test
    void aMomentThatAnArgumentMovesIsARangeOfAnIndexUnlessItFails() {
        for (int day = -40; day < 40; day++) {
            graph.add(QuerySchema.PERSON, "d" + day).properties.put(QuerySchema.BORN, new Value.Date(day));
        }
        String since = "match { $p: Person $p.born >= date_add(now(), -$n, \"day\") ";
        Plan.Read plan = ofNumber(since + "} return { count($p) as n }");
        assertThat(executor.explain(plan, List.of(new Value.Int(7)), view, PlanTrials.wide(), false))
                .anySatisfy(row -> {
                    assertThat(row.operator()).isEqualTo("IndexRange");
                    assertThat(row.detail()).contains("born >= date_add(now(), -$n, \"day\")");
                });
        assertThat(PlanTrials.run(plan, List.of(new Value.Int(7)), view)).containsExactly(List.of(new Value.Int(47)));
        assertThat(PlanTrials.run(plan, List.of(Value.NULL), view)).containsExactly(List.of(new Value.Int(0)));
        List<Value> tooFar = List.of(new Value.Int(9_000_000));
        assertThatThrownBy(() -> PlanTrials.run(plan, tooFar, view)).hasMessageContaining("0000 to 9999");
        Plan.Read ofNobody = ofNumber(since + "$p.name = \"nobody\" } return { count($p) as n }");
        assertThat(PlanTrials.run(ofNobody, tooFar, view)).containsExactly(List.of(new Value.Int(0)));
    }

    @Test
    void anArithmeticFaultNamesItsPlaceInTheSourceAndItsEntity() {
        assertThatThrownBy(() -> rows("match { $p: Person { name: \"bob\" } } return { $p.age / ($p.age - 30) }"))
                .isInstanceOfSatisfying(ServiceException.class, e -> {
                    assertThat(e.code()).isEqualTo(ErrorCode.BAD_REQUEST);
                    assertThat(e).hasMessageContaining("division by zero").hasMessageContaining("`p1`");
                    assertThat(e.detail())
                            .isInstanceOfSatisfying(
                                    ErrorDetail.Diagnostics.class,
                                    d -> assertThat(d.diagnostics().getFirst().code())
                                            .isEqualTo("R1"));
                });
        assertThat(
                        rows(
                                "match { $p: Person $p.age != 30 and 60 / ($p.age - 30) > 0 } return { $p.name } order { $p.name }"))
                .containsExactly(List.of("cyd"));
    }

    @Test
    void anOverflowOfABlocksAggregateNamesItsPlaceInTheSource() {
        person(1).properties.put(QuerySchema.AGE, new Value.Int(Long.MAX_VALUE));
        person(2).properties.put(QuerySchema.AGE, new Value.Int(1));
        graph.addEdge(QuerySchema.KNOWS, "more", person(0), person(2));
        assertThatThrownBy(() -> rows("match { $a: Person sum($b.age) { $a knows $b } > 0 } return { $a.name }"))
                .isInstanceOfSatisfying(
                        ServiceException.class,
                        e -> assertThat(e.detail()).isInstanceOfSatisfying(ErrorDetail.Diagnostics.class, d -> {
                            assertThat(d.diagnostics().getFirst().code()).isEqualTo("R1");
                            assertThat(d.diagnostics().getFirst().message())
                                    .contains("overflow of 64-bit arithmetic in `sum($b.age) {");
                        }));
    }

    @Test
    void groupsByAnIdAreGroupsOfEntities() {
        String byId = "match { $a: Person $a knows $b } return { $b.@id, $b.name, $a.city, count($a) as n }";
        assertThat(rows(byId + " order { n desc, $b.@id } limit 3"))
                .containsExactly(
                        List.of("p3", "dan", "rome", 2L),
                        List.of("p0", "ada", "oslo", 1L),
                        List.of("p0", "ada", "rome", 1L));
        assertThat(explained(byId))
                .extracting(ExplainRow::detail)
                .anySatisfy(detail -> assertThat(detail).endsWith(" by $b, $a.city"));
        graph.add(QuerySchema.COMPANY, "p1").properties.put(QuerySchema.TITLE, new Value.Text("other"));
        // A person and a company have this id.
        assertThat(rows("match { $x: Named } return { $x.@id, count($x) as n } order { n desc } limit 1"))
                .containsExactly(List.of("p1", 2L));
        assertThat(rows("match { $a: Person optional { $a worksAt $c } }"
                        + " return { $c.name as c, lower($c.@id) as id, count($a) as n } order { n }"))
                .containsExactly(List.of("acme", "acme", 1L), List.of("null", "null", 4L));
    }

    @Test
    void aQueryBeyondItsMemoryLimitIsRefused() {
        Plan.Read all = compile("match { $a: Person $b: Person } return { $a.name, $b.name } order { $b.name }");
        assertLimit(
                all,
                new Limits(0, Long.MAX_VALUE / 2, 1000, 7, 100, TestEngine.budget(1 << 30, () -> false)),
                "work_limit");
        assertLimit(
                all,
                new Limits(0, System.nanoTime() + (1L << 40), 1000, 99, 24, TestEngine.budget(1 << 30, () -> false)),
                "row_limit");
        assertLimit(
                all,
                new Limits(0, System.nanoTime() + (1L << 40), 1000, 99, 99, TestEngine.budget(10_000, () -> false)),
                "memory_bytes");
        assertLimit(
                all,
                new Limits(0, System.nanoTime() - 1, 1000, 99, 99, TestEngine.budget(1 << 30, () -> false)),
                "timeout_ms");
        // The error names the configured limit, not what was left of it when the read began.
        assertThatThrownBy(() -> executor.read(
                        all,
                        List.of(),
                        view,
                        new Limits(0, System.nanoTime() - 1, 1000, 99, 99, TestEngine.budget(1 << 30, () -> false)),
                        (v, c, n, kept) -> {}))
                .hasMessageContaining("1000 ms");
        AtomicInteger asked = new AtomicInteger();
        Limits cancelled = new Limits(
                0,
                System.nanoTime() + (1L << 40),
                1000,
                99,
                99,
                TestEngine.budget(1 << 30, () -> asked.incrementAndGet() > 1));
        assertThatThrownBy(() -> executor.read(all, List.of(), view, cancelled, (v, c, n, kept) -> {}))
                .isInstanceOf(CancellationException.class);
    }

    /** Lists and records that hold the same list many times are charged for each time, and given up early. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "with { range(1, 100000) as $l } with { $l || $l as $l } with { $l || $l as $l } with { $l || $l as $l }"
                        + " with { $l || $l as $l } with { $l || $l as $l } return { length($l) as n }",
                "with { range(1, 100000) as $l } return { [{a: $l}, {a: $l}, {a: $l}, {a: $l}, {a: $l}, {a: $l}] as r }",
                "with { range(1, 1000) as $l } return { [$x in $l | {n: $x, all: $l}] as r }",
                "match { for $i in range(1, 100) } return { collect({n: $i, all: range(1, 100000)}) as r }"
            })
    void valuesOfLongListsAreRefused(String query) {
        Limits some = new Limits(
                0, System.nanoTime() + (1L << 40), 1000, 1L << 40, 1 << 30, TestEngine.budget(16 << 20, () -> false));
        assertLimit(compile(query), some, "memory_bytes");
    }

    @Test
    void aRangeHasABound() {
        assertThat(rows("return { length(range(1, 1048576)) as n }")).containsExactly(List.of(1_048_576L));
        assertThatThrownBy(() -> rows("return { range(0, 1048576) as r }")).hasMessageContaining("R6");
        assertThatThrownBy(() -> rows("return { range(1, 2, 0) as r }")).hasMessageContaining("R6");
        Limits few = new Limits(
                0, System.nanoTime() + (1L << 40), 1000, 99, 1 << 30, TestEngine.budget(16 << 20, () -> false));
        assertLimit(compile("match { for $i in range(1, 100) } return { count(*) as n }"), few, "work_limit");
        String chain = IntStream.range(0, 50)
                .mapToObj(i -> "let $v" + i + " = " + (i == 0 ? "1" : "$v" + (i - 1) + " + 1"))
                .collect(Collectors.joining(" "));
        assertThat(rows("match { " + chain + " } return { $v49 as n }")).containsExactly(List.of(50L));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "match { $a: Person $b: Person } return { $a.name } order { $b.score, $a.score }",
                "match { $a: Person } return { $a.@id, count($a) }",
                "match { $a: Person } return { count(distinct $a.@id) }",
                "match { $a: Person } return distinct { $a.@id }",
                "match { $a: Person } return { collect($a.@id) }",
                "match { $a: Person } return { max($a.@id) as m, $a.@id }",
                "match { $a: Person $b: Person $a.score = $b.score } return { count($a) }",
                "match { $a: Person $b: Person } return { count($a), max($b.age) }",
                "match { $a: Person $a knows{1,64} $b } return { count($b) }",
                "match { $a: Person { name: \"ada\" } $b: Person { name: \"eve\" } $a knows{1,9} $b } return { $a }"
            })
    void countsAllMemoryThatGrowsWithTheData(String query) {
        for (int i = 0; i < 3000; i++) {
            HeapGraph.Entity next = graph.add(QuerySchema.PERSON, "a-rather-long-identifier-" + i);
            next.properties.put(QuerySchema.SCORE, new Value.Real(i));
            if (i < 1000) {
                graph.addEdge(QuerySchema.KNOWS, "x" + i, person(0), next);
            }
        }
        Limits little = new Limits(
                0, System.nanoTime() + (1L << 40), 1000, 1L << 40, 1 << 30, TestEngine.budget(2048, () -> false));
        assertLimit(compile(query), little, "memory_bytes");
    }

    @Test
    void memoryThatTheReceiverKeepsIsCharged() {
        Limits little = new Limits(
                0, System.nanoTime() + (1L << 40), 1000, 1L << 40, 1 << 30, TestEngine.budget(1000, () -> false));
        Plan.Read plan = compile("match { $a: Person } return { $a.name }");
        assertThatThrownBy(() -> executor.read(plan, List.of(), view, little, (v, c, n, kept) -> kept.bytes(400L * n)))
                .hasMessageContaining("memory");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "match { $a: Person $b: Person } return { count($a) }",
                "match { $a: Person $b: Person } return { $a.name } order { $b.name } limit 1",
                "match { $a: Person $b: Person $a.city = $b.city } return { collect($a.name) }",
                "match { $a: Person $b: Person $a.name < $b.name } return distinct { $a.name }",
                "match { $a: Person exists { $b: Person $b.age > $a.age } } return { count($a) }"
            })
    void asksOftenWhetherTheCallerIsStillThere(String query) {
        for (int i = 0; i < 600; i++) {
            HeapGraph.Entity more = graph.add(QuerySchema.PERSON, "x" + i);
            more.properties.put(QuerySchema.NAME, new Value.Text("x" + i % 7));
            more.properties.put(QuerySchema.CITY, new Value.Text("oslo"));
            more.properties.put(QuerySchema.AGE, new Value.Int(-i));
        }
        AtomicInteger asked = new AtomicInteger();
        Limits patient = new Limits(
                0,
                System.nanoTime() + (1L << 40),
                1000,
                1L << 40,
                1 << 30,
                TestEngine.budget(1 << 30, () -> asked.incrementAndGet() < 0));
        executor.read(compile(query), List.of(), view, patient, (v, c, n, kept) -> {});
        // More than 180,000 rows pass, with at most 4,096 rows between two checks.
        assertThat(asked).hasValueGreaterThan(40);
    }

    @Test
    void containsFindsSubstringsOfAnyLengthAndScript(@Seed long seed) {
        java.util.Random random = new java.util.Random(seed);
        Substring substring = new Substring();
        for (int i = 0; i < 20_000; i++) {
            String text = words(random, 12);
            String wanted = words(random, 5);
            byte[] in = ("a" + text).getBytes(java.nio.charset.StandardCharsets.US_ASCII);
            byte[] bytes = wanted.getBytes(java.nio.charset.StandardCharsets.US_ASCII);
            substring.prepare(bytes, 0, bytes.length);
            assertThat(substring.isIn(in, 1, text.length()))
                    .as(wanted + " in " + text)
                    .isEqualTo(text.contains(wanted));
        }
    }

    private static String words(java.util.Random random, int most) {
        StringBuilder text = new StringBuilder();
        for (int n = random.nextInt(most); n > 0; n--) {
            text.append((char) ('a' + random.nextInt(2)));
        }
        return text.toString();
    }

    private void assertLimit(Plan.Read plan, Limits limits, String resource) {
        assertThatThrownBy(() -> executor.read(plan, List.of(), view, limits, (v, c, n, kept) -> {}))
                .isInstanceOfSatisfying(ServiceException.class, e -> {
                    assertThat(e.code()).isEqualTo(ErrorCode.RESOURCE_LIMIT);
                    assertThat(((ErrorDetail.ResourceLimit) e.detail()).resource())
                            .isEqualTo(resource);
                });
    }

    @Test
    void selectFindsEntitiesByPredicateByIndexAndByEnd() {
        Expression old = new Expression.Compare(
                ComparisonOperator.GREATER,
                new Expression.PropertyOf(
                        0, "age", java.util.Map.of(QuerySchema.PERSON, QuerySchema.AGE), PropertyType.I64),
                new Expression.Argument(0, "n", PropertyType.I64));
        assertThat(executor.select(QuerySchema.PERSON, old, List.of(new Value.Int(25)), view, PlanTrials.wide()))
                .containsExactly(1, 2, 4);
        Expression from = new Expression.Compare(
                ComparisonOperator.EQUAL,
                new Expression.EndOf(0, Direction.OUT),
                new Expression.Literal(new Value.Text("p0"), PropertyType.STRING));
        int before = view.scanned;
        assertThat(executor.select(QuerySchema.KNOWS, from, List.of(), view, PlanTrials.wide()))
                .containsExactly(0, 1);
        assertThat(view.scanned).isEqualTo(before);
    }
}
