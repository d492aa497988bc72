package service.log.commit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import service.core.blob.StagedBlobs;

/** Writers of many graphs on few threads. */
final class WriterPoolTest {
    /** A writer that answers its commands and notes on how many threads it runs at once. */
    private static final class Answering {
        private final CommandQueue queue;
        private final AtomicBoolean inside = new AtomicBoolean();
        private final AtomicInteger answered = new AtomicInteger();
        private final AtomicBoolean overlapped = new AtomicBoolean();
        private final Set<Thread> threads;
        private final WriterPool pool;

        Answering(WriterPool pool, Set<Thread> threads) {
            this.pool = pool;
            this.threads = threads;
            this.queue = new CommandQueue(WriterSettings.DEFAULT, pool, this::run);
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

        void submit() {
            assertThat(queue.offer(new Pending<>(Commands.insert("n"), StagedBlobs.NONE, Duration.ofMinutes(1))))
                    .isTrue();
        }
    }

    @Test
    void manyWritersShareFewThreadsAndEachHasOneAtATime() throws InterruptedException {
        WriterPool pool = new WriterPool(3);
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
        WriterPool pool = new WriterPool(1);
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
        WriterPool pool = new WriterPool(1);
        pool.run(() -> {
            throw new AssertionError("broken");
        });
        AtomicBoolean ran = new AtomicBoolean();
        pool.run(() -> ran.set(true));
        Awaitility.await().untilTrue(ran);
    }
}
