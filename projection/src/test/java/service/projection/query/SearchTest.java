package service.projection.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import service.core.error.ServiceException;
import service.core.gq.CompiledSource.Request;
import service.core.gq.GqCompiler;
import service.core.gq.plan.Plan;
import service.core.port.QueryExecutor.ExplainRow;
import service.core.schema.Catalog;
import service.core.schema.EntityType;
import service.core.schema.SchemaCompiler;
import service.core.testkit.HeapGraph;
import service.core.testkit.HeapView;
import service.core.value.Value;

/** The functions of search without an index: rows, scores bit for bit, nulls, limits and plans. */
class SearchTest {
    private static final Catalog CATALOG = SchemaCompiler.compile("""
            interface Named { title: String @search(english) }
            node Doc implements Named {
                slug: String
                body: String? @search
                tags: [String]? @search(folded)
                code: String? @search(whole)
                kind: enum(a, b)?
                cos: Vector(2)? @search
                dot: Vector(2)? @search(dot)
                l2: Vector(2)? @search(l2)
                plain: String?
                wide: Vector(3)?
            }
            node Note implements Named { slug: String }
            edge Cites: Doc -> Doc { why: String? @search }
            """);

    private final HeapGraph graph = new HeapGraph(CATALOG);
    private final HeapView view = new HeapView(graph, 3);

    private static EntityType type(String name) {
        EntityType node = CATALOG.node(name);
        return node != null ? node : CATALOG.edge(name);
    }

    private HeapGraph.Entity add(String type, String id, Map<String, Object> values) {
        HeapGraph.Entity entity = graph.add(type(type).identity(), id);
        entity.properties.put(type(type).property("slug").identity(), new Value.Text(id));
        set(entity, type, values);
        return entity;
    }

    private static void set(HeapGraph.Entity entity, String type, Map<String, Object> values) {
        values.forEach((name, value) -> entity.properties.put(
                type(type).property(name).identity(),
                switch (value) {
                    case String text -> new Value.Text(text);
                    case float[] vector -> new Value.Vector(vector);
                    case List<?> list ->
                        new Value.ListOf(list.stream()
                                .map(item -> (Value) new Value.Text((String) item))
                                .toList());
                    default -> throw new IllegalArgumentException(name);
                }));
    }

    private static float[] v(double... items) {
        float[] vector = new float[items.length];
        for (int i = 0; i < items.length; i++) {
            vector[i] = (float) items[i];
        }
        return vector;
    }

    @BeforeEach
    void documents() {
        HeapGraph.Entity a = add(
                "Doc",
                "a",
                Map.of(
                        "title",
                        "Running home",
                        "body",
                        "the quick brown fox jumps",
                        "tags",
                        List.of("Zürich lake", "Genève"),
                        "code",
                        "AB-12",
                        "cos",
                        v(1, 0),
                        "dot",
                        v(1, 0),
                        "l2",
                        v(1, 0),
                        "plain",
                        "quick tests"));
        HeapGraph.Entity b = add(
                "Doc",
                "b",
                Map.of(
                        "title",
                        "The runner",
                        "body",
                        "brown brown bear",
                        "tags",
                        List.of("lake genève"),
                        "code",
                        "ab-1",
                        "cos",
                        v(1, 1),
                        "dot",
                        v(3, 1),
                        "l2",
                        v(0, 0)));
        add("Doc", "c", Map.of("title", "Nothing", "body", "", "tags", List.of(), "cos", v(0, 0), "dot", v(0, 0)));
        add("Doc", "d", Map.of("title", "Silence"));
        add("Note", "a", Map.of("title", "runs runs"));
        HeapGraph.Entity cites = graph.addEdge(type("Cites").identity(), "e1", a, b);
        set(cites, "Cites", Map.of("why", "brown animals"));
        graph.addEdge(type("Cites").identity(), "e2", b, a);
    }

    private static Plan.Read compile(String source) {
        Request request = GqCompiler.compile(source, null, CATALOG).request();
        return (Plan.Read) ((Request.Query) request).plan();
    }

    private List<List<Value>> answer(String parameters, List<Value> arguments, String body) {
        return PlanTrials.run(compile("query q(" + parameters + ") { " + body + " }"), arguments, view);
    }

