package service.log.segment;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import service.core.testkit.FaultyObjectStore;
import service.core.testkit.MemoryObjectStore;
import service.core.testkit.Seed;
import service.core.testkit.SmallGraph;
import service.log.lmdb.CommitHook;
import service.log.lmdb.LmdbOptions;

/** A deletion that dies at any request leaves a graph or none, and the next attempt leaves the fence alone. */
final class GraphRemovalTest {
    private static final String FENCE = "graphs/g/log/00000000000000000001.seg";

    @TempDir
    Path directory;

    @Test
    void aDeletionMayDieAtAnyRequest(@Seed long seed) {
        for (boolean afterEffect : new boolean[] {false, true}) {
            boolean died = true;
            for (int request = 0; died; request++) {
                MemoryObjectStore bucket = new MemoryObjectStore();
                create(bucket);
                died = diesAt(bucket, seed, request, afterEffect);
                assertThat(died || !isGraph(bucket)).isTrue();
                GraphRemoval removal = new GraphRemoval(bucket, "g");
                if (isGraph(bucket)) {
                    removal.run();
                } else {
                    removal.rest();
                }
                assertThat(bucket.list("graphs/", "", 10)).containsExactly(FENCE);
                assertThat(removal.isOccupied()).isFalse();
                new SegmentStore(bucket, "g").putLease(null, new byte[1]);
                new SegmentStore(bucket, "g").createTurn(new byte[1]);
                assertThat(removal.isOccupied())
                        .as("beside the notes of a server that has not noticed the deletion")
                        .isFalse();
                removal.everything();
                assertThat(bucket.list("graphs/", "", 10)).isEmpty();
            }
        }
    }

    private void create(MemoryObjectStore bucket) {
        new SegmentedLog(
                        new SegmentStore(bucket, "g"),
                        directory.resolve("copy"),
                        LmdbOptions.unsynced(),
                        CommitHook.NONE,
                        "boot")
                .create(SmallGraph.SCHEMA, "tester", 1)
                .close();
        bucket.putIfAbsent("graphs/g/blobs/b", new byte[1]);
    }

    private static boolean isGraph(MemoryObjectStore bucket) {
        return new SegmentStore(bucket, "g").isGraph();
    }

    private static boolean diesAt(MemoryObjectStore bucket, long seed, int request, boolean afterEffect) {
        try {
            new GraphRemoval(new FaultyObjectStore(bucket, seed).killAt(request, afterEffect), "g").run();
            return false;
        } catch (FaultyObjectStore.Killed killed) {
            return true;
        }
    }

    @Test
    void whatIsNoFenceOccupiesThePlace() {
        MemoryObjectStore bucket = new MemoryObjectStore();
        GraphRemoval removal = new GraphRemoval(bucket, "g");
        assertThat(removal.isOccupied()).isFalse();
        for (String key : List.of("graphs/g/blobs/b", FENCE)) {
            bucket.putIfAbsent(key, new byte[1]);
            assertThat(removal.isOccupied()).as(key).isTrue();
            bucket.delete(key);
        }
    }
}
