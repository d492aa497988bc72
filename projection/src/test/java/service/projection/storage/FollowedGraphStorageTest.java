package service.projection.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static service.core.testkit.SmallGraph.branch;
import static service.core.testkit.SmallGraph.person;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import service.core.port.CommitFollower;
import service.core.port.FollowLag;
import service.core.port.GraphSession;
import service.core.port.GraphStorage;
import service.core.port.GraphView;
import service.core.port.ObjectStore;
import service.core.port.RetentionPolicy;
import service.core.port.WritableGraphStorage;
import service.core.testkit.FaultyObjectStore;
import service.core.testkit.MemoryObjectStore;
import service.core.testkit.SmallGraph;
import service.log.lmdb.CommitHook;
import service.log.segment.FollowedSegments;
import service.log.segment.SegmentStore;
import service.log.segment.SegmentedLog;
import service.projection.TestGraph;

/** A follower of a bucket beside the storage that writes it, each with its copy. */
final class FollowedGraphStorageTest {
    private static final Duration EVERY = Duration.ofMillis(5);

    @TempDir
    Path directory;

    private final MemoryObjectStore bucket = new MemoryObjectStore();
    private final FaultyObjectStore client = new FaultyObjectStore(bucket, 0);
    private LmdbGraphStorage writer;
    private GraphStorage follower;

    private SegmentedLog log(ObjectStore store, String copy, StorageOptions options) {
        return new SegmentedLog(
                new SegmentStore(store, "g", Duration.ZERO),
                directory.resolve(copy),
                options.projection(),
                CommitHook.NONE,
                "boot");
    }

    @BeforeEach
    void open() {
        writer = LmdbGraphStorage.create(
                log(bucket, "writer", TestGraph.options()), TestGraph.options(), SmallGraph.SCHEMA, "tester");
        follower = follower(TestGraph.options());
    }

    @AfterEach
    void close() {
        follower.close();
        writer.close();
    }

    private GraphStorage follower(StorageOptions options) {
        StorageOptions sameBoot = options.withBoot(() -> "boot");
        return FollowedGraphStorage.serve(
                new FollowedSegments(
                        new SegmentStore(client, "g", Duration.ZERO), log(client, "follower", sameBoot), () -> {}),
                sameBoot,
                EVERY);
    }

    private void commit(int first, int count) {
        SmallGraph.commit(
                writer.log(),
                branch(writer, "main"),
                IntStream.range(first, first + count)
                        .mapToObj(i -> person("p" + i, i))
                        .toList());
    }

    private static long persons(GraphStorage storage) {
        try (GraphSession session = storage.session();
                GraphView view = session.view(
                        Objects.requireNonNull(session.branch("main")).headPoint())) {
            return view.count(SmallGraph.PERSON);
        }
    }

    private void arrive() {
        long head = offset(writer);
        await().until(() -> offset(follower) == head);
        await().until(() -> follower.lag().equals(new FollowLag(0, 0)));
    }

    private static long offset(GraphStorage storage) {
        try (GraphSession session = storage.session()) {
            return session.appliedOffset();
        }
    }

    @Test
    void itShowsTheCommitsOfTheWriterAndWritesNothing() {
        List<Long> taken = new CopyOnWriteArrayList<>();
        follower.follow(new CommitFollower() {
            @Override
            public boolean isInterested(long offset) {
                return true;
            }

            @Override
            public void committed(long from, long to) {
                for (long offset = from; offset <= to; offset++) {
                    taken.add(offset);
                }
            }
        });
        try (GraphSession before = follower.session()) {
            commit(0, 1);
            commit(1, 2);
            arrive();
            assertThat(before.appliedOffset()).isZero();
        }
        assertThat(persons(follower)).isEqualTo(3);
        await().untilAsserted(() -> assertThat(taken).containsExactly(1L, 2L));
        assertThat(follower.secret()).isEqualTo(writer.secret());
        assertThat(follower.damage()).isNull();
        assertThat(follower).isNotInstanceOf(WritableGraphStorage.class);
        assertThat(bucket.list("", "", 100))
                .as("three segments, and the note of the writer")
                .hasSize(4);
    }

    @Test
    void aStartWithItsCopyReadsOnlyWhatIsNew() throws Exception {
        commit(0, 1);
        arrive();
        follower.close();
        Path witness = Files.createFile(directory.resolve("follower").resolve("witness"));
        commit(1, 1);
        follower = follower(TestGraph.options());
        assertThat(persons(follower)).as("an opened graph has what was there").isEqualTo(2);
        assertThat(witness).exists();
    }

