package service.core.gq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import service.core.error.ServiceException;
import service.core.error.SourceText;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Pattern;
import service.core.gq.plan.Plan;
import service.core.gq.plan.Variable;
import service.core.gq.plan.Walk;
import service.core.schema.Catalog;
import service.core.text.Work;
import service.core.value.EntityKind;
import service.core.value.PropertyType;
import service.core.value.ScalarType;
import service.core.value.Value;

class GqCompilerTest {
    private final Catalog catalog = Catalogs.people();

    private Plan.Read read(String body) {
        return (Plan.Read) plan("query q($n: String, $k: I64) " + body);
    }

    private Plan plan(String source) {
        CompiledSource compiled = GqCompiler.compile(source, null, catalog);
        return ((CompiledSource.Request.Query) compiled.request()).plan();
    }

    @Test
    void propertyMatchesAndFiltersBecomeOneConjunction() {
        Plan.Read plan = read("""
                        {
                          match { $p: Person { name: $n }  $p.age >= 18 and $p.age < $k }
                          return { $p.name, $p.age as years }
                          order { years desc, $p.name }
                          skip 2
                          limit $k
                        }
                        """);
        PropertyType i32 = new PropertyType.Scalar(ScalarType.I32);
        Expression age = new Expression.PropertyOf(0, "age", Map.of(Catalogs.PERSON, Catalogs.AGE), i32);
        Expression name =
                new Expression.PropertyOf(0, "name", Map.of(Catalogs.PERSON, Catalogs.NAME), PropertyType.STRING);
        Expression k = new Expression.Argument(1, "k", PropertyType.I64);
        assertThat(plan.variables()).containsExactly(new Variable(0, "p", EntityKind.NODE, List.of(Catalogs.PERSON)));
        assertThat(plan.last().match().filters())
                .containsExactly(
                        new Expression.Compare(
                                Expression.ComparisonOperator.EQUAL,
                                name,
                                new Expression.Argument(0, "n", PropertyType.STRING)),
                        new Expression.Compare(
                                Expression.ComparisonOperator.GREATER_OR_EQUAL,
                                age,
                                new Expression.Literal(new Value.Int(18), PropertyType.I64)),
                        new Expression.Compare(Expression.ComparisonOperator.LESS, age, k));
        assertThat(plan.result().outputs())
                .containsExactly(new Plan.Output("p.name", name), new Plan.Output("years", age));
        assertThat(plan.last().order())
                .containsExactly(
                        new Plan.SortKey(new Expression.OutputOf(1, i32), true),
                        new Plan.SortKey(new Expression.OutputOf(0, PropertyType.STRING), false));
        assertThat(plan.last().window().skip()).isEqualTo(new Expression.Literal(new Value.Int(2), PropertyType.I64));
        assertThat(plan.last().window().limit()).isEqualTo(k);
        assertThat(plan.result().grouped()).isFalse();
    }

    @Test
    void slotsFollowTheOrderInWhichVariablesAreFirstNamed() {
        Plan.Read plan = read("""
                        { match {
                            $a $w:knows $b
                            not { $b likes $c  $c: Person }
                            $b worksAt $d
                            $a: Person
                          }
                          return { $a.@id, $w.since, $d.name } }
                        """);
        assertThat(plan.variables().stream().map(Variable::name)).containsExactly("a", "w", "b", "c", "d");
        assertThat(plan.variables().get(1).kind()).isEqualTo(EntityKind.EDGE);
        assertThat(plan.variables().get(4).types()).containsExactly(Catalogs.COMPANY);
        assertThat(plan.last().match().bound()).containsExactly(0, 2, 4);
        assertThat(plan.last().match().traversals())
                .containsExactly(
                        new Pattern.Traversal(0, 2, 1, List.of(Catalogs.KNOWS), false, null),
                        new Pattern.Traversal(2, 4, -1, List.of(Catalogs.WORKS_AT), false, null));
        Pattern.Block.Exists not =
                (Pattern.Block.Exists) plan.last().match().blocks().getFirst();
        assertThat(not.negated()).isTrue();
        assertThat(not.pattern().bound()).containsExactly(3);
    }

