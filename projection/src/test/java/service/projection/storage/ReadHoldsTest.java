package service.projection.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.event.EntityChange;
import service.core.event.Image;
import service.core.port.Branch;
import service.core.port.FeedHold;
import service.core.port.GraphSession;
import service.core.port.GraphView;
import service.core.port.ReadPoint;
import service.core.port.RetentionPolicy;
import service.core.port.StateHold;
import service.core.testkit.GeneratedHistory;
import service.core.testkit.Seed;
import service.core.testkit.SmallGraph;
import service.core.testkit.ViewShows;
import service.core.value.EntityKind;
import service.core.value.PropertyRow;
import service.core.value.Value;
import service.projection.TestGraph;

/** Reads in progress keep cleanup from what they still have to read, for a time. */
final class ReadHoldsTest {
    private static final RetentionPolicy KEEP_ONE = new RetentionPolicy(1L, null);

    @TempDir
    Path temporary;

    private LmdbGraphStorage create(StorageOptions options) {
        return LmdbGraphStorage.create(temporary.resolve("graph"), options, SmallGraph.SCHEMA, "tester");
    }

    private static Branch main(GraphSession session) {
        return Objects.requireNonNull(session.branch("main"));
    }

    private static Branch main(LmdbGraphStorage storage) {
        try (GraphSession session = storage.session()) {
            return main(session);
        }
    }

    private static void clean(LmdbGraphStorage storage) {
        storage.cleanup().run(KEEP_ONE, Duration.ZERO);
    }

    private static long commit(LmdbGraphStorage storage, String prefix) {
        List<EntityChange> people = IntStream.range(0, 3)
                .mapToObj(i -> new EntityChange(
                        EntityKind.NODE,
                        SmallGraph.PERSON,
                        prefix + i,
                        null,
                        Image.ofNode(PropertyRow.of(Map.of(SmallGraph.NAME, new Value.Text(prefix))))))
                .toList();
        return SmallGraph.commit(storage.log(), main(storage), people).offset();
    }

