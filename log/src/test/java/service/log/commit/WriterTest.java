package service.log.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.event.Event;
import service.core.event.Origin;
import service.core.port.WriteCommand.Decision;
import service.core.port.WriteCommand.Draft;
import service.core.value.Ulid;
import service.log.format.EventLog;
import service.log.format.EventReader;
import service.log.format.LogVerification;
import service.log.group.EncodedGroup;
import service.log.group.GroupSink;
import service.log.lmdb.CommitHook;
import service.log.lmdb.LmdbOptions;
import service.log.lmdb.StorageFailure;

final class WriterTest {
    @TempDir
    Path directory;

    private final Commands.SetClock clock = new Commands.SetClock();
    private final List<Long> heard = new ArrayList<>();
    private final Faults faults = new Faults();
    private final AtomicInteger failedLooks = new AtomicInteger();
    private EventLog log;
    private MemoryProjector projector;
    private Writer writer;

    /** Throws once before or after the commit of the log, as chosen. */
    private static final class Faults implements CommitHook {
        volatile RuntimeException before;
        volatile RuntimeException after;

        @Override
        public void beforeCommit(Path environment) {
            RuntimeException fault = before;
            before = null;
            if (fault != null) {
                throw fault;
            }
        }

        @Override
        public void afterCommit(Path environment) {
            RuntimeException fault = after;
            after = null;
            if (fault != null) {
                throw fault;
            }
        }
    }

    /** The sink of the log; the next {@link #failedLooks} looks at an unknown outcome fail. */
    private final class Looked implements GroupSink {
        private final GroupSink sink;

        Looked(GroupSink sink) {
            this.sink = sink;
        }

        @Override
        public OpenGroup begin(EncodedGroup group) {
            return sink.begin(group);
        }

        @Override
        public Outcome settle() {
            if (failedLooks.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                return new Outcome.Unknown(new StorageFailure(StorageFailure.Kind.IO, "no answer"));
            }
            return sink.settle();
        }
    }

    private void start() {
        start(settings -> settings, LmdbOptions.synced());
    }

    private void start(UnaryOperator<WriterSettings> choose, LmdbOptions environment) {
        Path graph = directory.resolve("g");
        log = java.nio.file.Files.exists(graph)
                ? EventLog.open(graph, environment, faults)
                : EventLog.create(graph, environment, faults, Commands.SCHEMA, "act-ada", clock.read());
        projector = new MemoryProjector(log);
        writer = Writer.start(
                log, new Looked(log.sink()), projector, choose.apply(WriterSettings.DEFAULT), clock::read, heard::add);
    }

    @AfterEach
    void stop() {
        if (log != null) {
            writer.close();
            log.close();
            log = null;
        }
    }

    @Test
    void anAcknowledgedWriteIsDurableVisibleAndReportedToTheListener() {
        start();
        Event event = writer.submit(Commands.insert("a")).join();
        assertThat(event.offset()).isEqualTo(1);
        assertThat(projector.ids()).containsExactly("a");
        assertThat(heard).containsExactly(1L);
        try (EventReader reader = log.read()) {
            Event.Commit genesis = (Event.Commit) reader.event(0);
            Event.Commit read = (Event.Commit) reader.event(1);
            assertThat(read).isEqualTo(event);
            assertThat(read.header().parent()).isEqualTo(genesis.header().id());
            assertThat(read.header().id()).isGreaterThan(genesis.header().id());
            assertThat(read.header().counts().nodesInserted()).isEqualTo(1);
        }
    }

    @Test
    void aRefusedCommandAppendsNothing() {
        start();
        writer.submit(Commands.insert("a")).join();
        assertRefused(writer.submit(Commands.insert("a")), ErrorCode.CONFLICT);
        assertThat(log.tail().offset()).isEqualTo(1);
        assertThat(writer.submit(session -> new Decision.Nothing<>(session.appliedOffset()))
                        .join())
                .isEqualTo(1);
        assertThat(heard).containsExactly(1L);
    }

    @Test
    void aCommandThatThrowsFailsAloneInItsGroup() {
        start();
        List<CompletableFuture<Event>> futures = blocked(10, i -> i == 4 ? null : "n" + i);
        assertRefused(futures.get(4), ErrorCode.INTERNAL);
        futures.remove(4);
        futures.forEach(CompletableFuture::join);
        assertThat(projector.ids()).hasSize(9);
        assertThat(log.tail().offset()).isEqualTo(9);
    }

