package service.projection.query;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import service.core.gq.CompiledSource.Request;
import service.core.gq.GqCompiler;
import service.core.gq.plan.Plan;
import service.core.port.GraphView;
import service.core.port.QueryExecutor.ExplainRow;
import service.core.schema.Catalog;
import service.core.schema.EntityType;
import service.core.schema.SchemaCompiler;
import service.core.testkit.HeapGraph;
import service.core.testkit.HeapView;
import service.core.testkit.Seed;
import service.core.value.Value;
import service.projection.query.operator.VectorTopOperator;
import service.projection.resident.HeapBlocks;

/**
 * The first rows by {@code nearest}, whose operator drops rows, are those of an order of all rows, whose operator is
 * left out because it would have to keep too many.
 */
class VectorTopTest {
    private static final Catalog CATALOG = SchemaCompiler.compile("""
            interface Placed { place: Vector(3)? @search n: I64 }
            node Doc implements Placed { far: Vector(3)? @search(dot) off: Vector(3)? @search(l2) }
            node Note implements Placed { }
            edge Cites: Doc -> Doc { }
            """);
    private static final int ENTITIES = 1_200;
    private static final String ALL = Integer.toString(VectorTopOperator.WANTED_MAX + 1);

    private final HeapGraph graph = new HeapGraph(CATALOG);
    private final HeapView view = new HeapView(graph, 1022);
    private Value sought = Value.NULL;
    private long vectorsFromBlocks;

    /** Many equal vectors, some that differ in the last bits alone, without direction, or null. */
    @BeforeEach
    void fill(@Seed long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        sought = new Value.Vector(new float[] {1, 0.5f, -0.25f});
        for (int i = 0; i < ENTITIES; i++) {
            EntityType type = CATALOG.node(i % 3 == 0 ? "Note" : "Doc");
            HeapGraph.Entity entity = graph.add(type.identity(), "e" + (7_919 * i % ENTITIES));
            put(entity, type, "n", new Value.Int(random.nextInt(5)));
            for (String name : List.of("place", "far", "off")) {
                if (type.property(name) != null && random.nextInt(10) > 0) {
                    put(entity, type, name, new Value.Vector(vector(random)));
                }
            }
        }
        List<HeapGraph.Entity> docs = graph.all(CATALOG.node("Doc").identity());
        for (int i = 0; i < ENTITIES; i++) {
            HeapGraph.Entity from = docs.get(random.nextInt(docs.size()));
            graph.addEdge(CATALOG.edge("Cites").identity(), "c" + i, from, docs.get(random.nextInt(docs.size())));
        }
    }

    private static void put(HeapGraph.Entity entity, EntityType type, String name, Value value) {
        entity.properties.put(type.property(name).identity(), value);
    }

    private static float[] vector(SplittableRandom random) {
        return switch (random.nextInt(6)) {
            case 0 -> new float[3];
            case 1 -> new float[] {1, 0.5f, -0.25f};
            case 2 -> new float[] {Math.nextUp(1f), 0.5f, -0.25f};
            case 3 -> new float[] {1e-25f, 1e-25f, random.nextInt(2)};
            case 4 -> new float[] {2e25f, random.nextInt(3), 1};
            default -> new float[] {random.nextInt(3), (float) random.nextDouble(), (float) random.nextDouble(-1, 1)};
        };
    }

    private Plan.Read compile(String body, String window) {
        String source = "query q($v: Vector(3)?) { " + body + window + " }";
        return (Plan.Read)
                ((Request.Query) GqCompiler.compile(source, null, CATALOG).request()).plan();
    }

    private List<List<Value>> fromBlocks(String body, int limit) {
        GraphView blocks = HeapBlocks.view(graph, view, new Random(limit), limit % 2 == 0);
        List<List<Value>> rows = PlanTrials.run(compile(body, " limit " + limit), List.of(sought), blocks);
        vectorsFromBlocks += blocks.reads().fromBlocks;
        return rows;
    }

    private List<List<Value>> run(String body, String limit) {
        return PlanTrials.run(compile(body, " limit " + limit), List.of(sought), view);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "match { $d: Doc } return { $d.@id as id, nearest($d.place, $v) as s } order { s }",
                "match { $d: Doc } return { $d.@id as id, nearest($d.far, $v) as s } order { s }",
                "match { $d: Doc } return { $d.@id as id } order { nearest($d.off, $v), $d.n desc }",
                "match { $d: Placed } return { $d.@id as id, $d.n as n } order { nearest($d.place, $v) desc, n }",
                "match { $d: Doc $d.n = 3 } return { $d.@id as id } order { nearest($d.place, $v) }",
                "match { $d: Doc $d cites $e } return { $d.@id as d, $e.@id as e } order { nearest($e.off, $v) }",
                "match { $d: Doc optional { $d cites $e } } return { $d.@id as d, $e.@id as e }"
                        + " order { nearest($e.place, $v) }",
                "match { $d: Doc $d cites $e } return { $d, count($e) as c, nearest($d.place, $v) as s } order { s }",
                "match { $d: Doc } with { $d, nearest($d.place, $v) as $s } order { $s } limit 500"
                        + " return { $d.@id as id, $s as s } order { s }",
                "match { $d: Doc } return { $d.@id as id } order { nearest($d.place, $v) asc }"
            })
    void theFirstRowsAreThoseOfTheWholeOrder(String body) {
        List<List<Value>> all = run(body, ALL);
        for (int limit : new int[] {0, 1, 10, 97, 1_000}) {
            List<List<Value>> first = all.subList(0, Math.min(limit, all.size()));
            assertThat(run(body, Integer.toString(limit)))
                    .as("%s limit %d", body, limit)
                    .isEqualTo(first);
            assertThat(fromBlocks(body, limit)).as("%s limit %d", body, limit).isEqualTo(first);
        }
        assertThat(vectorsFromBlocks).isGreaterThan(ENTITIES / 2);
        assertThat(PlanTrials.run(compile(body, " skip 5 limit 20"), List.of(sought), view))
                .isEqualTo(all.subList(Math.min(5, all.size()), Math.min(25, all.size())));
    }

    @Test
    void mostRowsAreDroppedBeforeTheSort() {
        List<ExplainRow> plan = new VectorExecutor(1 << 20)
                .explain(
                        compile("match { $d: Doc } return { $d.@id as id } order { nearest($d.off, $v) }", " limit 5"),
                        List.of(new Value.Vector(new float[] {0.3f, 0.1f, 0.7f})),
                        view,
                        PlanTrials.wide(),
                        true);
        ExplainRow top = plan.stream()
                .filter(row -> row.operator().equals("VectorTop"))
                .findFirst()
                .orElseThrow();
        assertThat(top.detail()).isEqualTo("nearest($d.off, $v) first 5, exact, index none");
        assertThat(top.actualRows()).isBetween(5L, 400L);
    }

    @Test
    void aNullVectorOrdersByIdAlone() {
        String body = "match { $d: Doc } return { $d.@id as id } order { nearest($d.place, $v) }";
        sought = Value.NULL;
        assertThat(run(body, "7")).isEqualTo(run(body, ALL).subList(0, 7));
    }
}
