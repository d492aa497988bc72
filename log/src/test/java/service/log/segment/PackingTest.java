package service.log.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.google.errorprone.annotations.FormatMethod;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import service.core.event.EventFormatException;
import service.core.testkit.FaultyObjectStore;
import service.core.testkit.MemoryObjectStore;
import service.core.testkit.Seed;
import service.core.testkit.SmallGraph;
import service.core.value.Ulid;
import service.log.format.EventLog;
import service.log.format.LogVerification;
import service.log.group.EncodedGroup;
import service.log.group.GroupSink;
import service.log.lmdb.CommitHook;
import service.log.lmdb.LmdbOptions;
import service.log.object.RepeatedReads;
import service.log.testkit.Groups;

/** Packing, its death at each request, and what readers and overtaken writers meet afterwards. */
final class PackingTest {
    private static final long MICROS = 1_700_000_000_000_000L;
    private static final int KEEP = 1_000;
    private static final Packing.Limits TEN = new Packing.Limits(10, 1 << 20, KEEP);
    private static final int GROUPS = Integer.getInteger("service.pack.groups", 300);

    @TempDir
    Path directory;

    private final MemoryObjectStore bucket = new MemoryObjectStore();
    private final SegmentStore segments = new SegmentStore(bucket, "g");
    private long now;
    private Path copy;

    @BeforeEach
    void create() {
        copy = directory.resolve("copy");
        home(copy).create(SmallGraph.SCHEMA, "tester", MICROS).close();
    }

    private SegmentedLog home(Path at) {
        return new SegmentedLog(segments, at, LmdbOptions.unsynced(), CommitHook.NONE, "boot");
    }

    private static EncodedGroup group(EventLog log) {
        return Groups.insert(log, "p");
    }

    private SegmentSink sink(EventLog log, Runnable stored) {
        return sink(segments, log, stored);
    }

    private static SegmentSink sink(SegmentStore client, EventLog log, Runnable stored) {
        return new SegmentSink(
                log,
                client,
                SegmentSink.Waits.NONE,
                new SegmentSink.Calls(() -> {}, stored, () -> false),
                new NewSegments(client));
    }

    private void write(EventLog log, int groups, Runnable stored) {
        try (SegmentSink sink = sink(log, stored)) {
            for (int i = 0; i < groups; i++) {
                assertThat(Groups.write(sink, group(log))).isInstanceOf(GroupSink.Outcome.Durable.class);
            }
        }
    }

    private void write(int groups) {
        try (EventLog log = home(copy).open()) {
            write(log, groups, () -> {});
        }
    }

    private long pack(SegmentStore client, Packing.Limits limits) {
        try (EventLog log = home(copy).open()) {
            Packing packing = new Packing(client, log, limits, () -> now);
            long wait = packing.run();
            now += KEEP;
            packing.run();
            return wait;
        }
    }

    /** The last offset of the log and its hash, as a reader with this copy finds them. */
    private List<Object> end(Path at) {
        try (EventLog log = home(at).open()) {
            assertThat(LogVerification.run(log).damaged()).isEmpty();
            return List.of(log.tail().offset(), List.of(log.tail().lastCommit()));
        }
    }

    private List<Long> small() {
        return segments.firstOffsets(-1, 10_000);
    }

    private static List<Long> range(long from, long to) {
        return LongStream.rangeClosed(from, to).boxed().toList();
    }