    @Test
    void hopsAlternativesUndirectedAndWildcards() {
        Plan.Read plan = read("""
                        { match {
                            $a: Person  $b: Person
                            $a knows{1,3} $b
                            $a (knows | likes) $b
                            $a <knows | likes> $_
                            $a * $b
                          } return { $a.name } }
                        """);
        Expression.Origin anyOrigin = new Expression.Origin(new SourceText(""), 0, 0);
        assertThat(plan.last().match().traversals())
                .containsExactly(
                        new Pattern.Traversal(
                                0,
                                1,
                                -1,
                                List.of(3),
                                false,
                                new Walk(1, 3, Walk.Mode.SHORTEST, Walk.Slots.NONE, null, anyOrigin)),
                        new Pattern.Traversal(0, 1, -1, List.of(3, 4), false, null),
                        new Pattern.Traversal(0, 2, -1, List.of(3, 4), true, null),
                        new Pattern.Traversal(0, 1, -1, List.of(3, 4), false, null));
        assertThat(plan.variables().get(2).name()).startsWith("#");
    }

    @Test
    void optionalVariablesAreSeenOutsideAndTheirBlocksComeFirst() {
        Plan.Read plan = read("""
                        { match {
                            $p: Person
                            count { $p likes $x } > 2
                            optional { $p knows $f }
                            optional { $f worksAt $c }
                          } return { $p.name, count($f), $c.name } }
                        """);
        assertThat(plan.last().match().blocks().get(0)).isInstanceOf(Pattern.Block.Optional.class);
        assertThat(plan.last().match().blocks().get(1)).isInstanceOf(Pattern.Block.Optional.class);
        Pattern.Block.Value counted =
                (Pattern.Block.Value) plan.last().match().blocks().get(2);
        assertThat(counted.aggregate().function()).isEqualTo(Expression.AggregateFunction.COUNT);
        assertThat(plan.last().match().filters())
                .containsExactly(new Expression.Compare(
                        Expression.ComparisonOperator.GREATER,
                        new Expression.ValueOf(counted.slot(), PropertyType.I64),
                        new Expression.Literal(new Value.Int(2), PropertyType.I64)));
        assertThat(plan.result().grouped()).isTrue();
        assertThat(plan.result().outputs().stream().map(Plan.Output::column))
                .containsExactly("p.name", "count(f)", "c.name");
    }

    @Test
    void groupedOrderRefersToColumnsAndAggregates() {
        Plan.Read plan = read("""
                        { match { $p: Person  $p knows $f }
                          return { $p.age, count($f) as n, count($f) + $p.age as mixed }
                          order { $p.age + 1, sum($f.age) desc, n } }
                        """);
        Expression.Arithmetic mixed =
                (Expression.Arithmetic) plan.result().outputs().get(2).expression();
        PropertyType i32 = new PropertyType.Scalar(ScalarType.I32);
        assertThat(mixed.right()).isEqualTo(new Expression.OutputOf(0, i32));
        Expression.Arithmetic key =
                (Expression.Arithmetic) plan.last().order().get(0).expression();
        assertThat(key.left()).isEqualTo(new Expression.OutputOf(0, i32));
        assertThat(plan.last().order().get(1).expression()).isInstanceOf(Expression.Aggregate.class);
        assertThat(plan.last().order().get(2).expression()).isEqualTo(new Expression.OutputOf(1, PropertyType.I64));
    }

