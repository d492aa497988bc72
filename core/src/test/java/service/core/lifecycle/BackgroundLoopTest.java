package service.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class BackgroundLoopTest {
    private static final Thread.Builder THREADS = Thread.ofPlatform().daemon().name("test-loop");

    /** Every kind of failure: a class is made by its name, because some cannot be constructed twice. */
    private static Throwable failure(String kind) {
        return switch (kind) {
            case "stack" -> new StackOverflowError("test");
            case "memory" -> new OutOfMemoryError("test");
            case "assertion" -> new AssertionError("test");
            case "link" -> new NoClassDefFoundError("test");
            default -> new IllegalStateException("test");
        };
    }

    @ParameterizedTest
    @ValueSource(strings = {"stack", "memory", "assertion", "link", "runtime"})
    void survivesWhatARoundThrows(String kind) {
        AtomicInteger rounds = new AtomicInteger();
        List<String> reported = new CopyOnWriteArrayList<>();
        BackgroundLoop loop = BackgroundLoop.start(
                THREADS,
                () -> {
                    if (rounds.incrementAndGet() <= 3) {
                        BackgroundLoopTest.<RuntimeException>sneak(failure(kind));
                    }
                    return BackgroundLoop.UNTIL_WOKEN;
                },
                (failure, inARow) -> reported.add(failure.getClass().getSimpleName() + " " + inARow));
        await().until(() -> rounds.get() == 4);
        String name = failure(kind).getClass().getSimpleName();
        assertThat(reported).containsExactly(name + " 1", name + " 2", name + " 3");
        loop.wake();
        await().until(() -> rounds.get() == 5);
        loop.close();
        assertThat(loop.await(Duration.ofSeconds(30))).isTrue();
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void sneak(Throwable failure) throws T {
        throw (T) failure;
    }

    @Test
    void survivesAReportThatFails() {
        AtomicInteger rounds = new AtomicInteger();
        BackgroundLoop loop = BackgroundLoop.start(
                THREADS,
                () -> {
                    if (rounds.incrementAndGet() == 1) {
                        throw new IllegalStateException("round");
                    }
                    return null;
                },
                (failure, inARow) -> {
                    throw new OutOfMemoryError("no memory for the log");
                });
        assertThat(loop.await(Duration.ofSeconds(30)))
                .as("done after the second round")
                .isTrue();
        assertThat(rounds).hasValue(2);
    }

    @Test
    void aWakeDuringARoundBeginsAnother() throws InterruptedException {
        AtomicInteger rounds = new AtomicInteger();
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        BackgroundLoop loop = BackgroundLoop.start(
                THREADS,
                () -> {
                    if (rounds.incrementAndGet() == 1) {
                        inside.countDown();
                        goOn.await();
                    }
                    return BackgroundLoop.UNTIL_WOKEN;
                },
                (failure, inARow) -> {});
        inside.await();
        loop.wake();
        goOn.countDown();
        await().until(() -> rounds.get() == 2);
        loop.close();
        assertThat(loop.await(Duration.ofSeconds(30))).isTrue();
        assertThat(rounds).hasValue(2);
    }

    @Test
    void anInterruptEndsARoundThatWaitsAndCloseEndsTheLoop() throws InterruptedException {
        CountDownLatch inside = new CountDownLatch(1);
        BackgroundLoop loop = BackgroundLoop.start(
                THREADS,
                () -> {
                    inside.countDown();
                    new CountDownLatch(1).await();
                    return null;
                },
                (failure, inARow) -> {});
        inside.await();
        loop.close();
        assertThat(loop.await(Duration.ZERO)).as("the round still waits").isFalse();
        loop.interrupt();
        assertThat(loop.await(Duration.ofSeconds(30))).isTrue();
    }
}