    @Test
    void packedSegmentsAreReadFromEveryOffset() throws IOException {
        List<Path> copies = new ArrayList<>();
        for (int at = 0; at < 25; at += 5) {
            Path other = directory.resolve("at" + at);
            end(other);
            Files.createFile(other.resolve("witness"));
            copies.add(other);
            write(5);
        }
        List<Object> end = end(copy);
        try (EventLog log = home(copy).open()) {
            Packing packing = new Packing(segments, log, TEN, () -> now);
            assertThat(packing.run()).isEqualTo(KEEP);
            assertThat(small()).as("they are kept for a time").hasSize(26);
            assertThat(segments.packedFrom(0, 10)).containsExactly(new PackedRange(1, 10), new PackedRange(11, 20));
            now += KEEP - 1;
            assertThat(packing.run()).isEqualTo(1);
            assertThat(small()).hasSize(26);
            now++;
            assertThat(packing.run()).isEqualTo(-1);
        }
        assertThat(small()).containsExactly(0L, 21L, 22L, 23L, 24L, 25L);
        assertThat(end(directory.resolve("fresh"))).isEqualTo(end);
        for (Path other : copies) {
            assertThat(end(other)).isEqualTo(end);
            assertThat(other.resolve("witness")).as("the copy was continued").exists();
        }
        write(20);
        pack(segments, TEN);
        assertThat(small().getFirst()).isZero();
        assertThat(small()).endsWith(45L).hasSizeLessThan(8);
        assertThat(end(directory.resolve("fresh"))).isEqualTo(end(copy));
    }

    @Test
    void theNewestSegmentAndTheFirstAreNotPackedNorOneThatIsTooLarge() {
        write(10);
        assertThat(pack(segments, TEN)).isEqualTo(-1);
        assertThat(small()).hasSize(11);
        write(1);
        assertThat(pack(segments, new Packing.Limits(10, 1, KEEP)))
                .as("each is too large")
                .isEqualTo(-1);
        assertThat(small()).hasSize(12);
        pack(segments, TEN);
        assertThat(small()).containsExactly(0L, 11L);
    }

    @Test
    void packingThatDiesAtAnyRequestLosesNothing(@Seed long seed) {
        Packing.Limits three = new Packing.Limits(3, 1 << 20, 0);
        write(7);
        List<Object> end = end(copy);
        Map<String, byte[]> before = new TreeMap<>();
        bucket.list("", "", 100)
                .forEach(key ->
                        before.put(key, Objects.requireNonNull(bucket.get(key)).bytes()));
        Path fresh = directory.resolve("fresh");
        int deaths = 0;
        try (EventLog log = home(copy).open()) {
            boolean reached = true;
            for (int request = 0; reached; request++) {
                for (boolean afterEffect : new boolean[] {false, true}) {
                    bucket.list("", "", 100).forEach(bucket::delete);
                    before.forEach(bucket::putIfAbsent);
                    FaultyObjectStore client = new FaultyObjectStore(bucket, seed).killAt(request, afterEffect);
                    reached = dies(new Packing(new SegmentStore(client, "g"), log, three, () -> now));
                    if (reached) {
                        deaths++;
                        assertThat(end(fresh)).isEqualTo(end);
                        remove(fresh);
                    }
                    assertThat(dies(new Packing(segments, log, three, () -> now)))
                            .isFalse();
                    assertThat(small()).containsExactly(0L, 7L);
                }
            }
        }
        assertThat(deaths).isGreaterThan(12);
        assertThat(end(fresh)).isEqualTo(end);
    }

    /** Packs, then deletes; returns whether the client was killed. */
    private static boolean dies(Packing packing) {
        try {
            packing.run();
            packing.run();
            return false;
        } catch (FaultyObjectStore.Killed killed) {
            return true;
        }
    }