    private List<String> rows(String body) {
        return shown(answer("", List.of(), body));
    }

    private static List<String> shown(List<List<Value>> rows) {
        List<String> all = new ArrayList<>();
        for (List<Value> row : rows) {
            all.add(String.join(" ", row.stream().map(SearchTest::shown).toList()));
        }
        return all;
    }

    private static String shown(Value value) {
        return switch (value) {
            case Value.Text(String text) -> text;
            case Value.Int(long number) -> String.valueOf(number);
            case Value.Real(double number) -> String.valueOf(number);
            case Value.Bool(boolean is) -> String.valueOf(is);
            case Value.Null ignored -> "null";
            default -> value.toString();
        };
    }

    /** The ids for which a filter is true. */
    private String hits(String filter) {
        return String.join(",", rows("match { $d: Doc " + filter + " } return { $d.slug } order { $d.slug }"));
    }

    @Test
    void filters() {
        assertThat(hits("search($d.body, \"fox bear\")")).isEqualTo("a,b");
        assertThat(hits("search($d.body, \"BROWN fox\", \"all\")")).isEqualTo("a");
        assertThat(hits("search($d.body, \"brown qui\", \"prefix\")")).isEqualTo("a");
        assertThat(hits("search($d.body, \"be be\", \"prefix\")")).isEmpty();
        assertThat(hits("search($d.body, \"bear be\", \"prefix\")")).isEqualTo("b");
        assertThat(hits("match_text($d.body, \"brown fox\")")).isEqualTo("a");
        assertThat(hits("match_text($d.body, \"fox brown\")")).isEmpty();
        assertThat(hits("match_text($d.body, \"brown brown bear\")")).isEqualTo("b");
        assertThat(hits("match_text($d.body, \"brown bear\")")).isEqualTo("b");
        assertThat(hits("match_text($d.tags, \"zurich LAKE\")")).isEqualTo("a");
        assertThat(hits("match_text($d.tags, \"lake geneve\")")).isEqualTo("b");
        assertThat(hits("search($d.code, \"ab-12\")")).isEqualTo("a");
        assertThat(hits("search($d.code, \"AB\", \"prefix\")")).isEqualTo("a,b");
        assertThat(hits("search($d.title, \"run\")")).isEqualTo("a");
        assertThat(hits("search($d.plain, \"QUICK\")")).isEqualTo("a");
        assertThat(hits("not search($d.body, \"fox\")")).isEqualTo("b,c");
        assertThat(hits("search($d.body, \"...\")")).isEmpty();
        assertThat(hits("not search($d.body, \"...\")")).isEqualTo("a,b,c");
        assertThat(hits("not search($d.body, null)")).isEmpty();
        assertThat(hits("search($d.body, \"fox\") or $d.slug = \"d\"")).isEqualTo("a,d");
    }

    @Test
    void fuzzy() {
        assertThat(hits("fuzzy($d.body, \"quikc\")")).isEqualTo("a");
        assertThat(hits("fuzzy($d.body, \"quikc\", 0)")).isEmpty();
        assertThat(hits("fuzzy($d.body, \"brwn bare\", 1)")).isEmpty();
        assertThat(hits("fuzzy($d.body, \"brwn bar\", 1)")).isEqualTo("b");
        assertThat(hits("fuzzy($d.body, \"fx\")")).isEmpty();
        assertThat(hits("fuzzy($d.body, \"fx\", 1)")).isEqualTo("a");
        assertThat(shown(answer(
                        "$n: I64",
                        List.of(new Value.Int(2)),
                        "match { $d: Doc fuzzy($d.body, \"jmp\", $n) } return { $d.slug }")))
                .containsExactly("a");
        assertThatThrownBy(() -> answer(
                        "$n: I64",
                        List.of(new Value.Int(3)),
                        "match { $d: Doc fuzzy($d.body, \"jmp\", $n) } return { $d.slug }"))
                .isInstanceOf(ServiceException.class)
                .hasMessageContaining("T19")
                .hasMessageContaining("0 to 2, not 3");
    }

