package service.log.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import service.core.event.EventFormatException;
import service.core.port.ObjectStoreException;
import service.core.testkit.FaultyObjectStore;
import service.core.testkit.MemoryObjectStore;
import service.core.testkit.Seed;
import service.core.testkit.SmallGraph;
import service.log.format.EventLog;
import service.log.group.GroupSink;
import service.log.lmdb.CommitHook;
import service.log.lmdb.LmdbOptions;
import service.log.testkit.Groups;

/** A follower's copy beside a writer: what a look takes, what it asks for, and what it refuses. */
final class FollowedSegmentsTest {
    private static final long MICROS = 1_700_000_000_000_000L;
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final Packing.Limits TEN = new Packing.Limits(10, 1 << 20, 0);

    @TempDir
    Path directory;

    private final MemoryObjectStore bucket = new MemoryObjectStore();

    /** Most tests delete segments at once. */
    private Duration reclaimDelay = Duration.ZERO;

    private final SegmentStore segments = new SegmentStore(bucket, "g");

    @BeforeEach
    void create() {
        home(segments, "copy").create(SmallGraph.SCHEMA, "tester", MICROS).close();
    }

    private SegmentedLog home(SegmentStore client, String copy) {
        return new SegmentedLog(client, directory.resolve(copy), LmdbOptions.unsynced(), CommitHook.NONE, "boot");
    }

    /** A follower with its open copy. */
    private final class Follower implements AutoCloseable {
        private final FaultyObjectStore client = new FaultyObjectStore(bucket, 0);
        private final FollowedSegments source;
        private final EventLog log;

        Follower(String copy) {
            SegmentStore mine = new SegmentStore(client, "g", reclaimDelay);
            source = new FollowedSegments(mine, home(mine, copy), () -> {});
            log = source.open();
        }

        long poll() {
            return source.takeNew(log, LONG);
        }

        /** The requests of one look, after which the copy ends at an offset. */
        long requests(long offset) {
            long before = client.requests();
            assertThat(poll()).isEqualTo(offset);
            assertThat(log.tail().offset()).isEqualTo(offset);
            return client.requests() - before;
        }

        @Override
        public void close() {
            source.close(log);
        }
    }

    private void write(EventLog log, SegmentStore client, int groups) {
        try (SegmentSink sink = new SegmentSink(log, client, SegmentSink.Waits.NONE, () -> {})) {
            for (int i = 0; i < groups; i++) {
                assertThat(Groups.write(sink, Groups.insert(log, "p"))).isInstanceOf(GroupSink.Outcome.Durable.class);
            }
        }
    }

    private void write(int groups) {
        try (EventLog log = home(segments, "copy").open()) {
            write(log, segments, groups);
        }
    }

    /** Packs what is complete and deletes the small segments. */
    private void pack() {
        try (EventLog log = home(segments, "copy").open()) {
            Packing packing = new Packing(segments, log, TEN, () -> 0);
            packing.run();
            packing.run();
        }
    }

    private byte[] lastHash() {
        try (EventLog log = home(segments, "copy").open()) {
            return log.tail().hash();
        }
    }

    @Test
    void aLookIsOneRequestAndOneForEachNewSegment() {
        reclaimDelay = SegmentStore.RECLAIM_DELAY;
        try (Follower follower = new Follower("follower")) {
            assertThat(follower.requests(0))
                    .as("the newest segment, and a list")
                    .isEqualTo(2);
            assertThat(follower.requests(0)).isEqualTo(1);
            write(1);
            assertThat(follower.requests(1)).isEqualTo(2);
            write(40);
            assertThat(follower.requests(41)).isEqualTo(41);
            assertThat(follower.requests(41)).isEqualTo(1);
            assertThat(follower.log.tail().hash()).isEqualTo(lastHash());
        }
    }

    @Test
    void aLookWithoutTimeTakesOneSegmentAndKnowsTheEnd() {
        write(3);
        try (Follower follower = new Follower("follower")) {
            write(4);
            assertThat(follower.source.takeNew(follower.log, Duration.ZERO)).isEqualTo(7);
            assertThat(follower.log.tail().offset()).isEqualTo(4);
            assertThat(follower.poll()).isEqualTo(7);
            assertThat(follower.log.tail().offset()).isEqualTo(7);
        }
    }

    @Test
    void aFollowerThatWasPausedReadsThePackedObjects() {
        try (Follower follower = new Follower("follower")) {
            write(5);
            follower.poll();
            write(30);
            pack();
            assertThat(segments.firstOffsets(-1, 100)).doesNotContain(6L, 20L);
            follower.poll();
            assertThat(follower.log.tail().hash()).isEqualTo(lastHash());
        }
    }