    private static void remove(Path at) {
        try (var files = Files.walk(at)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void packingOverAFaultyStoreEndsAsOverASoundOne(@Seed long seed) {
        write(45);
        List<Object> end = end(copy);
        SegmentStore faulty =
                new SegmentStore(new RepeatedReads(new FaultyObjectStore(bucket, seed).failOneIn(5)), "g");
        await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(1)).until(() -> {
            try {
                pack(faulty, TEN);
            } catch (UncheckedIOException again) {
                return false;
            }
            return small().equals(List.of(0L, 41L, 42L, 43L, 44L, 45L));
        });
        assertThat(end(directory.resolve("fresh"))).isEqualTo(end);
    }

    @Test
    void nothingIsDeletedForAPackedObjectThatIsDamaged() {
        write(25);
        PackedRange first = new PackedRange(1, 10);
        try (EventLog log = home(copy).open()) {
            new Packing(segments, log, TEN, () -> now).run();
        }
        byte[] bytes = Objects.requireNonNull(bucket.get(segments.key(first))).bytes();
        bytes[bytes.length / 2] ^= 1;
        bucket.delete(segments.key(first));
        bucket.putIfAbsent(segments.key(first), bytes);
        assertThatThrownBy(() -> pack(segments, TEN))
                .isInstanceOf(UncheckedIOException.class)
                .hasMessageContaining(segments.key(first));
        assertThat(small()).containsExactlyElementsOf(range(0, 25));
        assertThatThrownBy(() -> end(directory.resolve("fresh")))
                .isInstanceOf(EventFormatException.class)
                .hasMessageContaining(segments.key(first));
    }

    @Test
    void segmentsBehindOneThatIsTooLargeArePackedAndDeleted() {
        Packing.Limits limits = new Packing.Limits(5, 4_000, KEEP);
        write(2);
        try (EventLog log = home(copy).open();
                SegmentSink sink = sink(log, () -> {})) {
            assertThat(Groups.write(sink, Groups.insert(log, "p".repeat(5_000))))
                    .isInstanceOf(GroupSink.Outcome.Durable.class);
        }
        write(9);
        pack(segments, limits);
        assertThat(small()).containsExactly(0L, 3L, 9L, 10L, 11L, 12L);
        assertThat(segments.packedFrom(0, 10)).containsExactly(new PackedRange(1, 2), new PackedRange(4, 8));
        write(1);
        pack(segments, limits);
        assertThat(small()).containsExactly(0L, 3L, 9L, 10L, 11L, 12L, 13L);
        assertThat(end(directory.resolve("fresh")).getFirst()).isEqualTo(13L);
    }

    /** Writes, packs and deletes as another server, while the caller is paused. */
    private void overtake() {
        try (EventLog log = home(directory.resolve("other")).open()) {
            write(log, 25, () -> {});
            Packing packing = new Packing(segments, log, TEN, () -> now);
            packing.run();
            now += KEEP;
            packing.run();
        }
        assertThat(small()).doesNotContain(4L);
    }

    /**
     * A writer sleeps before its look, or between the look and the PUT, while another one goes on, packs and deletes.
     * Where its PUT succeeds, because the key is free again, its segment does not count, and nothing is acknowledged.
     */
    @Test
    void aWriterThatWasOvertakenAndPausedAtAnyStepAcknowledgesNothing() {
        for (String step : List.of("look", "put")) {
            write(3);
            FaultyObjectStore client = new FaultyObjectStore(bucket, 0);
            // No look counts as recent, as after a long pause.
            SegmentStore late = new SegmentStore(client, "g", Duration.ZERO);
            try (EventLog stale = home(copy).open();
                    SegmentSink sleeping = sink(late, stale, () -> {})) {
                long next = stale.tail().offset() + 1;
                AtomicBoolean once = new AtomicBoolean();
                Runnable pause = () -> {
                    if (once.compareAndSet(false, true)) {
                        overtake();
                    }
                };
                if (step.equals("look")) {
                    pause.run();
                } else {
                    client.beforeCreation(key -> pause.run());
                }
                GroupSink.Outcome outcome = Groups.write(sleeping, group(stale));
                if (step.equals("look")) {
                    assertThat(outcome).isInstanceOf(GroupSink.Outcome.Overtaken.class);
                } else {
                    assertThat(outcome).isInstanceOf(GroupSink.Outcome.Unknown.class);
                    assertThat(sleeping.settle()).isInstanceOf(GroupSink.Outcome.Overtaken.class);
                    assertThat(small()).as("the segment that does not count").contains(next);
                }
                assertThat(sleeping.takeNew().isAll()).isTrue();
                assertThat(stale.tail().offset()).isEqualTo(next + 24);
                assertThat(Groups.write(sleeping, group(stale))).isInstanceOf(GroupSink.Outcome.Durable.class);
            }
            assertThat(end(directory.resolve("fresh" + step))).isEqualTo(end(copy));
        }
    }

    /** Both believe that the work is theirs. */
    @Test
    void twoServersThatPackAtTheSameTimeLoseNothing() {
        write(45);
        List<Object> end = end(directory.resolve("before"));
        try (EventLog one = home(copy).open();
                EventLog other = home(directory.resolve("other")).open()) {
            Packing first = new Packing(segments, one, TEN, () -> now);
            Packing second = new Packing(segments, other, TEN, () -> now);
            for (int round = 0; round < 3; round++) {
                CompletableFuture.allOf(CompletableFuture.runAsync(first::run), CompletableFuture.runAsync(second::run))
                        .join();
                now += KEEP;
            }
        }
        assertThat(small()).hasSizeLessThan(45);
        assertThat(end(directory.resolve("after"))).isEqualTo(end);
    }

    /** With {@code -Dservice.pack.groups} it prints the figures of a year in docs/operations/object-storage.md. */
    @Test
    void aServerPacksWhileItWrites() {
        FaultyObjectStore counted = new FaultyObjectStore(bucket, 0);
        SegmentStore client = new SegmentStore(counted, "g");
        int each = Math.min(1_000, GROUPS / 15);
        List<Object> end;
        long began = System.nanoTime();
        try (EventLog log = home(copy).open()) {
            try (PackLoop loop = new PackLoop(
                    new Packing(client, log, new Packing.Limits(each, 63 << 20, 0), System::currentTimeMillis),
                    new WorkLease(client, new Ulid(1, 1), Duration.ofMinutes(1), System::currentTimeMillis))) {
                write(log, GROUPS, loop::stored);
                write(log, 1, loop::stored);
                await().atMost(Duration.ofMinutes(1)).until(() -> small().size() <= 2 * each);
            }
            end = List.of(log.tail().offset(), List.of(log.tail().lastCommit()));
        }
        int packed = segments.packedFrom(0, 10_000).size();
        assertThat(packed).isGreaterThan(GROUPS / each - 3);
        long opening = System.nanoTime();
        FaultyObjectStore reader = new FaultyObjectStore(bucket, 0);
        try (EventLog log = new SegmentedLog(
                        new SegmentStore(reader, "g"),
                        directory.resolve("fresh"),
                        LmdbOptions.unsynced(),
                        CommitHook.NONE,
                        "boot")
                .open()) {
            assertThat(List.of(log.tail().offset(), List.of(log.tail().lastCommit())))
                    .isEqualTo(end);
        }
        long opened = System.nanoTime();
        print(
                "%d groups in %d ms: %d packed objects of %d bytes in all, %d small ones; %d requests to pack;"
                        + " a cold open takes %d requests and %d ms%n",
                GROUPS + 1,
                (opening - began) / 1_000_000,
                packed,
                bytes("graphs/g/packed/"),
                small().size(),
                counted.requests(),
                reader.requests(),
                (opened - opening) / 1_000_000);
        assertThat(reader.requests()).isLessThan(packed + small().size() + 20);
    }

    private long bytes(String prefix) {
        return bucket.list(prefix, "", 100_000).stream()
                .mapToLong(key -> Objects.requireNonNull(bucket.get(key)).bytes().length)
                .sum();
    }

    @FormatMethod
    @SuppressWarnings("SystemOut")
    private static void print(String figures, Object... values) {
        if (GROUPS > 1_000) {
            System.out.printf(figures, values);
        }
    }
}