    /** The formula of the specification, written once more. */
    private static double bm25(int[][] terms, int length, double average, int texts) {
        double sum = 0.0;
        for (int[] term : terms) {
            double f = term[0];
            double n = term[1];
            double weight = StrictMath.log(1 + (texts - n + 0.5) / (n + 0.5));
            sum += f == 0 ? 0 : weight * f / (f + 1.2 * (0.25 + 0.75 * length / average));
        }
        return sum;
    }

    @Test
    void bm25CountsTheCollection() {
        // Three texts of 5, 3 and 0 terms, although the match has one.
        double average = 8.0 / 3;
        String match = "match { $d: Doc { slug: \"b\" } } ";
        assertThat(answer("", List.of(), match + "return { bm25($d.body, \"bear brown brown zebra\") }"))
                .containsExactly(List.of(new Value.Real(bm25(new int[][] {{1, 1}, {2, 2}, {0, 0}}, 3, average, 3))));
        assertThat(rows("match { $d: Doc } return { $d.slug, bm25($d.body, \"zebra\") as s } order { $d.slug }"))
                .containsExactly("a 0.0", "b 0.0", "c 0.0", "d null");
        assertThat(rows("match { $d: Doc } return { $d.slug } order { bm25($d.body, \"brown\") }"))
                .containsExactly("b", "a", "c", "d");
        assertThat(rows("match { $d: Doc } return { $d.slug } order { bm25($d.body, \"brown\") asc }"))
                .containsExactly("d", "c", "a", "b");
        // The English stems of both types of the interface: run, runner, nothing, silenc and run twice.
        double all = (2 + 2 + 1 + 1 + 2) / 5.0;
        assertThat(answer(
                        "",
                        List.of(),
                        "match { $n: Named } return { $n.slug, bm25($n.title, \"running\") as s } order { s } limit 2"
                                .replace("$n.slug", "$n.@type")))
                .containsExactly(
                        List.of(new Value.Text("Note"), new Value.Real(bm25(new int[][] {{2, 2}}, 2, all, 5))),
                        List.of(new Value.Text("Doc"), new Value.Real(bm25(new int[][] {{1, 2}}, 2, all, 5))));
        assertThat(rows("match { $a $w:cites $b } return { bm25($w.why, \"animals\") > 0.1 as s } order { $w.@id }"))
                .containsExactly("true", "null");
    }

    @Test
    void nearest() {
        List<Value> vector = List.of(new Value.Vector(v(2, 1)));
        String ranked = "match { $d: Doc } return { $d.slug, nearest($d.%s, $v) as s } order { s } limit 9";
        double cosA = 2.0 / (Math.sqrt(5.0) * Math.sqrt(1.0));
        double cosB = 3.0 / (Math.sqrt(5.0) * Math.sqrt(2.0));
        assertThat(shown(answer("$v: Vector(2)", vector, ranked.formatted("cos"))))
                .containsExactly("b " + cosB, "a " + cosA, "c null", "d null");
        assertThat(shown(answer("$v: Vector(2)", vector, ranked.formatted("dot"))))
                .containsExactly("b 7.0", "a 2.0", "c 0.0", "d null");
        assertThat(shown(answer("$v: Vector(2)", vector, ranked.formatted("l2"))))
                .containsExactly("a " + 1.0 / 3, "b " + 1.0 / 6, "c null", "d null");
        assertThat(rows("match { $d: Doc $s: Doc { slug: \"a\" } nearest($d.cos, $s.cos) >= 0.5 } return { $d.slug }"
                        + " order { nearest($d.cos, $s.cos) } limit 5"))
                .containsExactly("a", "b");
        assertThat(shown(answer("$v: Vector(2)?", List.of(Value.NULL), ranked.formatted("dot"))))
                .containsExactly("a null", "b null", "c null", "d null");
        assertThatThrownBy(() -> answer("$v: Vector(2)", List.of(new Value.Vector(v(0, 0))), ranked.formatted("cos")))
                .isInstanceOf(ServiceException.class)
                .hasMessageContaining("R2");
    }

