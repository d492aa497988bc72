package service.projection.query;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import service.core.event.EntityChange;
import service.core.event.Image;
import service.core.event.Origin;
import service.core.event.SchemaChange;
import service.core.port.Branch;
import service.core.port.GraphSession;
import service.core.port.GraphView;
import service.core.port.ReadPoint;
import service.core.port.WriteCommand.Draft;
import service.core.schema.EntityType;
import service.core.testkit.FoldOfLog;
import service.core.testkit.HeapGraph;
import service.core.testkit.Seed;
import service.core.testkit.SmallGraph;
import service.core.value.EntityKind;
import service.core.value.PropertyRow;
import service.projection.resident.ResidentMemory;
import service.projection.storage.LmdbGraphStorage;
import service.projection.storage.StorageOptions;

/**
 * Random queries over the tables, at the heads of nested branches and at old commits, give the rows of the graph that
 * the commit made.
 */
class HistoryDifferentialTest {
    private static final int COMMITS = 48;
    private static final int QUERIES_A_POINT = 8;

    @TempDir
    Path directory;

    private final Map<ReadPoint, HeapGraph> points = new LinkedHashMap<>();
    private final Map<String, HeapGraph> heads = new TreeMap<>();

    @Test
    void everyPointOfEveryBranchAgreesWithTheOracle(@Seed long seed) {
        Random random = new Random(seed);
        HeapGraph empty = new HeapGraph(QuerySchema.CATALOG);
        StorageOptions options = StorageOptions.defaults((source, identities) -> empty.catalog)
                .withMapBytes(1L << 30, 4L << 30)
                .withCheckpointEvents(0)
                .withResident(new ResidentMemory(1 << 28, 0));
        SchemaChange schema = new SchemaChange("", empty.catalog.digest(), new byte[0], List.of());
        try (LmdbGraphStorage storage =
                LmdbGraphStorage.create(directory.resolve("graph"), options, schema, "tester")) {
            heads.put("main", empty);
            for (int i = 0; i < COMMITS; i++) {
                commit(storage, random, i);
            }
            assertThat(heads).hasSizeGreaterThan(3);
            PlanTrials trials = new PlanTrials(4);
            try (GraphSession session = storage.session()) {
                points.forEach((point, graph) -> {
                    try (GraphView view = session.view(point)) {
                        for (int i = 0; i < QUERIES_A_POINT; i++) {
                            long one = random.nextLong();
                            String where = "at " + point;
                            trials.compare(new Random(one), graph, view, where);
                        }
                    }
                });
            }
            System.out.println(trials);
        }
    }

    /** Replaces the graph of a random branch, sometimes of a new one. */
    private void commit(LmdbGraphStorage storage, Random random, int number) {
        List<String> names = List.copyOf(heads.keySet());
        String name = names.get(random.nextInt(names.size()));
        if (number % 8 == 7) {
            String child = "b" + number;
            SmallGraph.write(storage.log(), new Draft.CreateBranch(child, branch(storage, name), Origin.of("tester")));
            heads.put(child, heads.get(name));
            name = child;
        }
        HeapGraph next = new RandomGraphs(random).graph();
        List<EntityChange> changes = changes(images(heads.get(name)), images(next));
        if (!changes.isEmpty()) {
            SmallGraph.commit(storage.log(), branch(storage, name), changes);
            heads.put(name, next);
            points.put(branch(storage, name).headPoint(), next);
        }
    }

    private static Branch branch(LmdbGraphStorage storage, String name) {
        try (GraphSession session = storage.session()) {
            return Objects.requireNonNull(session.branch(name));
        }
    }

    private static NavigableMap<FoldOfLog.Name, Image> images(HeapGraph graph) {
        NavigableMap<FoldOfLog.Name, Image> images = new TreeMap<>();
        for (EntityType.NodeType type : graph.catalog.nodes()) {
            for (HeapGraph.Entity node : graph.live(type.identity())) {
                images.put(
                        new FoldOfLog.Name(node.type, node.id),
                        Image.ofNode(PropertyRow.of(new TreeMap<>(node.properties))));
            }
        }
        for (EntityType.EdgeType type : graph.catalog.edges()) {
            for (HeapGraph.Entity edge : graph.live(type.identity())) {
                images.put(new FoldOfLog.Name(edge.type, edge.id), graph.image(type.identity(), edge.ordinal));
            }
        }
        return images;
    }

    private static List<EntityChange> changes(
            NavigableMap<FoldOfLog.Name, Image> before, NavigableMap<FoldOfLog.Name, Image> after) {
        List<EntityChange> changes = new ArrayList<>();
        NavigableMap<FoldOfLog.Name, Image> all = new TreeMap<>(before);
        all.putAll(after);
        for (FoldOfLog.Name name : all.keySet()) {
            Image old = before.get(name);
            Image now = after.get(name);
            if (!Objects.equals(old, now)) {
                EntityKind kind = name.type() >= QuerySchema.KNOWS ? EntityKind.EDGE : EntityKind.NODE;
                changes.add(new EntityChange(kind, name.type(), name.id(), old, now));
            }
        }
        return changes;
    }
}