    /** The segments are packed and deleted after the list, before the first of them is read. */
    @Test
    void aSegmentThatIsDeletedBetweenListAndReadIsReadFromThePackedObject() {
        try (Follower follower = new Follower("follower")) {
            follower.poll();
            write(25);
            AtomicBoolean once = new AtomicBoolean();
            Object packed = new Object();
            follower.client.beforeReading(key -> {
                synchronized (packed) {
                    if (once.compareAndSet(false, true)) {
                        pack();
                    }
                }
            });
            assertThat(follower.poll()).isEqualTo(25);
            assertThat(once).isTrue();
            assertThat(follower.log.tail().hash()).isEqualTo(lastHash());
        }
    }

    /** A writer that was overtaken creates a segment where packing has deleted the true one. */
    @Test
    void aPackedObjectCountsBeforeASegmentOfTheSameOffsets() {
        write(5);
        try (Follower follower = new Follower("follower");
                EventLog stale = home(segments, "stale").open()) {
            MemoryObjectStore elsewhere = new MemoryObjectStore();
            SegmentStore other = new SegmentStore(elsewhere, "g");
            try (SegmentSink sink = new SegmentSink(stale, other, SegmentSink.Waits.NONE, () -> {})) {
                assertThat(Groups.write(sink, Groups.insert(stale, "stale")))
                        .isInstanceOf(GroupSink.Outcome.Durable.class);
            }
            write(20);
            pack();
            bucket.putIfAbsent(
                    segments.key(6),
                    Objects.requireNonNull(elsewhere.get(other.key(6))).bytes());
            follower.poll();
            assertThat(follower.log.tail().hash()).isEqualTo(lastHash());
        }
    }

    @Test
    void whatIsMissingDamagedOrReplacedIsNamedAndTheCopyStays() throws IOException {
        try (Follower follower = new Follower("follower")) {
            write(1);
            follower.poll();
            write(3);
            byte[] third = Objects.requireNonNull(bucket.get(segments.key(3))).bytes();
            bucket.delete(segments.key(3));
            refused(follower, segments.key(3) + " is missing", 2);
            bucket.putIfAbsent(segments.key(3), new byte[] {1, 2, 3});
            refused(follower, segments.key(3), 2);
            bucket.delete(segments.key(3));
            bucket.putIfAbsent(segments.key(3), third);
            assertThat(follower.poll()).isEqualTo(4);
            bucket.list("", "", 100).forEach(bucket::delete);
            home(segments, "again").create(SmallGraph.SCHEMA, "tester", MICROS).close();
            refused(follower, "deleted or replaced", 4);
        }
    }

    /** The last segment is listed, and the one before it and its packed object are missing. */
    @Test
    void aGapBehindAPackedObjectIsNamedAtTheOpeningToo() {
        write(14);
        pack();
        List.of(11L, 12L, 13L).forEach(first -> bucket.delete(segments.key(first)));
        assertThatThrownBy(() -> new Follower("follower"))
                .isInstanceOf(EventFormatException.class)
                .hasMessageContaining(segments.key(11) + " is missing");
    }

    private static void refused(Follower follower, String finding, long tail) {
        assertThatThrownBy(follower::poll)
                .isInstanceOf(EventFormatException.class)
                .hasMessageContaining(finding);
        assertThat(follower.log.tail().offset()).isEqualTo(tail);
    }

    /** Looks, writes and packings in any order, with requests that fail; in the end the copy is the log. */
    @Test
    void looksBesideAWriterWithFailuresEndWithTheSameLog(@Seed long seed) {
        RandomGenerator random = new java.util.SplittableRandom(seed);
        List<Long> shown = new ArrayList<>(List.of(0L));
        try (Follower follower = new Follower("follower")) {
            follower.client.failOneIn(5);
            for (int step = 0; step < 40; step++) {
                switch (random.nextInt(4)) {
                    case 0 -> pack();
                    case 1 -> write(1 + random.nextInt(15));
                    default -> {
                        try {
                            follower.poll();
                        } catch (ObjectStoreException failed) {
                            assertThat(failed).hasMessageContaining("g/");
                        }
                        assertThat(follower.log.tail().offset()).isGreaterThanOrEqualTo(shown.getLast());
                        shown.add(follower.log.tail().offset());
                    }
                }
            }
            follower.client.failOneIn(0);
            follower.poll();
            assertThat(follower.log.tail().hash()).isEqualTo(lastHash());
        }
    }
}