    @Test
    void rankingsAreFused() {
        List<Value> vector = List.of(new Value.Vector(v(2, 1)));
        String fuse = "rrf(nearest($d.dot, $v), bm25($d.body, \"fox\"))";
        assertThat(shown(answer(
                        "$v: Vector(2)",
                        vector,
                        "match { $d: Doc } return { $d.slug, " + fuse + " as s } order { s } limit 9")))
                .containsExactly("a " + (1.0 / 62 + 1.0 / 61), "b " + 1.0 / 61, "c " + 1.0 / 63, "d 0.0");
        // Positions are those in the match, which drops b; the condition on the rows comes after them.
        assertThat(shown(answer(
                        "$v: Vector(2), $k: I64",
                        List.of(vector.getFirst(), new Value.Int(1)),
                        "match { $d: Doc $d.slug != \"b\" } return { $d.slug, rrf(nearest($d.dot, $v),"
                                + " bm25($d.body, \"fox\"), $k) as s } where $d.slug != \"a\" order { s } limit 9")))
                .containsExactly("c " + 1.0 / 3, "d 0.0");
        // Rows of one entity share its score, and it has one position.
        assertThat(shown(answer(
                        "$v: Vector(2)",
                        vector,
                        "match { $d: Doc $x: Note $e: Doc } return distinct { $d.slug, " + fuse
                                + " as s } order { s desc } limit 2")))
                .containsExactly("a " + (1.0 / 62 + 1.0 / 61), "b " + 1.0 / 61);
        assertThat(shown(answer(
                        "$v: Vector(2)",
                        vector,
                        "match { $d: Doc } with { $d } order { " + fuse
                                + " } limit 2 return { $d.slug } order { $d.slug desc }")))
                .containsExactly("b", "a");
        assertThatThrownBy(() -> answer(
                        "$v: Vector(2), $k: I64",
                        List.of(vector.getFirst(), new Value.Int(0)),
                        "match { $d: Doc } return { rrf(nearest($d.dot, $v), bm25($d.body, \"x\"), $k) } limit 1"))
                .isInstanceOf(ServiceException.class)
                .hasMessageContaining("T21")
                .hasMessageContaining("$k");
    }

    /** Wherever an expression may stand. */
    @Test
    void placesOfSearch() {
        assertThat(rows("match { $d: Doc count { $d cites $e search($e.body, \"fox\") } > 0 } return { $d.slug }"))
                .containsExactly("b");
        assertThat(rows("match { $d: Doc let $s = bm25($d.body, \"fox\") $s > 0 } return { $d.slug }"))
                .containsExactly("a");
        assertThat(rows("match { $d: Doc } return { count($d where search($d.body, \"brown\")) as n }"))
                .containsExactly("2");
        assertThat(rows("match { $d: Doc } return { $d.slug } where search($d.body, \"brown\") order { $d.slug desc }"))
                .containsExactly("b", "a");
        assertThat(rows("match { $d: Doc } with { $d, bm25($d.body, \"brown\") as $s } order { $s } limit 2"
                        + " return { $d.slug, case when $s > 0 then \"hit\" else \"miss\" end as hit } order { $s }"))
                .containsExactly("b hit", "a hit");
        assertThat(
                        rows(
                                "match { $d: Doc } return { collect($d.slug order { bm25($d.body, \"brown\") } limit 1) as best }"))
                .hasSize(1)
                .first()
                .asString()
                .contains("value=b");
        assertThat(rows("match { $d: Doc } return { max(bm25($d.body, \"fox\")) > 0 as hit }"))
                .containsExactly("true");
        assertThat(rows(
                        "match { $d: Doc search($d.body, \"fox\") } return { $d.slug as s, bm25($d.body, \"fox\") as r }"
                                + " union match { $d: Doc search($d.body, \"bear\") } return { $d.slug as s,"
                                + " bm25($d.body, \"bear bear brown\") as r } order { r }"))
                .map(row -> row.substring(0, 1))
                .containsExactly("b", "a");
    }

