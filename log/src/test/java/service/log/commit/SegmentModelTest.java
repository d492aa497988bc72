package service.log.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import service.core.blob.BlobIntake;
import service.core.blob.ExternalBases;
import service.core.blob.StagedBlobs;
import service.core.error.ErrorCode;
import service.core.event.Event;
import service.core.testkit.FaultyObjectStore;
import service.core.testkit.FaultyObjectStore.Fault;
import service.core.testkit.FaultyObjectStore.Killed;
import service.core.testkit.Seed;
import service.core.value.Value;

/**
 * Servers of one bucket that die, race and lose answers. The judge reads the segments alone: every acknowledged write
 * is there exactly once, no write is there twice, none that was refused as contended is there.
 */
final class SegmentModelTest {
    private static final Duration PATIENT = Duration.ofMinutes(10);
    private static final int WRITES = 4;
    private static final int RACES = Integer.getInteger("service.segment.races", 8);

    @TempDir
    Path directory;

    private final SegmentServers servers = new SegmentServers();
    private int copies;

    @BeforeEach
    void create() {
        servers.create(copy());
    }

    private Path copy() {
        return directory.resolve("copy" + copies++);
    }

    private FaultyObjectStore client(long seed) {
        return new FaultyObjectStore(servers.bucket, seed);
    }

    private void judge() {
        Map<String, Integer> history = servers.history(copy());
        assertThat(history.values()).allMatch(inserts -> inserts == 1);
        assertThat(history.keySet()).containsAll(servers.acknowledged);
        servers.refused.forEach((id, code) -> {
            if (code == ErrorCode.CONTENDED) {
                assertThat(history).doesNotContainKey(id);
            }
        });
    }

    /** Kills the server at each request of a run, before and after the request has its effect. */
    @Test
    void aServerThatDiesAtAnyRequestLosesNothingThatItAcknowledged(@Seed long seed) {
        Path kept = copy();
        boolean reached = true;
        for (int request = 0; reached; request++) {
            for (boolean afterEffect : new boolean[] {false, true}) {
                FaultyObjectStore client = client(seed).killAt(request, afterEffect);
                reached = !isWhole(client, kept, request + (afterEffect ? "b" : "a"));
                String after = "after" + request + afterEffect;
                Path next = afterEffect ? copy() : kept;
                try (SegmentServers.Server server = servers.start(client(seed), next, PATIENT)) {
                    assertThat(server.write(after)).isNull();
                }
            }
        }
        judge();
    }

    /** Whether a server made all of its writes before it was killed. */
    private boolean isWhole(FaultyObjectStore client, Path copy, String name) {
        try (SegmentServers.Server server = servers.start(client, copy, PATIENT)) {
            boolean whole = true;
            for (int write = 0; write < WRITES; write++) {
                whole &= server.write(name + "-" + write) == null;
            }
            return whole;
        } catch (Killed e) {
            return false;
        }
    }

    /** Both write at the same time, with the same ids: each id is inserted once, and the other server refuses it. */
    @Test
    void twoServersWriteOneLineOfHistory(@Seed long seed) {
        Random random = new Random(seed);
        Path[] kept = {copy(), copy()};
        for (int round = 0; round < RACES; round++) {
            try (SegmentServers.Server one = servers.start(
                            client(random.nextLong()).latency(Duration.ofMillis(random.nextInt(3))), kept[0], PATIENT);
                    SegmentServers.Server other = servers.start(
                            client(random.nextLong()).latency(Duration.ofMillis(random.nextInt(3))),
                            kept[1],
                            PATIENT)) {
                race(round, one, other);
                assertThat(one.write("w" + round)).isNull();
                assertThat(other.write("w" + round)).as("over the newest state").isEqualTo(ErrorCode.CONFLICT);
                assertThat(other.write("x" + round)).isNull();
            }
        }
        judge();
    }

    private void race(int round, SegmentServers.Server one, SegmentServers.Server other) {
        List<CompletableFuture<Event>> writes = new ArrayList<>();
        for (int write = 0; write < WRITES; write++) {
            writes.add(one.submit("a" + round + "-" + write));
            writes.add(other.submit("b" + round + "-" + write));
            writes.add(one.submit("both" + round + "-" + write));
            writes.add(other.submit("both" + round + "-" + write));
        }
        for (int write = 0; write < WRITES; write++) {
            assertThat(one.answer("a" + round + "-" + write, writes.get(4 * write)))
                    .isNull();
            assertThat(other.answer("b" + round + "-" + write, writes.get(4 * write + 1)))
                    .isNull();
            List<@Nullable ErrorCode> ends = new ArrayList<>();
            ends.add(one.answer("both" + round + "-" + write, writes.get(4 * write + 2)));
            ends.add(other.answer("both" + round + "-" + write, writes.get(4 * write + 3)));
            assertThat(ends).containsExactlyInAnyOrder(null, ErrorCode.CONFLICT);
        }
    }

