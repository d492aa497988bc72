package service.log.commit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import service.core.blob.StagedBlobs;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;

/** Writers of many graphs on few threads. */
final class WriterPoolTest {
    /** A writer that answers its commands and notes on how many threads it runs at once. */
    private static final class Answering {
        private final CommandQueue queue;
        private final AtomicBoolean inside = new AtomicBoolean();
        private final AtomicInteger answered = new AtomicInteger();
        private final AtomicInteger refused = new AtomicInteger();
        private final AtomicBoolean overlapped = new AtomicBoolean();
        private final Set<Thread> threads;
        private final WriterPool pool;

        Answering(WriterPool pool, Set<Thread> threads) {
            this.pool = pool;
            this.threads = threads;
            this.queue = new CommandQueue(WriterSettings.DEFAULT, pool, this::run, this::refuse);
        }

        private void run() {
            if (!inside.compareAndSet(false, true)) {
                overlapped.set(true);
            }
            threads.add(Thread.currentThread());
            List<Pending<?>> group = new ArrayList<>();
            while (queue.take(group)) {
                answered.addAndGet(group.size());
                group.clear();
                if (pool.isWanted()) {
                    break;
                }
            }
            inside.set(false);
            queue.leave(false);
        }

        private void refuse(ServiceException busy) {
            assertThat(busy.code()).isEqualTo(ErrorCode.OVERLOADED);
            if (!inside.compareAndSet(false, true)) {
                overlapped.set(true);
            }
            List<Pending<?>> all = new ArrayList<>();
            queue.drain(all);
            refused.addAndGet(all.size());
            inside.set(false);
        }

        void submit() {
            assertThat(queue.offer(new Pending<>(Commands.insert("n"), StagedBlobs.NONE, Duration.ofMinutes(1))))
                    .isTrue();
        }
    }

    /** Machines that give no further thread fail so at its start. */
    private static final class Starved implements ThreadFactory {
        private final AtomicInteger left;

        Starved(int threads) {
            left = new AtomicInteger(threads);
        }

        @Override
        public Thread newThread(Runnable work) {
            return new Thread(work) {
                @Override
                public void start() {
                    if (left.getAndDecrement() <= 0) {
                        throw new OutOfMemoryError("unable to create native thread");
                    }
                    setDaemon(true);
                    super.start();
                }
            };
        }
    }

    private static WriterPool pool(int threadsMax) {
        return new WriterPool(threadsMax, new Starved(Integer.MAX_VALUE));
    }

    @Test
    void writersShareTheThreadsThatThereAreWhenNoFurtherOneStarts() {
        WriterPool pool = new WriterPool(8, new Starved(1));
        Set<Thread> threads = ConcurrentHashMap.newKeySet();
        List<Answering> writers = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            writers.add(new Answering(pool, threads));
        }
        for (int i = 0; i < 5; i++) {
            writers.forEach(Answering::submit);
        }
        Awaitility.await()
                .untilAsserted(() -> assertThat(writers)
                        .allSatisfy(writer -> assertThat(writer.answered).hasValue(5)));
        assertThat(threads).hasSize(1);
        assertThat(writers).noneMatch(writer -> writer.overlapped.get());
    }

    @Test
    void whatWaitsIsRefusedWhileThereIsNoThreadAtAll() {
        Starved machine = new Starved(0);
        Answering writer = new Answering(new WriterPool(8, machine), ConcurrentHashMap.newKeySet());
        writer.submit();
        writer.submit();
        assertThat(writer.refused).hasValue(2);
        assertThat(writer.queue.size()).isZero();
        machine.left.set(1);
        writer.submit();
        Awaitility.await().untilAsserted(() -> assertThat(writer.answered).hasValue(1));
        assertThat(writer.refused).hasValue(2);
        assertThat(writer.overlapped).isFalse();
    }

    @Test
    void closingRunsAWriterForWhichThereIsNoThread() {
        AtomicBoolean ran = new AtomicBoolean();
        CommandQueue queue = new CommandQueue(
                WriterSettings.DEFAULT, new WriterPool(8, new Starved(0)), () -> ran.set(true), busy -> {
                    throw new AssertionError("refused");
                });
        queue.close();
        assertThat(ran).isTrue();
    }

    @Test
    void manyWritersShareFewThreadsAndEachHasOneAtATime() throws InterruptedException {
        WriterPool pool = pool(3);
        Set<Thread> threads = ConcurrentHashMap.newKeySet();
        List<Answering> writers = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            writers.add(new Answering(pool, threads));
        }
        int commands = 200;
        CountDownLatch submitted = new CountDownLatch(4);
        for (int client = 0; client < 4; client++) {
            Thread.ofVirtual().start(() -> {
                for (int i = 0; i < commands; i++) {
                    writers.forEach(Answering::submit);
                }
                submitted.countDown();
            });
        }
        submitted.await();
        Awaitility.await()
                .untilAsserted(() -> assertThat(writers)
                        .allSatisfy(writer -> assertThat(writer.answered).hasValue(4 * commands)));
        assertThat(writers).noneMatch(writer -> writer.overlapped.get());
        assertThat(threads).hasSizeLessThanOrEqualTo(3);
    }

    @Test
    void anIdleWriterGivesItsThreadToOneThatHasWork() {
        WriterPool pool = pool(1);
        Set<Thread> threads = ConcurrentHashMap.newKeySet();
        Answering first = new Answering(pool, threads);
        Answering second = new Answering(pool, threads);
        for (int i = 1; i <= 5; i++) {
            int expected = i;
            first.submit();
            second.submit();
            Awaitility.await().until(() -> first.answered.get() == expected && second.answered.get() == expected);
        }
        assertThat(threads).hasSize(1);
    }

    @Test
    void aWriterThatFailsTakesNoThreadAway() {
        WriterPool pool = pool(1);
        pool.run(() -> {
            throw new AssertionError("broken");
        });
        AtomicBoolean ran = new AtomicBoolean();
        pool.run(() -> ran.set(true));
        Awaitility.await().untilTrue(ran);
    }
}