    @Test
    void rarePlacesOfSearch() {
        assertThat(rows(
                        "match { $a: Doc { slug: \"a\" } $a $p:cites{1,2 | $x $e $y where search($e.why, \"animals\")} $b }"
                                + " return { $b.slug }"))
                .containsExactly("b");
        assertThat(rows("match { $d: Doc } return { $d.slug } where any($x in [1, 2] where search($d.body, \"fox\") and"
                        + " $x = 2) order { $d.slug }"))
                .containsExactly("a");
        assertThat(rows("match { $d: Doc } return { $d.slug, bm25($d.body, \"fox\") > 0 as hit } order { $d.slug }"
                        + " limit 1 per { search($d.body, \"brown\") }"))
                .containsExactly("a true", "c false", "d null");
        assertThat(rows("match { $d: Doc optional { $d cites $e search($e.body, \"bear\") } }"
                        + " return { $d.slug, $e.slug } order { $d.slug }"))
                .containsExactly("a b", "b null", "c null", "d null");
    }

    @Test
    void rarePlacesOfFusedRankings() {
        String fuse = "rrf(bm25($d.body, \"fox\"), bm25($d.tags, \"lake\"))";
        assertThat(rows("match { $d: Doc } return { case when " + fuse + " > 0.02 then $d.slug else \"none\" end as x }"
                        + " order { " + fuse + ", $d.slug desc } limit 2"))
                .containsExactly("a", "none");
        assertThat(rows("match { $d: Doc $e: Doc } with distinct { $d } order { " + fuse + " } limit 2"
                        + " match { $d cites $e } return { $d.slug, $e.slug } order { $d.slug }"))
                .containsExactly("a b", "b a");
        assertThat(rows(
                        "match { $a $w:cites $b } return { $b.slug, rrf(bm25($w.why, \"brown\"), bm25($w.why, \"animals\"))"
                                + " as s } order { s } limit 9"))
                .containsExactly("b " + 2.0 / 61, "a 0.0");
        assertThat(rows("match { $d: Doc } return { $d.slug as x, " + fuse + " as s } union match { $d: Doc"
                        + " $d.slug != \"a\" } return { $d.slug as x, rrf(bm25($d.body, \"bear\"),"
                        + " bm25($d.body, \"bear\"), 1) as s } order { s } limit 3"))
                .containsExactly("b 1.0", "a " + (1.0 / 61 + 1.0 / 62), "b " + 1.0 / 61);
        assertThat(rows("match { optional { $d: Doc $d.slug = \"z\" } } return { " + fuse + " as s } limit 1"))
                .containsExactly("0.0");
    }

    @Test
    void bounds() {
        String many = String.join(
                " ",
                java.util.stream.IntStream.range(0, 65).mapToObj(i -> "t" + i).toList());
        for (String q : List.of(many, "x".repeat(8193))) {
            assertThatThrownBy(() -> answer(
                            "$q: String",
                            List.of(new Value.Text(q)),
                            "match { $d: Doc search($d.body, $q) } return { $d.slug }"))
                    .isInstanceOf(ServiceException.class)
                    .hasMessageContaining("T20");
        }
        assertThat(answer(
                        "$q: String",
                        List.of(new Value.Text(many.substring(0, many.lastIndexOf(' ')) + " fox".repeat(0))),
                        "match { $d: Doc search($d.body, $q) } return { $d.slug }"))
                .isEmpty();
    }

    @Test
    void plans() {
        List<ExplainRow> rows = new VectorExecutor(1 << 20)
                .explain(
                        compile(
                                "query q() { match { $d: Doc search($d.body, \"fox\") $d.slug > \"a\" } return { $d.slug,"
                                        + " rrf(bm25($d.body, \"fox\"), bm25($d.tags, \"lake\")) as s } order { s } limit 3 }"),
                        List.of(),
                        view,
                        PlanTrials.wide(),
                        false);
        Map<String, String> details = new TreeMap<>();
        rows.forEach(row -> details.putIfAbsent(row.operator(), row.detail()));
        assertThat(details.get("Fuse"))
                .isEqualTo("rrf(bm25($d.body, \"fox\"), bm25($d.tags, \"lake\"), 60) (terms fox; terms lake;"
                        + " index none, 4 read directly) first 3");
        assertThat(details.get("Filter")).isEqualTo("$d.slug > \"a\" and search($d.body, \"fox\")");
    }
}
