package service.log.segment;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import service.core.testkit.MemoryObjectStore;
import service.core.testkit.SmallGraph;
import service.core.value.Ulid;
import service.log.format.EventLog;
import service.log.format.GraphImages.Kind;
import service.log.lmdb.CommitHook;
import service.log.lmdb.LmdbOptions;
import service.log.retain.Retention;

/** Checkpoints that a rebuild discards are used by no later opening, and stay for one that reads them already. */
final class DiscardedCheckpointsTest {
    private static final Duration KEPT = Duration.ofMinutes(10);

    @TempDir
    Path directory;

    private final MemoryObjectStore bucket = new MemoryObjectStore();
    private final SegmentStore segments = new SegmentStore(bucket, "g");
    private long now = 1_700_000_000_000L;

    private BucketImages images(EventLog log) {
        return new BucketImages(
                segments,
                log,
                new BucketImages.Limits(Long.MAX_VALUE, Duration.ofDays(1), KEPT),
                new BucketImages.Clocks(() -> now, () -> now),
                new WorkLease(segments, new Ulid(1, 1), Duration.ofMinutes(1), () -> now));
    }

    private void checkpoint(BucketImages images) throws IOException {
        now++;
        Path tables = Files.writeString(directory.resolve("tables"), "any");
        images.spool(Kind.CHECKPOINT, tables, new Retention.Base(0, "0".repeat(64)))
                .run();
    }

    private List<String> stored() {
        return bucket.list("graphs/g/checkpoint/", "", 100);
    }

    @Test
    void theyStayForTheReclaimDelayAndAreNotUsed() throws IOException {
        SegmentedLog home =
                new SegmentedLog(segments, directory.resolve("g"), LmdbOptions.unsynced(), CommitHook.NONE, "boot");
        try (EventLog log = home.create(SmallGraph.SCHEMA, "tester", now * 1_000)) {
            BucketImages images = images(log);
            checkpoint(images);
            List<String> before = stored();
            images.dropCheckpoints();
            assertThat(stored()).containsAll(before);
            assertThat(segments.images().list(Kind.CHECKPOINT)).isEmpty();

            BucketImages ofServer = images(log);
            checkpoint(ofServer);
            now += KEPT.toMillis() - 1;
            ofServer.sweep();
            assertThat(stored()).containsAll(before);
            assertThat(segments.images().list(Kind.CHECKPOINT)).hasSize(1);
            now++;
            ofServer.sweep();
            assertThat(stored()).hasSize(1).doesNotContainAnyElementsOf(before);
        }
    }
}