    @Test
    void interfacesBindAllTheirTypesAndRebindingNarrows() {
        Plan.Read both = read("{ match { $x: Named { name: $n } } return { $x } }");
        assertThat(both.variables().getFirst().types()).containsExactly(Catalogs.PERSON, Catalogs.COMPANY);
        Expression.Compare match =
                (Expression.Compare) both.last().match().filters().getFirst();
        assertThat(((Expression.PropertyOf) match.left()).identityByType())
                .containsEntry(Catalogs.PERSON, Catalogs.NAME)
                .containsEntry(Catalogs.COMPANY, 30);
        Plan.Read one = read("{ match { $x: Named  $x: Person  $x.age > 3 } return { $x.name } }");
        assertThat(one.variables().getFirst().types()).containsExactly(Catalogs.PERSON);
        Plan.Read inner = read("{ match { $x: Named  exists { $x: Person  $x.age > 3 } } return { $x.name } }");
        assertThat(inner.variables().getFirst().types()).containsExactly(Catalogs.PERSON, Catalogs.COMPANY);
        assertThat(inner.last().match().blocks().getFirst().pattern().filters().getFirst())
                .isInstanceOf(Expression.In.class);
    }

    @Test
    void columnsAreNamedByTheirSource() {
        Plan.Read plan = read("""
                        { match { $p: Person } return {
                            $p.age   +  1
                            count( /* all */ $p ),
                            $p . @id
                            coalesce( $p.name , "a  $b" )
                            count(distinct
                                  $p)
                            $p.age+2
                            count ( $p ) + 1
                            not ( $p.age  in [ 1 , 2 ] ),
                            max($p.tags [ 0 ])
                            collect($p.name) [ 0 .. 2 ]
                        } }
                        """);
        assertThat(plan.result().outputs().stream().map(Plan.Output::column))
                .containsExactly(
                        "p.age + 1",
                        "count(p)",
                        "p.@id",
                        "coalesce(p.name, \"a  $b\")",
                        "count(distinct p)",
                        "p.age+2",
                        "count(p) + 1",
                        "not (p.age in [1, 2])",
                        "max(p.tags[0])",
                        "collect(p.name)[0..2]");
    }

    @Test
    void mutationsBecomeStatementsOverSlotZero() {
        Plan.Mutation plan = (Plan.Mutation) plan("""
                                query add($name: String, $to: String, $at: Date, $photo: Blob?) {
                                  insert Person { name: $name, age: 3 photo: $photo, face: [1, 2.5, 3] }
                                  insert WorksAt { from: $name, to: $to, role: "x" }
                                  update Person set { age: age + 1, mood: null, weight: 2 } where name = $name and @id != "b"
                                  update Knows set { since: $at } where @src = $name or since is null
                                }
                                """);
        assertThat(plan.statements()).hasSize(4);
        Plan.Statement.InsertNode insert =
                (Plan.Statement.InsertNode) plan.statements().get(0);
        assertThat(insert.assignments().get(3).value())
                .isEqualTo(new Expression.Literal(
                        new Value.Vector(new float[] {1, 2.5f, 3}), new PropertyType.VectorOf(3)));
        Plan.Statement.Update update = (Plan.Statement.Update) plan.statements().get(2);
        assertThat(update.assignments().get(0).value()).isInstanceOf(Expression.Arithmetic.class);
        assertThat(update.assignments().get(2).value())
                .isEqualTo(new Expression.Literal(new Value.Real(2), PropertyType.F64));
        Plan.Mutation delete = (Plan.Mutation) plan("query d() { delete Knows where true }");
        assertThat(delete.statements().getFirst())
                .isEqualTo(new Plan.Statement.Delete(
                        Catalogs.KNOWS, new Expression.Literal(new Value.Bool(true), PropertyType.BOOL)));
    }

    @Test
    void keywordsAreNamesWhereTheGrammarDoesNotNeedThem() {
        Plan.Read plan = read(
                "{ match { $match: Person  $match.name contains \"x\" } return { $match.name as order } order { order } }");
        assertThat(plan.result().outputs().getFirst().column()).isEqualTo("order");
    }

