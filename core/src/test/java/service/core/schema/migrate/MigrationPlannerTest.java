package service.core.schema.migrate;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import service.core.schema.Catalog;
import service.core.schema.CatalogCodec;
import service.core.schema.EdgeEnd;
import service.core.schema.EntityType;
import service.core.schema.IndexDefinition;
import service.core.schema.Property;
import service.core.schema.SchemaCompiler;

/** Every step and every refusal of the planner, each as a pair of schemas. */
final class MigrationPlannerTest {
    private static final String BASE =
            "node P { a: String  b: I32?  e: enum(x, y)? } node Q { } edge E: P -> Q { w: I32? }";

    /** Data that fails every check: two entities, the first called `ada`. */
    private static final LiveData FAILING = MigrationPlannerTest::failAll;

    private static Map<LiveCheck, LiveData.Offence> failAll(Catalog desired, Collection<LiveCheck> checks) {
        Map<LiveCheck, LiveData.Offence> offences = new HashMap<>();
        checks.forEach(check -> offences.put(check, new LiveData.Offence("ada", 2, "is wrong")));
        return offences;
    }

    private static MigrationPlan plan(String before, String after, LiveData live) {
        return MigrationPlanner.of(SchemaCompiler.compile(before), after).decide(live, DropApproval.none("approve %s"));
    }

    private static String steps(MigrationPlan plan) {
        return plan.steps().stream().map(MigrationPlannerTest::text).collect(Collectors.joining("; "));
    }

