package service.projection.resident;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import service.core.batch.EntityColumn;
import service.core.batch.ExpandBatch;
import service.core.port.Branch;
import service.core.port.GraphSession;
import service.core.port.GraphView;
import service.core.port.ReadPoint;
import service.core.schema.EntityType;
import service.core.testkit.GeneratedHistory;
import service.core.testkit.Seed;
import service.core.testkit.SmallGraph;
import service.core.value.Direction;
import service.projection.TestGraph;
import service.projection.storage.LmdbGraphStorage;
import service.projection.storage.StorageOptions;
import service.projection.view.Sessions;
import service.projection.view.ViewSource;

/**
 * Random histories with branches and deletes: the run of a node that blocks give is what the tables give, in the same
 * order. Nodes that an event has touched since the block was made have no run.
 */
class RunsEqualTablesTest {
    private static final int PIECES = Integer.getInteger("service.pieces", 8);
    private static final int BYTES = 1 << 26;

    @TempDir
    Path temporary;

    private int runs;

    @Test
    void everyRunIsWhatTheTablesGive(@Seed long seed) {
        Random random = new Random(seed);
        ResidentMemory memory = new ResidentMemory(BYTES, 0);
        StorageOptions options = TestGraph.options().withResident(memory);
        try (LmdbGraphStorage storage =
                LmdbGraphStorage.create(temporary.resolve("graph"), options, SmallGraph.SCHEMA, "tester")) {
            GeneratedHistory history = new GeneratedHistory(seed, storage, 4);
            // Some nodes to make blocks of, whatever the seed draws.
            history.runCommits(20, 2);
            for (int piece = 0; piece < PIECES; piece++) {
                history.run(1 + random.nextInt(12), 2);
                compareHeads(storage);
                if (piece == 0) {
                    Awaitility.await().until(() -> {
                        compareHeads(storage);
                        return runs > 0;
                    });
                }
            }
        }
        assertThat(runs).isPositive();
    }

    private void compareHeads(LmdbGraphStorage storage) {
        Sessions sessions =
                new Sessions(storage.environment(), storage.events(), TestGraph.CATALOGS, ViewSource.TABLES);
        try (GraphSession with = storage.session();
                GraphSession without = sessions.reading()) {
            for (Branch branch : with.branches()) {
                ReadPoint point = branch.headPoint();
                if (without.branches().stream()
                        .noneMatch(other -> other.headPoint().equals(point))) {
                    continue;
                }
                try (GraphView blocks = with.view(point);
                        GraphView tables = without.view(point)) {
                    for (EntityType.EdgeType type : tables.catalog().edges()) {
                        compare(blocks, tables, type, Direction.OUT);
                        compare(blocks, tables, type, Direction.IN);
                    }
                }
            }
        }
    }

    private void compare(GraphView blocks, GraphView tables, EntityType.EdgeType type, Direction direction) {
        int near = type.near(direction).first();
        // The first read from the tables has a block made.
        assertThat(neighbours(blocks, type.identity(), direction, near, 0))
                .isEqualTo(neighbours(tables, type.identity(), direction, near, 0));
        GraphView.Runs found = blocks.runs(type.identity(), direction, 1);
        assertThat(tables.runs(type.identity(), direction, 1)).isNull();
        for (int node = 0; found != null && node < tables.ordinalBound(near); node++) {
            int start = found.start(node);
            if (start >= 0) {
                List<Integer> run = new ArrayList<>();
                for (int i = start; i < found.end(node); i++) {
                    run.add(found.nodes()[i]);
                }
                assertThat(run).isEqualTo(neighbours(tables, type.identity(), direction, near, node));
                runs++;
            }
        }
    }

    private static List<Integer> neighbours(GraphView view, int edgeType, Direction direction, int near, int node) {
        EntityColumn one = new EntityColumn();
        one.set(0, near, node, EntityColumn.NO_RECORD);
        List<Integer> neighbours = new ArrayList<>();
        ExpandBatch found = new ExpandBatch();
        try (GraphView.Expansion expansion = view.expand(edgeType, direction, one, 1)) {
            while (expansion.next(found)) {
                for (int i = 0; i < found.size; i++) {
                    neighbours.add(found.neighbours[i]);
                }
            }
        }
        return neighbours;
    }
}