    /** A write that is overtaken until its time is over was certainly not made. */
    @Test
    void aWriteThatIsAlwaysOvertakenIsContended(@Seed long seed) {
        FaultyObjectStore client = client(seed);
        try (SegmentServers.Server faster = servers.start(client(seed + 1), copy(), PATIENT);
                SegmentServers.Server slower = servers.start(client, copy(), PATIENT)) {
            AtomicInteger writes = new AtomicInteger();
            client.beforeCreation(key ->
                    assertThat(faster.write("f" + writes.getAndIncrement())).isNull());
            CompletableFuture<Event> write =
                    slower.writer.submit(Commands.insert("s"), StagedBlobs.NONE, Duration.ofMillis(200));
            assertThat(slower.answer("s", write)).isEqualTo(ErrorCode.CONTENDED);
            assertThat(writes.get()).isPositive();
            client.beforeCreation(key -> {});
            assertThat(slower.write("later")).isNull();
        }
        judge();
    }

    /**
     * A write is answered in its time while the store does not answer to its blobs, and is not made afterwards, whether
     * its caller has dropped them or not.
     */
    @Test
    void aWriteWhoseBlobsTakeTooLongIsNotMade(@Seed long seed) {
        FaultyObjectStore client = client(seed);
        try (SegmentServers.Server server = servers.start(client, copy(), PATIENT)) {
            for (boolean dropped : new boolean[] {false, true}) {
                StagedBlobs staged = StagedBlobs.in(() -> {
                    throw new AssertionError("a short blob needs no file");
                });
                Value scan = new BlobIntake(ExternalBases.NONE, staged).read("base64:c2Nhbg==", "the scan");
                CountDownLatch silence = new CountDownLatch(1);
                client.beforeCreation(key -> {
                    if (key.contains("/blobs/")) {
                        await(silence);
                    }
                });
                String id = "scan" + dropped;
                CompletableFuture<Event> write =
                        server.writer.submit(Commands.insert(id, scan), staged, Duration.ofMillis(1));
                assertThat(server.answer(id, write)).isEqualTo(ErrorCode.CONTENDED);
                CompletableFuture<Event> next = server.submit("next" + dropped);
                if (dropped) {
                    staged.close();
                }
                silence.countDown();
                assertThat(server.answer("next" + dropped, next)).isNull();
                staged.close();
            }
        }
        judge();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Each stores the next group as soon as it can: the one that is always first leaves the other one turns. */
    @Test
    void neitherOfTwoBusyServersStarves(@Seed long seed) {
        Duration each = Duration.ofMillis(1);
        try (SegmentServers.Server one = servers.start(client(seed).latency(each), copy(), PATIENT);
                SegmentServers.Server other = servers.start(client(seed + 1).latency(each), copy(), PATIENT);
                WriterPoll ofFirst = WriterPoll.start(one.writer, "one", each.multipliedBy(10));
                WriterPoll ofSecond = WriterPoll.start(other.writer, "other", each.multipliedBy(10))) {
            assertThat(List.of(ofFirst, ofSecond)).noneMatch(WriterPoll::isStoreSilent);
            BooleanSupplier isShared = () -> one.writer.groups() >= 20 && other.writer.groups() >= 20;
            BooleanSupplier isOver =
                    () -> isShared.getAsBoolean() || one.writer.groups() + other.writer.groups() > 5_000;
            CompletableFuture<Void> ofOne = CompletableFuture.runAsync(() -> writeUntil(isOver, one, "one"));
            writeUntil(isOver, other, "other");
            ofOne.join();
            assertThat(isShared.getAsBoolean())
                    .as("groups of each: %d and %d", one.writer.groups(), other.writer.groups())
                    .isTrue();
        }
        judge();
    }

    private static void writeUntil(BooleanSupplier isOver, SegmentServers.Server server, String name) {
        for (int write = 0; !isOver.getAsBoolean(); write++) {
            assertThat(server.write(name + write)).isNull();
        }
    }

    /** A refusal is one look for the whole group, and none is given while the bucket does not answer. */
    @Test
    void anAnswerWithoutAnEventIsConfirmed(@Seed long seed) {
        FaultyObjectStore client = client(seed);
        try (SegmentServers.Server server = servers.start(client, copy(), PATIENT)) {
            assertThat(server.write("a")).isNull();
            long before = client.requests();
            List<CompletableFuture<Event>> again = new ArrayList<>();
            server.writer
                    .between(() -> again.addAll(List.of(server.submit("a"), server.submit("a"))))
                    .join();
            again.forEach(write -> assertThat(server.answer("a again", write)).isEqualTo(ErrorCode.CONFLICT));
            assertThat(client.requests() - before).isEqualTo(1);
            client.unreachable(true);
            assertThat(server.write("a")).isEqualTo(ErrorCode.NOT_YET_HERE);
            client.unreachable(false);
            assertThat(server.write("a")).isEqualTo(ErrorCode.CONFLICT);
        }
    }

    /** One request in five fails, in every way in which S3 fails. */
    @Test
    void failuresMakeWritesSlowerAndLoseNone(@Seed long seed) {
        Path kept = copy();
        for (int run = 0; run < 3; run++) {
            FaultyObjectStore client = client(seed + run);
            try (SegmentServers.Server server = servers.start(client, kept, PATIENT)) {
                // A start fails when one request has failed six times; a write is repeated until it succeeds.
                client.failOneIn(5);
                for (int write = 0; write < 10; write++) {
                    assertThat(server.write("r" + run + "-" + write)).isNull();
                }
            }
        }
        assertThat(servers.history(copy())).hasSize(30);
        judge();
    }

    /** While the outcome is unknown writes are refused and reads continue; later all resumes without a write. */
    @Test
    void aDarkBucketRefusesWritesUntilItAnswersAgain(@Seed long seed) {
        for (Fault fault : new Fault[] {Fault.LOST_BEFORE, Fault.LOST_AFTER}) {
            FaultyObjectStore client = client(seed);
            try (SegmentServers.Server server = servers.start(client, copy(), Duration.ZERO)) {
                assertThat(server.write("before" + fault)).isNull();
                client.fail(fault).fail(Fault.LOST_BEFORE);
                client.unreachable(fault == Fault.LOST_BEFORE);
                assertThat(server.write("lost" + fault)).isEqualTo(ErrorCode.RECOVERY_REQUIRED);
                if (fault == Fault.LOST_BEFORE) {
                    assertThat(server.write("dark" + fault)).isEqualTo(ErrorCode.RECOVERY_REQUIRED);
                }
                assertThat(server.projector.ids()).contains("before" + fault);
                client.unreachable(false);
                Awaitility.await().until(() -> server.projector.ids().contains("lost" + fault));
                assertThat(server.write("after" + fault)).isNull();
            }
            assertThat(servers.history(copy())).containsKey("lost" + fault).doesNotContainKey("dark" + fault);
        }
        judge();
    }

    /** What SIGTERM comes to: the time is over, or the bucket answers before that. */
    @Test
    void aClosingServerAsksForAnUnknownOutcomeUntilItsTimeIsOver(@Seed long seed) {
        for (boolean answers : new boolean[] {false, true}) {
            FaultyObjectStore client = client(seed);
            String write = "lost" + answers;
            try (SegmentServers.Server server =
                    servers.start(client, copy(), Duration.ZERO, answers ? PATIENT : Duration.ofMillis(100))) {
                assertThat(server.write("before" + answers)).isNull();
                client.unreachable(true);
                assertThat(server.write(write)).isEqualTo(ErrorCode.RECOVERY_REQUIRED);
                CompletableFuture<Void> closing = CompletableFuture.runAsync(() -> {
                    server.writer.close();
                    server.sink.close();
                });
                if (answers) {
                    long before = client.requests();
                    Awaitility.await().until(() -> client.requests() > before);
                    assertThat(closing).isNotDone();
                    client.unreachable(false);
                }
                closing.join();
            }
            assertThat(servers.history(copy()).containsKey(write)).isEqualTo(answers);
        }
        judge();
    }

    /** Commits that wait while a segment is put share the next one. */
    @Test
    void writesGatherWhileASegmentIsPut(@Seed long seed) {
        FaultyObjectStore client = client(seed).latency(Duration.ofMillis(20));
        try (SegmentServers.Server server = servers.start(client, copy(), PATIENT)) {
            long before = client.requests();
            List<CompletableFuture<Event>> writes = new ArrayList<>();
            for (int write = 0; write < 100; write++) {
                writes.add(server.submit("g" + write));
            }
            writes.forEach(CompletableFuture::join);
            assertThat(client.requests() - before).isLessThan(50);
        }
        assertThat(servers.history(copy())).hasSize(100);
    }

    @Test
    void aGraphIsCreatedOnce() {
        assertThatThrownBy(() -> servers.create(copy())).hasMessageContaining("there is a graph at");
    }
}
