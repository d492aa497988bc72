package service.projection.resident;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import service.core.event.EntityChange;
import service.core.event.Image;
import service.core.event.Origin;
import service.core.port.BlockGauges;
import service.core.port.WriteCommand;
import service.core.testkit.Seed;
import service.core.testkit.SmallGraph;
import service.core.value.EntityKind;
import service.projection.TestGraph;
import service.projection.storage.LmdbGraphStorage;

/** Blocks that branches share which are older than the block. */
class SharedBlocksTest {
    private static final int ENTITIES = 400;
    private static final int BRANCHES = 12;

    /** Two types, their five properties, and two directions of one edge type. */
    private static final int PARTS = 9;

    /** Rows before a block of a part is wanted: what a few comparisons of one view read. */
    private static final int ROWS = 4_000;

    @TempDir
    Path temporary;

    private final ResidentMemory memory = new ResidentMemory(1 << 26, ROWS);

    /** The blocks of all branches take about as much as those of one. */
    @Test
    void branchesFromOnePlaceShareTheirBlocks(@Seed long seed) {
        Random random = new Random(seed);
        try (LmdbGraphStorage graph = graph()) {
            for (int i = 0; i < BRANCHES; i++) {
                fork(graph, i, 2, random);
            }
            commit(graph, "main", "m", 2, random);
            settle(graph, "b0", random);
            BlockGauges ofOne = memory.gauges();
            assertThat(ofOne.blocks()).isPositive();
            long before = ofOne.fromTables();
            for (int round = 0; round < 3; round++) {
                for (int i = 0; i < BRANCHES; i++) {
                    ViewRows.compareHead(graph, "b" + i, random);
                }
            }
            BlockGauges ofAll = memory.gauges();
            assertThat(ofAll.blocks()).isLessThan(3 * ofOne.blocks());
            assertThat(ofAll.fromBlocks() - ofOne.fromBlocks())
                    .as("most rows come from blocks: %s", ofAll)
                    .isGreaterThan(ofAll.fromTables() - before);
        }
    }

    /**
     * When half of the persons differ from those of the parent, the blocks of persons are made of the branch itself.
     */
    @Test
    void aBranchThatIsFarFromItsParentHasItsOwn(@Seed long seed) {
        Random random = new Random(seed);
        try (LmdbGraphStorage graph = graph()) {
            fork(graph, 0, 2, random);
            List<EntityChange> changes = new ArrayList<>();
            for (int i = 0; i < ENTITIES; i += 2) {
                Image before = SmallGraph.person("p" + i, i % 50).after();
                Image after = SmallGraph.person("p" + i, 99).after();
                changes.add(new EntityChange(EntityKind.NODE, SmallGraph.PERSON, "p" + i, before, after));
            }
            SmallGraph.commit(graph.log(), SmallGraph.branch(graph, "b0"), changes);
            // Main shares what belongs to edges, and the branch has its own of what belongs to persons.
            Awaitility.await().until(() -> {
                ViewRows.compareHead(graph, "b0", random);
                return memory.gauges().blocks() >= PARTS;
            });
            BlockGauges gauges = memory.gauges();
            assertThat(gauges.dirty()).as("no block of main: %s", gauges).isLessThan(ENTITIES / 2);
            int all = memory.gauges().blocks();
            SmallGraph.write(
                    graph.log(),
                    new WriteCommand.Draft.DeleteBranch(SmallGraph.branch(graph, "b0"), Origin.of("tester")));
            assertThat(memory.gauges().blocks())
                    .as("the blocks of a deleted branch are dropped")
                    .isLessThan(all);
        }
    }

    private LmdbGraphStorage graph() {
        LmdbGraphStorage graph = LmdbGraphStorage.create(
                temporary.resolve("graph"), TestGraph.options().withResident(memory), SmallGraph.SCHEMA, "tester");
        SmallGraph.commit(graph.log(), SmallGraph.branch(graph, "main"), SmallGraph.circle(ENTITIES));
        return graph;
    }

    private static void fork(LmdbGraphStorage graph, int number, int changes, Random random) {
        SmallGraph.write(
                graph.log(),
                new WriteCommand.Draft.CreateBranch(
                        "b" + number, SmallGraph.branch(graph, "main"), Origin.of("tester")));
        commit(graph, "b" + number, "b" + number, changes, random);
    }

    /** New persons, each with an edge to and from persons that are there. */
    private static void commit(LmdbGraphStorage graph, String branch, String ids, int persons, Random random) {
        List<EntityChange> changes = new ArrayList<>();
        for (int i = 0; i < persons; i++) {
            String id = ids + "-" + i;
            changes.add(SmallGraph.person(id, random.nextInt(50)));
            changes.add(SmallGraph.knows("k" + id, id, "p" + random.nextInt(ENTITIES)));
            changes.add(SmallGraph.knows("l" + id, "p" + random.nextInt(ENTITIES), id));
        }
        SmallGraph.commit(graph.log(), SmallGraph.branch(graph, branch), changes);
    }

    /** Reads a branch until blocks answer almost all. */
    private void settle(LmdbGraphStorage graph, String branch, Random random) {
        Awaitility.await().until(() -> {
            BlockGauges before = memory.gauges();
            ViewRows.compareHead(graph, branch, random);
            BlockGauges after = memory.gauges();
            return memory.building.availablePermits() == 1
                    && after.built() == before.built()
                    && after.fromBlocks() - before.fromBlocks() > 4 * (after.fromTables() - before.fromTables());
        });
    }
}