    private static void assertReclaimed(ReadPoint point, LmdbGraphStorage storage) {
        try (GraphSession session = storage.session()) {
            assertThatThrownBy(() -> session.view(point).close())
                    .isInstanceOfSatisfying(
                            ServiceException.class,
                            refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.SNAPSHOT_RECLAIMED));
        }
    }

    /** States that are held while cleanups take what is around them, and those that are not held any more. */
    @Test
    void heldStatesStayAsTheyWereUntilTheyAreClosed(@Seed long seed) {
        Random random = new Random(seed);
        try (LmdbGraphStorage storage = create(TestGraph.options())) {
            GeneratedHistory history = new GeneratedHistory(seed, storage, 3);
            Map<ReadPoint, StateHold> held = new java.util.HashMap<>();
            for (int round = 0; round < 6; round++) {
                history.run(25, 2);
                List<ReadPoint> points = new ArrayList<>(history.copies.keySet());
                for (int i = 0; i < 4; i++) {
                    ReadPoint point = points.get(random.nextInt(points.size()));
                    StateHold hold = storage.hold(point);
                    try {
                        hold.read(view -> {});
                        StateHold before = held.put(point, hold);
                        if (before != null) {
                            before.close();
                        }
                    } catch (ServiceException reclaimed) {
                        assertThat(reclaimed.code()).isEqualTo(ErrorCode.SNAPSHOT_RECLAIMED);
                        hold.close();
                    }
                }
                clean(storage);
                assertThat(held).isNotEmpty();
                held.forEach((point, hold) ->
                        hold.read(view -> ViewShows.exactly(view, Objects.requireNonNull(history.copies.get(point)))));
                ReadPoint done = held.keySet().iterator().next();
                Objects.requireNonNull(held.remove(done)).close();
            }
            held.values().forEach(StateHold::close);
            commit(storage, "last");
            clean(storage);
            assertThat(storage.events().retention().pinCount())
                    .as("pins of what live branches need alone")
                    .isLessThanOrEqualTo(3L * main(storage).historyLength());
            List<String> findings = new ArrayList<>();
            GraphVerification.compare(
                    storage.events(), storage.environment(), TestGraph.options(), temporary, findings);
            assertThat(findings).isEmpty();
        }
    }

    @Test
    void aStateIsReclaimedOnceItIsNotHeld() {
        try (LmdbGraphStorage storage = create(TestGraph.options())) {
            commit(storage, "a");
            ReadPoint point = main(storage).headPoint();
            StateHold hold = storage.hold(point);
            commit(storage, "b");
            clean(storage);
            hold.read(view -> assertThat(view.count(SmallGraph.PERSON)).isEqualTo(3));
            hold.close();
            commit(storage, "c");
            clean(storage);
            assertReclaimed(point, storage);
        }
    }

    @Test
    void aStateIsHeldNoLongerThanTheLimit() {
        try (LmdbGraphStorage storage = create(TestGraph.options().withReadHold(Duration.ZERO))) {
            commit(storage, "a");
            ReadPoint point = main(storage).headPoint();
            try (StateHold hold = storage.hold(point)) {
                hold.read(view -> assertThat(view.count(SmallGraph.PERSON)).isEqualTo(3));
                commit(storage, "b");
                clean(storage);
                assertThatThrownBy(() -> hold.read(view -> {})).hasMessageContaining("was reclaimed by cleanup");
            }
        }
    }

    /** A read that began before a cleanup is whole in its transaction, whatever the marks are meanwhile. */
    @Test
    void aSessionSeesItsHeadThoughItsViewOpensAfterACleanup() {
        try (LmdbGraphStorage storage = create(TestGraph.options())) {
            commit(storage, "a");
            try (GraphSession session = storage.session()) {
                Branch head = main(session);
                Thread other = Thread.ofPlatform().start(() -> {
                    commit(storage, "b");
                    clean(storage);
                });
                join(other);
                try (GraphView view = session.view(head.headPoint())) {
                    assertThat(view.count(SmallGraph.PERSON)).isEqualTo(3);
                }
            }
        }
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void aConsumerKeepsWhatItHasNotRead() {
        try (LmdbGraphStorage storage = create(TestGraph.options())) {
            long first = commit(storage, "a");
            FeedHold hold = storage.holdFeed(0, first);
            long second = commit(storage, "b");
            long third = commit(storage, "c");
            commit(storage, "d");
            clean(storage);
            assertThat(storage.events().retention().mark(0)).isEqualTo(second);
            hold.moveTo(second, false);
            clean(storage);
            assertThat(storage.events().retention().mark(0)).isEqualTo(third);
            hold.close();
            clean(storage);
            assertThat(storage.events().retention().mark(0)).isGreaterThan(third);
        }
    }

    /** The clock of holds is a parameter here. */
    @Test
    void aConsumerThatWasAtTheHeadHasTheWholeTimeAgain() {
        AtomicLong nanos = new AtomicLong();
        AtomicLong followed = new AtomicLong(Long.MAX_VALUE);
        ReadHolds holds = new ReadHolds(Duration.ofNanos(100), nanos::get, followed::get);
        FeedHold feed = holds.holdFeed(2, 5);
        assertThat(holds.needs().offset()).isEqualTo(5);
        nanos.set(99);
        feed.moveTo(7, false);
        assertThat(holds.needs().offset()).isEqualTo(7);
        nanos.set(100);
        assertThat(holds.needs().offset()).isEqualTo(Long.MAX_VALUE);
        feed.moveTo(9, true);
        nanos.set(10_000);
        assertThat(holds.needs().offset()).isEqualTo(Long.MAX_VALUE);
        assertThat(holds.needs().branches()).isEqualTo(Map.of(2, 9L));
        feed.moveTo(10, false);
        assertThat(holds.needs().offset()).isEqualTo(10);
        nanos.set(10_100);
        followed.set(4);
        assertThat(holds.needs().offset()).isEqualTo(4);
        followed.set(Long.MAX_VALUE);
        feed.close();
        assertThat(holds.needs().branches()).isEmpty();
    }

    @Test
    void marksAreNotMadeUnderAReadThatHasBegunSinceThePlan() {
        ReadHolds holds = new ReadHolds(Duration.ofHours(1), System::nanoTime, () -> Long.MAX_VALUE);
        ReadPoint point = new ReadPoint(0, 3);
        StateHold hold = holds.hold(point, () -> {
            throw new AssertionError("not read");
        });
        assertThat(holds.mark(point::equals, () -> {
                    throw new AssertionError("marked");
                }))
                .isFalse();
        hold.close();
        List<String> marked = new ArrayList<>();
        assertThat(holds.mark(point::equals, () -> marked.add("now"))).isTrue();
        assertThat(marked).hasSize(1);
    }
}
