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
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import service.core.error.ErrorCode;
import service.core.event.Event;
import service.core.testkit.FaultyObjectStore;
import service.core.testkit.FaultyObjectStore.Fault;
import service.core.testkit.FaultyObjectStore.Killed;
import service.core.testkit.Seed;

/**
 * Servers of one bucket that die, race and lose answers. The judge reads the segments alone: every acknowledged write
 * is there exactly once, no write is there twice, none that was refused as fenced is there.
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
            if (code == ErrorCode.FENCED) {
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

    /** Both servers are at the same head and write at the same time; one of them is fenced. */
    @Test
    void ofTwoWritersOneIsFencedAndHistoryStaysOneLine(@Seed long seed) {
        Random random = new Random(seed);
        Path[] kept = {copy(), copy()};
        for (int round = 0; round < RACES; round++) {
            try (SegmentServers.Server one = servers.start(
                            client(random.nextLong()).latency(Duration.ofMillis(random.nextInt(3))), kept[0], PATIENT);
                    SegmentServers.Server other = servers.start(
                            client(random.nextLong()).latency(Duration.ofMillis(random.nextInt(3))),
                            kept[1],
                            PATIENT)) {
                List<ErrorCode> ends = new ArrayList<>();
                race(round, one, other, ends);
                assertThat(ends).as("the loser says so").contains(ErrorCode.FENCED);
                SegmentServers.Server fenced = one.write("o" + round) == ErrorCode.FENCED ? one : other;
                assertThat(fenced.write("x" + round)).isEqualTo(ErrorCode.FENCED);
                SegmentServers.Server winner = fenced == one ? other : one;
                assertThat(winner.write("w" + round)).isNull();
            }
        }
        judge();
    }

    private void race(int round, SegmentServers.Server one, SegmentServers.Server other, List<ErrorCode> ends) {
        List<CompletableFuture<Event>> writes = new ArrayList<>();
        for (int write = 0; write < WRITES; write++) {
            writes.add(one.submit("a" + round + "-" + write));
            writes.add(other.submit("b" + round + "-" + write));
        }
        for (int write = 0; write < WRITES; write++) {
            ends.add(one.answer("a" + round + "-" + write, writes.get(2 * write)));
            ends.add(other.answer("b" + round + "-" + write, writes.get(2 * write + 1)));
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
