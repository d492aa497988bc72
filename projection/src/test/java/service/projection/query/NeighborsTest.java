package service.projection.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import service.core.batch.Column;
import service.core.gq.CompiledSource.Request;
import service.core.gq.GqCompiler;
import service.core.gq.plan.Plan;
import service.core.graph.load.LoadMode;
import service.core.port.GraphSession;
import service.core.port.GraphView;
import service.core.port.QueryExecutor;
import service.core.port.RetentionPolicy;
import service.core.port.SearchStatus;
import service.core.schema.Catalog;
import service.core.schema.CatalogCodec;
import service.core.schema.SchemaCompiler;
import service.core.testkit.Seed;
import service.core.testkit.SmallGraph;
import service.core.value.Value;
import service.projection.TestEngine;
import service.projection.query.vector.ColumnValues;
import service.projection.search.index.SearchOptions;
import service.projection.storage.LmdbGraphStorage;
import service.projection.storage.StorageOptions;

/** {@code nearest} by a graph of neighbours, compared with the exact answer in the same view. */
class NeighborsTest {
    private static final int DIMENSIONS = 16;
    private static final int CLUSTERS = 40;
    private static final int ENTITIES = 600;
    private static final Catalog CATALOG = SchemaCompiler.compile("""
            node Doc {
              n: I64
              turned: Vector(%1$d)? @search(cosine)
              scaled: Vector(%1$d)? @search(dot)
              far: Vector(%1$d)? @search(l2)
            }
            node Wide { w: Vector(4096) @search }
            node Few { v: Vector(2) @search }
            """.formatted(DIMENSIONS));
    private static final StorageOptions OPTIONS = StorageOptions.defaults(CatalogCodec::decode)
            .withMapBytes(1L << 28, 1L << 30)
            .withCheckpointEvents(0)
            .withSearch(SearchOptions.of(Duration.ofMillis(5), 0, 1 << 20, SearchOptions.Branches.DEFAULT)
                    .withVectorsMin(100));

    @TempDir
    Path temporary;

    private LmdbGraphStorage storage;
    private final SplittableRandom random;

    NeighborsTest(@Seed long seed) {
        random = new SplittableRandom(seed);
    }

    @BeforeEach
    void create() {
        storage = LmdbGraphStorage.create(temporary.resolve("graph"), OPTIONS, TestEngine.schema(CATALOG), "tester");
        load("main", LoadMode.APPEND, 0, ENTITIES);
    }

    @AfterEach
    void close() {
        storage.close();
    }

    /** Around one of some centres, so that there are neighbours; now and then null, without direction, or very long. */
    private String vector() {
        int kind = random.nextInt(200);
        if (kind < 3) {
            return kind == 0 ? "null" : zeros(kind == 1 ? "0" : "1e20");
        }
        StringBuilder items = new StringBuilder("[");
        SplittableRandom centre = new SplittableRandom(random.nextInt(CLUSTERS));
        for (int i = 0; i < DIMENSIONS; i++) {
            double item = centre.nextDouble(-1, 1) + 0.2 * random.nextDouble(-1, 1);
            items.append(i == 0 ? "" : ",").append((float) item);
        }
        return items.append("]").toString();
    }

    private static String zeros(String first) {
        return "[" + first + ",0".repeat(DIMENSIONS - 1) + "]";
    }

    private void load(String branch, LoadMode mode, int from, int to) {
        StringBuilder lines = new StringBuilder();
        for (int i = from; i < to; i++) {
            lines.append(
                    "{\"type\":\"Doc\",\"data\":{\"id\":\"d%d\",\"n\":%d,\"turned\":%s,\"scaled\":%s,\"far\":%s}}\n"
                            .formatted(i, i, vector(), vector(), vector()));
        }
        TestEngine.load(TestEngine.graph(storage), branch, mode, lines.toString());
    }

    private void awaitIndex(int documents) {
        await().until(() -> storage.search().status().indexes().stream()
                .anyMatch(index -> index.property().property().equals("far")
                        && index.state() == SearchStatus.State.READY
                        && index.indexed() >= documents));
    }

    private record Answer(List<List<Value>> rows, boolean approximate, String detail) {}

    private Answer ask(String branch, String property, String filter, Value sought, int limit, int exactMax) {
        String source =
                "query q($v: Vector(%d)) { match { $d: Doc %s } return { $d.@id as id, nearest($d.%s, $v) as s }"
                                .formatted(((Value.Vector) sought).items().length, filter, property)
                        + " order { s } limit " + limit + " }";
        try (GraphSession session = storage.session();
                GraphView view = session.view(SmallGraph.branch(storage, branch).headPoint())) {
            Plan.Read plan = (Plan.Read)
                    ((Request.Query) GqCompiler.compile(source, null, CATALOG).request()).plan();
            QueryExecutor.Limits wide = PlanTrials.wide();
            QueryExecutor.Limits limits = new QueryExecutor.Limits(
                    wide.nowMicros(),
                    wide.deadlineNanos(),
                    wide.timeoutMillis(),
                    wide.work(),
                    wide.rows(),
                    wide.budget(),
                    new QueryExecutor.SearchLimits(exactMax, 1_000));
            Rows rows = new Rows();
            VectorExecutor executor = new VectorExecutor(1 << 20);
            executor.read(plan, List.of(sought), view, limits, rows);
            String detail = executor.explain(plan, List.of(sought), view, limits, false).stream()
                    .filter(row -> row.operator().equals("VectorTop"))
                    .findFirst()
                    .orElseThrow()
                    .detail();
            return new Answer(rows.rows, rows.approximate, detail);
        }
    }