    /** Both maps begin so small that they double several times while sessions are open for moments. */
    @Test
    void theMapsGrowWhileItIsRead() throws InterruptedException {
        follower.close();
        StorageOptions small = TestGraph.options().withMapBytes(128L << 10, 1L << 30);
        follower = follower(small);
        AtomicBoolean done = new AtomicBoolean();
        Thread reader = Thread.ofPlatform().start(() -> {
            long before = 0;
            while (!done.get()) {
                long now = persons(follower);
                assertThat(now).isGreaterThanOrEqualTo(before).matches(rows -> rows % 500 == 0, "whole commits");
                before = now;
            }
        });
        for (int i = 0; i < 12; i++) {
            commit(i * 500, 500);
        }
        arrive();
        done.set(true);
        reader.join();
        assertThat(persons(follower)).isEqualTo(6_000);
        assertThat(((FollowedGraphStorage) follower).gauges().environments())
                .allMatch(environment -> environment.mapBytes() > 128L << 10);
    }

    @Test
    void whileTheBucketDoesNotAnswerReadsGoOnAndTheLagGrows() {
        commit(0, 1);
        arrive();
        client.unreachable(true);
        commit(1, 1);
        await().until(() -> follower.lag().seconds() > 0.05);
        assertThat(persons(follower)).isEqualTo(1);
        double before = follower.lag().seconds();
        await().until(() -> follower.lag().seconds() > before);
        client.unreachable(false);
        arrive();
        assertThat(persons(follower)).isEqualTo(2);
    }

    @Test
    void aDamagedSegmentIsNamedUntilItIsRepaired() {
        commit(0, 1);
        arrive();
        String key = "graphs/g/log/00000000000000000002.seg";
        client.unreachable(true);
        commit(1, 1);
        byte[] segment = Objects.requireNonNull(bucket.get(key)).bytes();
        replace(key, new byte[] {1});
        client.unreachable(false);
        await().until(() -> follower.damage() != null);
        assertThat(follower.damage()).contains(key);
        assertThat(persons(follower)).isEqualTo(1);
        replace(key, segment);
        arrive();
        assertThat(follower.damage()).isNull();
        assertThat(persons(follower)).isEqualTo(2);
    }

    private void commits(int first, int count) {
        for (int i = first; i < first + count; i++) {
            commit(i, 1);
        }
    }

    private void cleanUp() {
        writer.cleanup().run(new RetentionPolicy(2L, null), Duration.ZERO);
    }

    /** What was reclaimed, as the feed and the listing of commits see it. */
    private static long reclaimed(GraphStorage storage) {
        try (GraphSession session = storage.session()) {
            return LongStream.rangeClosed(0, session.appliedOffset())
                    .filter(offset -> session.isReclaimed(0, offset))
                    .count();
        }
    }

    @Test
    void afterACleanupOpenSessionsReadOnAndNewOnesLackWhatWasReclaimed() throws Exception {
        commits(0, 6);
        arrive();
        for (int round = 1; round < 4; round++) {
            int persons = 6 * round;
            try (GraphSession before = follower.session();
                    GraphView old = before.view(
                            Objects.requireNonNull(before.branch("main")).headPoint())) {
                cleanUp();
                long gone = reclaimed(writer);
                await().until(() -> reclaimed(follower) == gone
                        && !follower.gauges().retention().pending());
                assertThat(old.count(SmallGraph.PERSON)).isEqualTo(persons);
                commits(persons, 6);
                arrive();
            }
            assertThat(persons(follower)).isEqualTo(persons + 6);
        }
        follower.close();
        assertThat(directory.resolve("follower.beside")).doesNotExist();
        Path witness = Files.createFile(directory.resolve("follower").resolve("witness"));
        // So they are after the death of a process.
        Files.move(directory.resolve("follower"), directory.resolve("follower.beside"));
        follower = follower(TestGraph.options());
        assertThat(witness).as("the new copy is used again").exists();
        assertThat(reclaimed(follower)).isEqualTo(reclaimed(writer));
    }

    @Test
    void eventsThatACleanupHasTakenComeFromItsBaseImageOnceThatVerifies() {
        commits(0, 3);
        arrive();
        client.unreachable(true);
        commits(3, 6);
        cleanUp();
        commits(9, 1);
        String base = bucket.list("graphs/g/base/", "", 1).getFirst();
        byte[] image = Objects.requireNonNull(bucket.get(base)).bytes();
        byte[] damaged = image.clone();
        damaged[damaged.length / 2] ^= 8;
        replace(base, damaged);
        client.unreachable(false);
        await().until(() -> follower.damage() != null);
        assertThat(follower.damage()).contains(base);
        assertThat(persons(follower)).isEqualTo(3);
        replace(base, image);
        arrive();
        assertThat(follower.damage()).isNull();
        assertThat(persons(follower)).isEqualTo(10);
        assertThat(reclaimed(follower)).isEqualTo(reclaimed(writer)).isPositive();
    }

    private void replace(String key, byte[] bytes) {
        bucket.delete(key);
        bucket.putIfAbsent(key, bytes);
    }
}
