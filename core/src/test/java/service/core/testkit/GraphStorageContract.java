package service.core.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static service.core.testkit.SmallGraph.appending;
import static service.core.testkit.SmallGraph.draft;
import static service.core.testkit.SmallGraph.person;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import service.core.error.ErrorCode;
import service.core.event.Event;
import service.core.port.CommitFollower;
import service.core.port.CommitLog;
import service.core.port.GraphSession;
import service.core.port.GraphStorage;
import service.core.port.WritableGraphStorage;

/** The contract of {@link GraphStorage}: what is durable, what is visible, and when. */
public abstract class GraphStorageContract extends StorageContract {
    @Test
    void aNewGraphHoldsItsGenesisOnMain() {
        try (GraphSession session = storage().session()) {
            assertThat(session.appliedOffset()).isZero();
            assertThat(session.branches()).singleElement().extracting("name").isEqualTo("main");
        }
    }

    @Test
    void aSessionShowsTheStateOfItsOpeningHoweverLongItStaysOpen() {
        commit("main", person("a", 1));
        try (GraphSession session = storage().session()) {
            commit("main", person("b", 2));
            assertThat(session.appliedOffset()).isEqualTo(1);
            assertThat(has(session, "a")).isTrue();
            assertThat(has(session, "b")).isFalse();
        }
        assertThat(has(storage(), "b")).isTrue();
    }

    @Test
    void aFollowerGetsEachDurableEventOnceAndInOrder() {
        List<Long> offsets = new CopyOnWriteArrayList<>();
        storage().follow(new CommitFollower() {
            @Override
            public boolean isInterested(long offset) {
                return true;
            }

            @Override
            public void committed(long from, long to) {
                LongStream.rangeClosed(from, to).forEach(offsets::add);
            }
        });
        commit("main", person("a", 1));
        commit("main", person("b", 1));
        await().untilAsserted(() -> assertThat(offsets).containsExactly(1L, 2L));
    }

    @Test
    void aCrashKeepsWhatWasAcknowledgedAndLosesWhatWasNotFlushed() throws InterruptedException {
        commit("main", person("a", 1));
        byte[] secret = storage().secret();
        CountDownLatch flushing = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        under().beforeFlush(() -> {
            flushing.countDown();
            try {
                go.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        CompletableFuture<Event> unflushed =
                storage().log().submit(appending(draft(branch("main"), List.of(person("b", 2)))));
        flushing.await();
        assertThat(unflushed).isNotDone();
        assertThat(has(storage(), "b")).isFalse();
        WritableGraphStorage after = under().afterCrash();
        go.countDown();
        assertThat(has(after, "a")).isTrue();
        assertThat(has(after, "b")).isFalse();
        assertThat(after.secret()).isEqualTo(secret);
        Event next = SmallGraph.commit(after.log(), branch(after, "main"), List.of(person("c", 3)));
        assertThat(next.offset()).isEqualTo(2);
        unflushed.join();
        assertThat(has(storage(), "b")).isTrue();
    }

    @Test
    void aFailedFlushLeavesNothingAndTheNextWriteSucceeds() {
        under().beforeFlush(() -> {
            under().beforeFlush(() -> {});
            throw new IllegalStateException("no flush");
        });
        CompletableFuture<Event> failed =
                storage().log().submit(appending(draft(branch("main"), List.of(person("a", 1)))));
        assertThat(failed).failsWithin(java.time.Duration.ofMinutes(1));
        assertThat(has(storage(), "a")).isFalse();
        assertThat(commit("main", person("b", 1)).offset()).isEqualTo(1);
    }

    @Test
    void afterTheLogIsClosedWritesAreRefused() {
        CommitLog log = storage().log();
        var draft = draft(branch("main"), List.of(person("a", 1)));
        log.close();
        assertRefused(ErrorCode.SHUTTING_DOWN, () -> CommitLog.await(log.submit(appending(draft))));
    }
}