    private static final class Rows implements QueryExecutor.Sink {
        private final List<List<Value>> rows = new ArrayList<>();
        private boolean approximate;

        @Override
        public void batch(GraphView view, Column[] columns, int size, QueryExecutor.Kept kept) {
            for (int row = 0; row < size; row++) {
                rows.add(List.of(ColumnValues.value(columns[0], row), ColumnValues.value(columns[1], row)));
            }
        }

        @Override
        public void approximate() {
            approximate = true;
        }
    }

    private Value sought() {
        SplittableRandom centre = new SplittableRandom(random.nextInt(CLUSTERS));
        float[] items = new float[DIMENSIONS];
        for (int i = 0; i < DIMENSIONS; i++) {
            items[i] = (float) (centre.nextDouble(-1, 1) + 0.2 * random.nextDouble(-1, 1));
        }
        return new Value.Vector(items);
    }

    /** The share of the exact answers that are found, of many queries; the scores and the order are right in all. */
    private double recall(String branch) {
        int found = 0;
        int all = 0;
        for (int i = 0; i < 18; i++) {
            String property = List.of("turned", "scaled", "far").get(i % 3);
            Value sought = sought();
            Answer exact = ask(branch, property, "", sought, 10, Integer.MAX_VALUE);
            Answer near = ask(branch, property, "", sought, 10, 50);
            assertThat(exact.approximate).isFalse();
            assertThat(exact.detail).endsWith("exact, index none");
            assertThat(near.approximate).as(near.detail).isTrue();
            assertThat(near.detail).contains("approximate, index main");
            assertThat(near.rows).hasSameSizeAs(exact.rows);
            if (i < 3) {
                List<List<Value>> whole = ask(branch, property, "", sought, ENTITIES, Integer.MAX_VALUE).rows;
                assertThat(whole).containsSubsequence(near.rows);
            }
            all += exact.rows.size();
            found += (int) exact.rows.stream().filter(near.rows::contains).count();
        }
        return (double) found / all;
    }

    @Test
    void mostNeighboursAreFoundOnMainOnABranchAndBehindTheIndex() {
        awaitIndex(ENTITIES - 100);
        assertThat(recall("main")).isGreaterThan(0.95);
        for (int hidden : new int[] {ENTITIES / 100, ENTITIES / 10, ENTITIES / 2}) {
            String branch = "hides" + hidden;
            TestEngine.graph(storage).createBranch(branch, "main", null).join();
            load(branch, LoadMode.MERGE, 0, hidden);
            assertThat(recall(branch)).as("%d of %d hidden", hidden, ENTITIES).isGreaterThan(0.95);
        }
        TestEngine.mutate(TestEngine.graph(storage), "main", "delete Doc where n < 100");
        assertThat(recall("main")).isGreaterThan(0.95);
        assertThat(recall("hides" + ENTITIES / 2)).isGreaterThan(0.95);
        storage.cleanup().run(new RetentionPolicy(1L, null), Duration.ZERO);
        awaitIndex(ENTITIES - 200);
        assertThat(recall("main")).isGreaterThan(0.95);
    }

    @Test
    void aFilterAFewEntitiesOrAFewNeighboursAreCompared() {
        awaitIndex(ENTITIES - 100);
        assertThat(ask("main", "far", "$d.n < 400", sought(), 10, 50).approximate)
                .isFalse();
        assertThat(ask("main", "far", "", sought(), 10, ENTITIES).approximate).isFalse();
        assertThat(ask("main", "far", "", sought(), ENTITIES + 1, 50).approximate)
                .isFalse();
        assertThat(ask("main", "far", "", sought(), 10, ENTITIES - 1).approximate)
                .isTrue();
        assertThat(storage.search().status().indexes())
                .extracting(index -> index.property().property())
                .containsExactlyInAnyOrder("turned", "scaled", "far");
    }

    @Test
    void equalVectorsAndVectorsOfManyDimensionsAreIndexed() {
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < 110; i++) {
            lines.append("{\"type\":\"Wide\",\"data\":{\"w\":[1%s]}}\n".formatted(",0".repeat(4_095)));
        }
        for (int i = 0; i < 300; i++) {
            lines.append("{\"type\":\"Doc\",\"data\":{\"n\":-1,\"far\":%s}}\n".formatted(zeros("7")));
        }
        TestEngine.load(TestEngine.graph(storage), "main", LoadMode.APPEND, lines.toString());
        await().until(() -> storage.search().status().indexes().stream()
                .anyMatch(index -> index.property().property().equals("w") && index.indexed() == 110));
        awaitIndex(ENTITIES + 200);
        float[] items = new float[DIMENSIONS];
        items[0] = 7;
        Answer equal = ask("main", "far", "", new Value.Vector(items), 20, 50);
        assertThat(equal.approximate).isTrue();
        assertThat(equal.rows).hasSize(20).allMatch(row -> row.get(1).equals(new Value.Real(1)));
    }
}
