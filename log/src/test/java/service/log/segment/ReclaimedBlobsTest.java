package service.log.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import service.core.port.ObjectStore;
import service.core.testkit.MemoryObjectStore;
import service.core.testkit.SmallGraph;
import service.core.value.Ulid;
import service.core.value.Value;
import service.log.format.EventLog;
import service.log.format.GraphImages.Kind;
import service.log.lmdb.CommitHook;
import service.log.lmdb.LmdbOptions;
import service.log.retain.Retention;

/** When the objects of reclaimed blobs are deleted, and what keeps them. */
final class ReclaimedBlobsTest {
    private static final byte[] DIGEST = new byte[32];
    private static final String BLOB = HexFormat.of().formatHex(DIGEST);
    private static final String OBJECT = "graphs/g/blobs/" + BLOB;
    private static final Duration KEPT = Duration.ofMinutes(10);

    @TempDir
    Path directory;

    private final MemoryObjectStore bucket = new MemoryObjectStore();
    private final SegmentStore segments = new SegmentStore(bucket, "g");
    private long now = 1_700_000_000_000L;

    private SegmentedLog home(String copy) {
        return new SegmentedLog(segments, directory.resolve(copy), LmdbOptions.unsynced(), CommitHook.NONE, "boot");
    }

    private BucketImages images(EventLog log) {
        return new BucketImages(
                segments,
                log,
                new BucketImages.Limits(Long.MAX_VALUE, Duration.ofDays(1), KEPT),
                new BucketImages.Clocks(() -> now, () -> now),
                new WorkLease(segments, new Ulid(1, 1), Duration.ofMinutes(1), () -> now));
    }

    /** Makes a base image of a cleanup that took the blob, and forgets its copy. */
    private void reclaim() throws Exception {
        Path tables = Files.writeString(directory.resolve("tables"), "any");
        try (EventLog log = home("first").create(SmallGraph.SCHEMA, "tester", now * 1_000)) {
            segments.createBlob(new Value.ManagedBlob(DIGEST, 1), one());
            BucketImages images = images(log);
            images.reclaiming(List.of(DIGEST));
            images.spool(Kind.BASE, tables, new Retention.Base(0, "0".repeat(64)))
                    .run();
            images.sweep();
        }
        assertThat(bucket.get(OBJECT))
                .as("a server with an older copy may refer to it")
                .isNotNull();
    }

    private static ObjectStore.Content one() {
        return new ObjectStore.Content() {
            @Override
            public long length() {
                return 1;
            }

            @Override
            public InputStream open() {
                return new ByteArrayInputStream(new byte[1]);
            }
        };
    }

    @Test
    void anObjectIsDeletedAfterTenMinutesByAnyProcess() throws Exception {
        reclaim();
        try (EventLog log = home("second").open()) {
            BucketImages images = images(log);
            images.sweep();
            now += KEPT.toMillis() - 1;
            images.sweep();
            assertThat(bucket.get(OBJECT)).isNotNull();
            now++;
            images.sweep();
            assertThat(bucket.get(OBJECT)).isNull();
            assertThat(new ReclaimedBlobs(log.directory()).isEmpty()).isTrue();
        }
    }

    /** The events of the other process may bring the blob again. */
    @Test
    void aProcessThatLacksASegmentDeletesNoBlob() throws Exception {
        reclaim();
        // A process that does not know the image goes by clocks that may differ, and waits for twice the time.
        now += 2 * KEPT.toMillis();
        try (EventLog log = home("second").open()) {
            bucket.putIfAbsent(segments.key(1), new byte[1]);
            images(log).sweep();
            assertThat(bucket.get(OBJECT)).isNotNull();
            bucket.delete(segments.key(1));
            images(log).sweep();
            assertThat(bucket.get(OBJECT)).isNull();
        }
    }

    @Test
    void aWriterAndADeletionOfOneBlobTakeTurns() {
        BlobGuard guard = new BlobGuard();
        assertThat(guard.beginDeletion(List.of(DIGEST), digest -> true))
                .as("the log has it")
                .isEmpty();
        guard.deleted();
        guard.beforePut(BLOB);
        assertThat(guard.beginDeletion(List.of(DIGEST), digest -> false))
                .as("a group brings it")
                .isEmpty();
        guard.deleted();
        guard.nextGroup();
        assertThat(guard.beginDeletion(List.of(DIGEST), digest -> false)).containsExactly(BLOB);
        Thread writer = Thread.ofVirtual().start(() -> guard.beforePut(BLOB));
        await().until(() -> writer.getState() == Thread.State.WAITING);
        guard.deleted();
        await().until(() -> !writer.isAlive());
        assertThat(guard.beginDeletion(List.of(DIGEST), digest -> false)).isEmpty();
    }
}