    @Test
    void commandsThatWaitShareAGroupAndSeeEachOther() {
        start();
        List<CompletableFuture<Event>> futures = blocked(100, i -> "n" + i / 2);
        for (int i = 0; i < 100; i++) {
            if (i % 2 == 0) {
                assertThat(futures.get(i).join().offset()).isEqualTo(1 + i / 2);
            } else {
                assertRefused(futures.get(i), ErrorCode.CONFLICT);
            }
        }
        assertThat(writer.groups()).isEqualTo(1);
        assertThat(heard).containsExactly(50L);
        assertThat(LogVerification.run(log).sound()).isTrue();
    }

    @Test
    void maintenanceRunsOnTheWriterBetweenGroups() {
        start();
        List<String> threads = new ArrayList<>();
        List<CompletableFuture<Void>> steps = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            steps.add(writer.between(() -> threads.add(Thread.currentThread().getName())));
        }
        steps.forEach(CompletableFuture::join);
        assertThat(threads).hasSize(20).allMatch(name -> name.startsWith("writer-"));
        writer.submit(Commands.insert("a")).join();
        CompletableFuture<Void> broken = writer.between(() -> {
            throw new IllegalStateException("broken");
        });
        assertThatThrownBy(broken::join).hasCauseInstanceOf(IllegalStateException.class);
        assertThat(writer.submit(Commands.insert("b")).join().offset()).isEqualTo(2);
        writer.close();
        assertThatThrownBy(() -> writer.between(() -> {}).join()).hasCauseInstanceOf(ServiceException.class);
    }

    @Test
    void aGroupTakesNoMoreCommandsThanItsLimit() {
        start(settings -> settings.withQueue(4_096, 16), LmdbOptions.synced());
        blocked(40, i -> "n" + i).forEach(CompletableFuture::join);
        assertThat(writer.groups()).isEqualTo(3);
    }

    @Test
    void aGroupWaitsForMoreCommandsForTheConfiguredTime() {
        // The group ends with its second command, or after the time, which a slow machine does not reach.
        start(settings -> settings.withQueue(4_096, 2).withCommitGroupMicros(1_000_000), LmdbOptions.synced());
        CompletableFuture<Event> first = writer.submit(Commands.insert("a"));
        CompletableFuture<Event> second = writer.submit(Commands.insert("b"));
        first.join();
        second.join();
        assertThat(writer.groups()).isEqualTo(1);
    }

    @Test
    void aFullQueueRefusesACommandAtOnce() throws Exception {
        start(settings -> settings.withQueue(4, 2), LmdbOptions.synced());
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        CompletableFuture<Long> blocker = block(running, go);
        running.await();
        List<CompletableFuture<Event>> waiting = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            waiting.add(writer.submit(Commands.insert("n" + i)));
        }
        assertThat(writer.queueDepth()).isEqualTo(4);
        assertThatThrownBy(() -> writer.submit(Commands.insert("x")))
                .isInstanceOfSatisfying(
                        ServiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TOO_MANY_REQUESTS));
        go.countDown();
        blocker.join();
        waiting.forEach(CompletableFuture::join);
    }

    @Test
    void timesAndIdsAscendAcrossClockStepsAndRestarts() {
        start();
        Event.Commit first = (Event.Commit) writer.submit(Commands.insert("a")).join();
        clock.micros.addAndGet(-3_600_000_000L);
        Event.Commit second = (Event.Commit) writer.submit(Commands.insert("b")).join();
        stop();
        start();
        Ulid given = writer.submit(session -> new Decision.Nothing<>(session.nextId()))
                .join();
        Event.Commit third = (Event.Commit) writer.submit(Commands.insert("c")).join();
        assertThat(second.header().id()).isGreaterThan(first.header().id());
        assertThat(given).isGreaterThan(second.header().id());
        assertThat(third.header().id()).isGreaterThan(given);
        assertThat(third.timeMicros()).isEqualTo(first.timeMicros());
        assertThat(second.timeMicros()).isEqualTo(first.timeMicros());
        clock.micros.addAndGet(3_600_000_000L + 5_000);
        Event.Commit fourth = (Event.Commit) writer.submit(Commands.insert("d")).join();
        assertThat(fourth.timeMicros()).isEqualTo(clock.read());
        assertThat(fourth.header().id().epochMillis()).isEqualTo(clock.read() / 1_000);
        assertThat(LogVerification.run(log).sound()).isTrue();
    }

    @Test
    void incarnationNumbersAreNeverReused() {
        start();
        Event.BranchCreated one = (Event.BranchCreated) createBranch("one");
        writer.submit(session -> Commands.append(new Draft.DeleteBranch(session.branch("one"), Origin.NONE)))
                .join();
        stop();
        start();
        Event.BranchCreated again = (Event.BranchCreated) createBranch("one");
        assertThat(one.incarnation()).isEqualTo(1);
        assertThat(again.incarnation()).isEqualTo(2);
        assertThat(again.fork().parentName()).isEqualTo("main");
        Event event = writer.submit(session -> Commands.append(Commands.commit(session.branch("one"), "x", 1)))
                .join();
        assertThat(((Event.Commit) event).header().incarnation()).isEqualTo(2);
    }

    @Test
    void aGroupWhoseCommitNeverBeganIsLost() {
        start();
        faults.before = new StorageFailure(StorageFailure.Kind.DISK_FULL, "no space");
        assertRefused(writer.submit(Commands.insert("a")), ErrorCode.STORAGE_FULL);
        faults.before = new StorageFailure(StorageFailure.Kind.IO, "sync");
        assertRefused(writer.submit(Commands.insert("a")), ErrorCode.RECOVERY_REQUIRED);
        assertThat(log.tail().offset()).isZero();
        assertThat(writer.submit(Commands.insert("a")).join().offset()).isEqualTo(1);
        assertThat(LogVerification.run(log).sound()).isTrue();
    }

    @Test
    void aGroupThatBecameDurableDespiteAFailureIsProjectedByRecovery() {
        start();
        faults.after = new StorageFailure(StorageFailure.Kind.IO, "answer lost");
        assertRefused(writer.submit(Commands.insert("a")), ErrorCode.RECOVERY_REQUIRED);
        assertRefused(writer.submit(Commands.insert("a")), ErrorCode.CONFLICT);
        assertThat(writer.submit(Commands.insert("b")).join().offset()).isEqualTo(2);
        assertThat(projector.ids()).containsExactlyInAnyOrder("a", "b");
    }

    @Test
    void noWriteIsTakenUntilAnUnknownOutcomeIsSettled() {
        start();
        faults.after = new StorageFailure(StorageFailure.Kind.IO, "answer lost");
        failedLooks.set(2);
        assertRefused(writer.submit(Commands.insert("a")), ErrorCode.RECOVERY_REQUIRED);
        assertRefused(writer.submit(Commands.insert("b")), ErrorCode.RECOVERY_REQUIRED);
        assertRefused(writer.submit(Commands.insert("c")), ErrorCode.RECOVERY_REQUIRED);
        assertThat(projector.ids()).isEmpty();
        assertThat(writer.submit(Commands.insert("d")).join().offset()).isEqualTo(2);
        assertThat(projector.ids()).containsExactlyInAnyOrder("a", "d");
        assertThat(LogVerification.run(log).sound()).isTrue();
    }

    @Test
    void projectionsCatchUpWithTheDurableEndOfTheLog() {
        start();
        projector.onCommit = failing(1);
        assertThat(writer.submit(Commands.insert("a")).join().offset()).isEqualTo(1);
        assertThat(projector.ids()).containsExactly("a");
        assertThat(heard).containsExactly(1L);

        projector.onCommit = failing(1);
        projector.onCatchUp = failing(2);
        assertRefused(writer.submit(Commands.insert("b")), ErrorCode.RECOVERY_REQUIRED);
        assertRefused(writer.submit(Commands.insert("c")), ErrorCode.RECOVERY_REQUIRED);
        assertThat(writer.submit(Commands.insert("d")).join().offset()).isEqualTo(3);
        assertThat(projector.ids()).containsExactlyInAnyOrder("a", "b", "d");
    }

    /** Whatever stops the tables, the events are durable: the tables catch up, and the write is acknowledged. */
    @Test
    void anErrorAfterTheEventsAreDurableLosesNoAnswer() {
        start();
        List<Supplier<Error>> errors = List.of(
                () -> new OutOfMemoryError("test"),
                () -> new StackOverflowError("test"),
                () -> new AssertionError("test"),
                () -> new NoClassDefFoundError("test"));
        for (int i = 0; i < errors.size(); i++) {
            AtomicReference<Error> once = new AtomicReference<>(errors.get(i).get());
            projector.onCommit = () -> {
                Error error = once.getAndSet(null);
                if (error != null) {
                    throw error;
                }
            };
            assertThat(writer.submit(Commands.insert("n" + i)).join().offset()).isEqualTo(i + 1);
            assertThat(projector.ids()).contains("n" + i);
        }
        assertThat(writer.submit(Commands.insert("last")).join().offset()).isEqualTo(errors.size() + 1);
        assertThat(LogVerification.run(log).sound()).isTrue();
    }

    @Test
    void anEventThatCannotBeProjectedIsRemovedFromItsGroup() {
        start();
        projector.onApply = event -> {
            if (event instanceof Event.Commit commit
                    && commit.changes().change(0).id().equals("n3")) {
                throw new IllegalStateException("n3");
            }
        };
        List<CompletableFuture<Event>> futures = blocked(6, i -> "n" + i);
        assertRefused(futures.remove(3), ErrorCode.INTERNAL);
        futures.forEach(CompletableFuture::join);
        assertThat(projector.ids()).containsExactlyInAnyOrder("n0", "n1", "n2", "n4", "n5");
        assertThat(log.tail().offset()).isEqualTo(5);
    }

    @Test
    void theMapOfTheLogGrowsWhenItIsFull() {
        start(settings -> settings, LmdbOptions.synced().withMapBytes(256 << 10, 8 << 20));
        for (int i = 0; i < 10; i++) {
            writer.submit(Commands.insert("n" + i, 100_000)).join();
        }
        assertThat(log.environment().mapBytes()).isGreaterThan(1 << 20);
        assertThat(log.tail().offset()).isEqualTo(10);
        assertThat(LogVerification.run(log).sound()).isTrue();
    }

    @Test
    void aFullMapThatMayNotGrowIsAnsweredWithStorageFull() {
        start(settings -> settings, LmdbOptions.synced().withMapBytes(256 << 10, 256 << 10));
        assertRefused(writer.submit(Commands.insert("big", 300_000)), ErrorCode.STORAGE_FULL);
        assertThat(writer.submit(Commands.insert("small")).join().offset()).isEqualTo(1);
    }

    @Test
    void theMapOfTheProjectionGrowsWhenItIsFull() {
        start();
        boolean[] full = {true};
        projector.onApply = event -> {
            if (full[0]) {
                full[0] = false;
                throw new StorageFailure(StorageFailure.Kind.MAP_FULL, "full");
            }
        };
        assertThat(writer.submit(Commands.insert("a")).join().offset()).isEqualTo(1);
        assertThat(projector.growths).isEqualTo(1);
    }

    /** The two halves run on two threads; a failure of one must end the other. */
    @Test
    void aLongEventIsAppendedAndProjectedWholeOrNotAtAll() {
        start(settings -> settings, LmdbOptions.synced().withMapBytes(256 << 10, 64 << 20));
        int nodes = GroupCommit.LONG_CHANGES_MIN;
        assertThat(writer.submit(Commands.insertMany("a", nodes)).join().offset())
                .isEqualTo(1);
        assertThat(log.environment().mapBytes()).as("grew").isGreaterThan(256 << 10);
        assertThat(projector.ids()).hasSize(nodes);
        projector.onApply = event -> {
            throw new IllegalStateException("of the tables");
        };
        assertRefused(writer.submit(Commands.insertMany("b", nodes)), ErrorCode.INTERNAL);
        boolean[] full = {true};
        projector.onApply = event -> {
            if (full[0]) {
                full[0] = false;
                throw new StorageFailure(StorageFailure.Kind.MAP_FULL, "full");
            }
        };
        assertThat(writer.submit(Commands.insertMany("c", nodes)).join().offset())
                .isEqualTo(2);
        assertThat(projector.growths).isEqualTo(1);
        assertThat(writer.submit(Commands.insert("d")).join().offset()).isEqualTo(3);
        assertThat(projector.ids()).hasSize(2 * nodes + 1).contains("a100000", "c100000", "d");
        assertThat(LogVerification.run(log).sound()).isTrue();
    }

    @Test
    void aLongEventForWhichTheLogHasNoRoomIsRefused() {
        start(settings -> settings, LmdbOptions.synced().withMapBytes(256 << 10, 256 << 10));
        assertRefused(writer.submit(Commands.insertMany("a", GroupCommit.LONG_CHANGES_MIN)), ErrorCode.STORAGE_FULL);
        assertThat(projector.ids()).isEmpty();
        assertThat(writer.submit(Commands.insert("small")).join().offset()).isEqualTo(1);
    }

    @Test
    void closingFinishesQueuedCommandsAndRefusesLaterOnes() {
        start();
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        CompletableFuture<Long> blocker = block(running, go);
        CompletableFuture<Event> waiting = writer.submit(Commands.insert("a"));
        CompletableFuture<Void> closing = CompletableFuture.runAsync(writer::close);
        CompletableFuture<Event> late = awaitRefused();
        go.countDown();
        closing.join();
        assertThat(blocker.join()).isZero();
        assertThat(waiting.join().offset()).isPositive();
        assertRefused(late, ErrorCode.SHUTTING_DOWN);
        assertRefused(writer.submit(Commands.insert("z")), ErrorCode.SHUTTING_DOWN);
    }

    @Test
    void manyThreadsWriteAndEveryAnswerIsInTheLog() {
        start();
        int threads = 8;
        int each = 200;
        List<CompletableFuture<List<Event>>> clients = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            int client = t;
            clients.add(CompletableFuture.supplyAsync(() -> {
                List<Event> events = new ArrayList<>();
                for (int i = 0; i < each; i++) {
                    events.add(writer.submit(Commands.insert(client + "-" + i)).join());
                }
                return events;
            }));
        }
        try (EventReader reader = log.read()) {
            assertThat(reader.lastOffset()).isNotNegative();
        }
        List<Event> all =
                clients.stream().flatMap(client -> client.join().stream()).toList();
        assertThat(all.stream().map(Event::offset).distinct().count()).isEqualTo(1L * threads * each);
        try (EventReader reader = log.read()) {
            all.forEach(event -> assertThat(reader.event(event.offset())).isEqualTo(event));
        }
        assertThat(LogVerification.run(log).events()).isEqualTo(1L * threads * each + 1);
    }

    private CompletableFuture<Event> awaitRefused() {
        List<CompletableFuture<Event>> refused = new ArrayList<>();
        int[] n = new int[1];
        await().pollInterval(Duration.ofMillis(5)).until(() -> {
            CompletableFuture<Event> late = writer.submit(Commands.insert("late" + n[0]++));
            refused.add(late);
            return late.isCompletedExceptionally();
        });
        return refused.getLast();
    }

    private Event createBranch(String name) {
        return writer.submit(session ->
                        Commands.append(new Draft.CreateBranch(name, session.branch("main"), Origin.of("act-ada"))))
                .join();
    }

    /** Submits commands while the writer is held, so that they wait together; a null id makes a command that throws. */
    private List<CompletableFuture<Event>> blocked(int n, java.util.function.IntFunction<String> id) {
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        CompletableFuture<Long> blocker = block(running, go);
        List<CompletableFuture<Event>> futures = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            String name = id.apply(i);
            futures.add(
                    name == null
                            ? writer.submit(session -> {
                                throw new IllegalStateException("broken");
                            })
                            : writer.submit(Commands.insert(name)));
        }
        go.countDown();
        blocker.join();
        return futures;
    }

    private CompletableFuture<Long> block(CountDownLatch running, CountDownLatch go) {
        CompletableFuture<Long> blocker = writer.submit(session -> {
            running.countDown();
            awaitLatch(go);
            return new Decision.Nothing<>(0L);
        });
        awaitLatch(running);
        return blocker;
    }

    private static void awaitLatch(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new CompletionException(e);
        }
    }

    private static Runnable failing(int times) {
        int[] left = {times};
        return () -> {
            if (left[0]-- > 0) {
                throw new StorageFailure(StorageFailure.Kind.IO, "injected");
            }
        };
    }

    private static void assertRefused(CompletableFuture<?> future, ErrorCode code) {
        assertThatThrownBy(future::join)
                .hasCauseInstanceOf(ServiceException.class)
                .satisfies(e ->
                        assertThat(((ServiceException) e.getCause()).code()).isEqualTo(code));
    }
}