    @Test
    void parametersOfAllTypesWithDefaults() {
        Plan.Read plan = (Plan.Read) plan("""
                                query q($a: String = "x", $b: Bool, $c: I32 = -3, $d: I64?, $e: U32, $f: U64 = 18446744073709551615,
                                    $g: F32 = 1, $h: F64, $i: Date = date("2024-02-29"), $j: DateTime, $k: [String] = ["a", "b"],
                                    $l: enum(a-1, 2b)?, $m: Vector(3), $n: Blob) @description("all of them") {
                                  match { $p: Person } return { $p.name } }
                                """);
        assertThat(plan.parameters()).hasSize(14);
        assertThat(plan.parameters().get(2).defaultValue()).isEqualTo(new Value.Int(-3));
        assertThat(plan.parameters().get(5).defaultValue()).isEqualTo(new Value.UInt(-1));
        assertThat(plan.parameters().get(6).defaultValue()).isEqualTo(new Value.Real(1));
        assertThat(plan.parameters().get(8).defaultValue()).isEqualTo(new Value.Date(19782));
        assertThat(plan.parameters().get(11).type()).isEqualTo(new PropertyType.EnumOf(List.of("2b", "a-1")));
        assertThat(plan.annotations().getFirst().argument()).isEqualTo("all of them");
    }

    @Test
    void settingsAndStatements() {
        CompiledSource compiled = GqCompiler.compile(
                "set timeout_ms = 5; reset all; branch create review/a-1 from 'x'".replace('\'', '"'), null, catalog);
        assertThat(compiled.settings())
                .containsExactly(
                        new CompiledSource.SettingChange("timeout_ms", new Value.Int(5)),
                        new CompiledSource.SettingChange(null, null));
        assertThat(compiled.request()).isEqualTo(new CompiledSource.Request.BranchCreate("review/a-1", "x"));
        assertThat(GqCompiler.compile("branch merge 1.2.x into main;", null, catalog)
                        .request())
                .isEqualTo(new CompiledSource.Request.BranchMerge("1.2.x", "main"));
        assertThat(GqCompiler.compile("branch list", null, catalog).request())
                .isEqualTo(new CompiledSource.Request.BranchList());
        assertThat(GqCompiler.compile("show all;", null, catalog).request())
                .isEqualTo(new CompiledSource.Request.ShowSettings(null));
        CompiledSource explained =
                GqCompiler.compile("explain analyze query q() { match { $p: Person } return { $p } }", null, catalog);
        assertThat(explained.request())
                .isInstanceOfSatisfying(
                        CompiledSource.Request.Explain.class,
                        e -> assertThat(e.analyze()).isTrue());
    }

    @Test
    void aByteOrderMarkDoesNotCountAsAColumn() {
        assertThat(GqCompiler.lint("\uFEFFquery q() { match { $p: Persn } return { $p } }", catalog))
                .singleElement()
                .satisfies(finding -> assertThat(finding.line()).isEqualTo(1))
                .satisfies(finding -> assertThat(finding.column()).isEqualTo(25));
    }

    @Test
    void severalQueriesAreChosenByName() {
        String source = """
                query first() { match { $p: Person } return { $p } }
                query second() { match { $p: Person } return { $p.nonsense } }
                """;
        assertThat(GqCompiler.compile(source, "first", catalog).request())
                .isInstanceOf(CompiledSource.Request.Query.class);
        assertThatThrownBy(() -> GqCompiler.compile(source, null, catalog))
                .isInstanceOf(ServiceException.class)
                .hasMessage("the source holds several queries; choose one with `name`: `first`, `second`");
        assertThatThrownBy(() -> GqCompiler.compile(source, "frist", catalog))
                .hasMessage("the source holds no query `frist`; did you mean `first`?; it holds `first`, `second`");
        assertThat(GqCompiler.lint(source, catalog)).extracting("code").containsExactly("T2");
    }

    @Test
    void theCacheGivesTheSamePlanAgain() {
        PlanCache cache = new PlanCache(1 << 20);
        String source = "query q() { match { $p: Person } return { $p } }";
        CompiledSource first = cache.compile(source, null, catalog, Work.UNCOUNTED);
        assertThat(cache.compile(source, null, catalog, Work.UNCOUNTED)).isSameAs(first);
        assertThat(cache.compile(source, "q", catalog, Work.UNCOUNTED))
                .isNotSameAs(first)
                .isEqualTo(first);
    }
}