    private static String text(MigrationStep step) {
        String property = step.property() == null ? "" : "." + step.property();
        String before = step.before() == null ? "" : " -" + step.before();
        String after = step.after() == null ? "" : " +" + step.after();
        return step.action().wireName() + " " + step.kind() + " " + step.typeName() + property + before + after;
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            node P { a: String } | node P { a: String } node Q { } | add_type node Q
            node P { } node Q { } | node P { } | drop_type node Q
            node P { } node Q { } edge E: P -> Q | node P { } node Q { } | drop_type edge E
            node P { a: I32 } | node R @rename_from("P") { a: I32 } | rename_type node R -P +R
            node P { } edge E: P -> P | node P { } edge F: P -> P @rename_from("E") | rename_type edge F -E +F
            node P { } edge Ee: P -> P | node P { } edge EE: P -> P | rename_type edge EE -Ee +EE
            node P { } edge Ee: P -> P | node P { } edge F: P -> P @rename_from("EE") | rename_type edge F -Ee +F
            node P { } edge E: P -> P | node R @rename_from("P") { } edge E: R -> R | rename_type node R -P +R
            node P { } | node P { b: I32? } | add_property node P.b +I32?
            node P { } | node P { b: I32 @default(3) } | add_property node P.b +I32 @default(3)
            node P { a: I32 } | node P { } | drop_property node P.a -I32
            node P { a: I32 } | node P { b: I32 @rename_from("a") } | rename_property node P.b -a +b
            node P { a: I32 @unique } | node P { b: I32 @unique @rename_from("a") } | rename_property node P.b -a +b
            node P { e: enum(x, y) } | node P { e: enum(z, y, x) } | extend_enum node P.e -enum(x, y) +enum(x, y, z)
            node P { a: I32 } | node P { a: I32? } | relax_nullability node P.a -I32 +I32?
            node P { a: I32? } | node P { a: I32 } | add_constraint node P.a +required
            node P { a: I32 } | node P { a: I32 @index } | add_constraint node P +@index(a)
            node P { a: I32 @index } | node P { a: I32 @unique } | drop_constraint node P -@index(a); add_constraint node P +@unique(a)
            node P { a: String @key } | node P { a: String } | drop_constraint node P -@key(a)
            node P { a: String } | node P { a: String @key } | add_constraint node P +@key(a)
            node P { a: I32 @range(a, 0..) } | node P { a: I32 @range(a, 1..9) } | drop_constraint node P -@range(a, 0..); add_constraint node P +@range(a, 1..9)
            node P { a: String } | node P { a: String @check(a, "x\\"+") } | add_constraint node P +@check(a, "x\\"+")
            node P { } edge E: P -> P @card(0..1) | node P { } edge E: P -> P @card(1..2) | drop_constraint edge E -@card(0..1); add_constraint edge E +@card(1..2)
            node P { } edge E: P -> P @card(0..1) | node P { } edge E: P -> P | drop_constraint edge E -@card(0..1)
            node P { } edge E: P -> P | node P { } edge E: P -> P { @unique(src, dst) } | add_constraint edge E +@unique(src, dst)
            node P { a: I32 } | node P { a: I32 @default(3) } | update_annotations node P.a - +@default("3")
            node P { a: String } | node P { a: String @search(english) } | update_annotations node P.a - +@search("english")
            node P { a: String @search(cjk) } | node P { a: String } | update_annotations node P.a -@search("cjk") +
            node P { a: Vector(2) } | node P { a: Vector(2) @index(a) } | update_annotations node P.a - +@index
            node P { a: I32 } | node P @description("d") { a: I32 } | update_annotations node P - +@description("d")
            node P { a: I32 } | interface N { a: I32 } node P implements N { } | add_type interface N; update_annotations node P - +implements N
            interface N { a: I32 } node P implements N { } | interface N { b: I32 @rename_from("a") } node P implements N { } | rename_property interface N.b -a +b; rename_property node P.b -a +b
            interface N { a: I32? } node P implements N { } | interface N { a: I32?  c: Bool? } node P implements N { } | add_property interface N.c +Bool?; add_property node P.c +Bool?
            node P { } node Q { } edge E: P -> P | 'node P { } node Q { } edge E: P | Q -> P' | 'widen_end edge E.from -P +P | Q'
            'node P { } node Q { } edge E: P -> P' | 'node P { } node Q { } edge E: P -> P | Q' | 'widen_end edge E.to -P +P | Q'
            'node P { } node Q { } edge E: P | Q -> P' | node P { } node Q { } edge E: Q -> P | 'narrow_end edge E.from -P | Q +Q'
            'node P { } node Q { } edge E: P | Q -> P' | 'node P { } node Q { } edge E: Q | P -> P' | ''
            interface N { } node P implements N { } edge E: N -> N | interface N { } node P implements N { } node Q implements N { } edge E: N -> N | 'add_type node Q; widen_end edge E.from -N (P) +N (P | Q); widen_end edge E.to -N (P) +N (P | Q)'
            interface N { } node P implements N { } edge E: N -> P | interface N { } node P implements N { } edge E: P -> P | narrow_end edge E.from -N (P) +P
            'node P { } node Q { } node R { } edge E: P | Q -> P' | 'node P { } node R { } edge E: P | R -> P' | 'widen_end edge E.from -P | Q +P | R; narrow_end edge E.from -P | Q +P | R; drop_type node Q'
            node P { a: I32 } | node P { /* text */ a: I32 } | ''
            node P { } | edge P: Q -> Q node Q { } | add_type node Q; add_type edge P; drop_type node P
            """)
    void eachChangeIsAStep(String before, String after, String steps) {
        MigrationPlan plan = plan(before, after, LiveData.NONE);
        assertThat(plan.refusals()).isEmpty();
        assertThat(plan.drops()).isEmpty();
        assertThat(steps(plan)).isEqualTo(steps);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            node P { } node Q { } | node P { } | PG-DS-102 | approve Q
            node P { } edge E: P -> P | node P { } | PG-DS-103 | approve E
            node P { } | node P { a: I32 } | PG-MF-103 | a: I32?
            node P { a: I32? } | node P { a: I32 } | PG-MF-104 | update P set { a: … } where a is null
            node P { o: I32? } | node P { a: I32 @rename_from("o") } | PG-MF-104 | update P set { o: … } where o is null
            node P { a: I32 } | node P { a: I32 @unique } | PG-MF-107 | @unique(a)
            node P { a: I32 } | node P { a: I32 @key } | PG-MF-107 | @key(a)
            node P { a: I32 } | node P { a: I32 @range(a, 0..) } | PG-MF-107 | @range(a, 0..)
            node P { a: String } | node P { a: String @check(a, "x") } | PG-MF-107 | @check(a, "x")
            node P { } edge E: P -> P | node P { } edge E: P -> P @card(0..1) | PG-MF-107 | @card(0..1)
            node P { } edge E: P -> P @card(0..5) | node P { } edge E: P -> P @card(1..5) | PG-MF-107 | @card(1..5)
            'node P { } node Q { } edge E: P | Q -> P' | node P { } node Q { } edge E: P -> P | PG-MF-108 | delete these edges
            interface N { } node P implements N { } node Q implements N { } edge E: N -> P | interface N { } node P { } node Q implements N { } edge E: N -> P | PG-MF-108 | N (Q) -> P
            """)
    void dataCanRefuse(String before, String after, String code, String remedy) {
        assertThat(plan(before, after, LiveData.NONE).refusals()).isEmpty();
        MigrationPlan plan = plan(before, after, FAILING);
        assertThat(plan.refusals()).hasSize(1);
        SchemaRefusal refusal = plan.refusals().getFirst();
        assertThat(refusal.code()).isEqualTo(code);
        assertThat(refusal.count()).isEqualTo(2);
        assertThat(refusal.entityId()).isEqualTo("ada");
        assertThat(refusal.message()).contains("`ada`", "2 entities", remedy);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            node P { e: enum(x, y) } | node P { e: enum(x) } | PG-MF-106 | y
            node P { a: I32 } | node P { a: I64 } | PG-MF-106 | from I32 to I64
            node P { a: I32 } | node P { a: [I32] } | PG-MF-106 | from I32 to [I32]
            node P { v: Vector(3)? } | node P { v: Vector(4)? } | PG-MF-106 | Vector(4)
            node P { a: String @key  b: String } | node P { a: String  b: String @key } | PG-MF-108 | from @key(a) to @key(b)
            node P { a: String @key  b: String } | node P { a: String  b: String @key(a, b) } | PG-MF-108 | @key(a, b)
            node P { } node Q { } edge E: P -> P | node P { } node Q { } edge E: P -> Q | PG-MF-108 | ends
            node A { } node B { } | node B @rename_from("A") { } | PG-MF-109 | exists already
            node A { } | node B @rename_from("A") { } node C @rename_from("A") { } | PG-MF-109 | both name
            node Person { } | node Human @rename_from("Persn") { } | PG-MF-109 | did you mean `Person`?
            node P { name: I32 } | node P { title: I32 @rename_from("nme") } | PG-MF-109 | did you mean `name`?
            """)
    void someChangesAreRefusedForAnyData(String before, String after, String code, String text) {
        MigrationPlan plan = plan(before, after, LiveData.NONE);
        assertThat(plan.refusals()).extracting(SchemaRefusal::code).containsOnly(code);
        assertThat(plan.refusals().getFirst().message()).contains(text);
        assertThat(plan.steps()).extracting(MigrationStep::action).contains(MigrationStep.Action.UNSUPPORTED);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            node P { } edge E: P -> P @card(1..1) | node P { } edge E: P -> P @card(0..2)
            node P { a: I32 @unique } | node P { a: I32 @index }
            node P { a: I32 } | node P { a: I32? }
            node P { e: enum(x) } | node P { e: enum(x, y) }
            node P { } | node P { a: I32 @default(1) }
            node P { } | node P { } node N { a: I32 @key  @range(a, 0..) }
            """)
    void whatLoosensAsksNothing(String before, String after) {
        assertThat(plan(before, after, FAILING).refusals()).isEmpty();
    }

    @Test
    void identitiesStayAndAreNeverReused() {
        Catalog first = SchemaCompiler.compile(BASE);
        Catalog second =
                migrate(first, "node R @rename_from(\"P\") { c: String @rename_from(\"a\") @index } node Q { }");
        EntityType.NodeType before = first.node("P");
        EntityType.NodeType now = second.node("R");
        assertThat(now.identity()).isEqualTo(before.identity());
        assertThat(now.property("c").identity()).isEqualTo(before.property("a").identity());
        Catalog third = migrate(second, "node R { c: String  b: I32? @index } node Q { } edge E: R -> Q { w: I32? }");
        assertThat(third.node("R").identity()).isEqualTo(before.identity());
        assertThat(third.node("R").property("b").identity()).isGreaterThanOrEqualTo(second.nextIdentity());
        assertThat(third.edge("E").identity()).isGreaterThanOrEqualTo(second.nextIdentity());
        assertThat(third.node("R").indexes())
                .extracting(IndexDefinition::identity)
                .allMatch(index -> index >= second.nextIndex());
        Catalog restored = CatalogCodec.decode(third.source(), CatalogCodec.encode(third));
        assertThat(restored.fingerprint()).isEqualTo(third.fingerprint());
        assertThat(restored.nodes()).containsExactlyElementsOf(third.nodes());
    }

    @Test
    void theLanesOfAnEdgeTypeStay() {
        String nodes = "node P { } node Q { } node R { } ";
        Catalog first = SchemaCompiler.compile(nodes + "edge E: Q -> P");
        assertThat(CatalogCodec.encode(first)[0]).as("bytes as before").isEqualTo((byte) 2);
        Catalog second = migrate(first, nodes + "edge E: P | Q -> R | P edge F: R | P -> P");
        Catalog third = migrate(second, nodes + "edge G: R | P -> P @rename_from(\"E\")");
        Catalog fourth = migrate(third, nodes + "edge G: P | R -> Q | P edge H: P -> P | Q");
        int p = first.node("P").identity();
        int q = first.node("Q").identity();
        int r = first.node("R").identity();
        EntityType.EdgeType now = fourth.edge("G");
        assertThat(now.source().places()).containsExactly(q, p, r);
        assertThat(now.destination().places()).containsExactly(p, r, q);
        assertThat(now.lane(q, p).identity()).isEqualTo(first.edge("E").identity());
        assertThat(now.lane(p, r))
                .isEqualTo(second.edge("E").lane(p, r))
                .isEqualTo(fourth.lane(now.lane(p, r).identity()));
        assertThat(now.ends().number())
                .isNotIn(
                        fourth.edge("H").ends().number(),
                        second.edge("F").ends().number());
        assertThat(now.source().types()).extracting(EdgeEnd.NodeName::name).containsExactly("P", "R");
        for (Catalog catalog : List.of(second, third, fourth)) {
            Catalog restored = CatalogCodec.decode(catalog.source(), CatalogCodec.encode(catalog));
            assertThat(restored.fingerprint()).isEqualTo(catalog.fingerprint());
            assertThat(restored.edges()).containsExactlyElementsOf(catalog.edges());
        }
    }

    @Test
    void annotationsLeftInTheSourceHaveNoEffect() {
        String swapped =
                "node A @rename_from(\"B\") { p: I32 @rename_from(\"q\")  q: I32 @rename_from(\"p\") } node B @rename_from(\"A\") { }";
        Catalog first = SchemaCompiler.compile("node A { } node B { p: I32  q: I32 }");
        Catalog second = migrate(first, swapped);
        assertThat(second.node("A").identity()).isEqualTo(first.node("B").identity());
        assertThat(second.node("B").identity()).isEqualTo(first.node("A").identity());
        assertThat(second.node("A").property("p").identity())
                .isEqualTo(first.node("B").property("q").identity());
        assertThat(MigrationPlanner.of(second, swapped)
                        .decide(FAILING, DropApproval.every())
                        .isNothing())
                .isTrue();
        MigrationPlan later =
                MigrationPlanner.of(second, swapped + " node C { }").decide(FAILING, DropApproval.every());
        assertThat(steps(later)).isEqualTo("add_type node C");
        assertThat(later.desired().node("A").identity())
                .isEqualTo(second.node("A").identity());
        Catalog back = migrate(second, "node A { p: I32  q: I32 } node B { }");
        assertThat(back.node("A").identity()).isEqualTo(second.node("A").identity());
        assertThat(back.fingerprint()).isNotEqualTo(second.fingerprint());
    }

    @Test
    void chainsOfRenamesHappenAtOnce() {
        Catalog first = SchemaCompiler.compile("node A { } node B { }");
        MigrationPlan plan = MigrationPlanner.of(
                        first, "node B @rename_from(\"A\") { } node C @rename_from(\"B\") { } node A { }")
                .decide(FAILING, DropApproval.none(""));
        assertThat(plan.refusals()).isEmpty();
        assertThat(plan.desired().node("B").identity())
                .isEqualTo(first.node("A").identity());
        assertThat(plan.desired().node("C").identity())
                .isEqualTo(first.node("B").identity());
        assertThat(plan.desired().node("A").identity()).isGreaterThanOrEqualTo(first.nextIdentity());
    }

    @Test
    void aNewRequiredPropertyGivesItsDefaultToOldEntities() {
        Catalog first = SchemaCompiler.compile("node P { }");
        Catalog second =
                migrate(first, "node P { a: I32 @default(3)  b: I32? @default(4) } node N { c: I32 @default(5) }");
        assertThat(missing(second, "P", "a")).hasToString("Int[value=3]");
        assertThat(second.node("P").property("b").missing()).isNull();
        assertThat(second.node("N").property("c").missing()).isNull();
        Catalog third = migrate(second, "node P { z: I32? @default(9) @rename_from(\"a\") }");
        assertThat(missing(third, "P", "z")).hasToString("Int[value=3]");
        Catalog restored = CatalogCodec.decode(third.source(), CatalogCodec.encode(third));
        assertThat(missing(restored, "P", "z")).hasToString("Int[value=3]");
    }

    @Test
    void approvedDropsAreListed() {
        MigrationPlanner planner =
                MigrationPlanner.of(SchemaCompiler.compile("node A { } node B { }"), "interface I { }");
        MigrationPlan one = planner.decide(FAILING, new DropApproval(false, java.util.Set.of("A"), "approve %s"));
        assertThat(one.refusals()).extracting(SchemaRefusal::typeName).containsExactly("B");
        assertThat(one.drops())
                .containsExactly(
                        new MigrationPlan.Drop("node", "A", 2, true), new MigrationPlan.Drop("node", "B", 2, false));
        assertThat(planner.decide(FAILING, DropApproval.every()).refusals()).isEmpty();
        assertThat(planner.typesAsked()).hasSize(2);
    }

    private static Object missing(Catalog catalog, String type, String name) {
        Property property = catalog.node(type).property(name);
        return property.missing();
    }

    private static Catalog migrate(Catalog from, String source) {
        MigrationPlan plan = MigrationPlanner.of(from, source).decide(LiveData.NONE, DropApproval.every());
        assertThat(plan.refusals()).isEqualTo(List.of());
        return plan.desired();
    }
}
