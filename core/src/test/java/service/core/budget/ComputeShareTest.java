package service.core.budget;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class ComputeShareTest {
    private static final long MILLI = 1_000_000;

    private static void compute(long nanos) {
        long end = System.nanoTime() + nanos;
        while (System.nanoTime() - end < 0) {
            Thread.onSpinWait();
        }
    }

    private static CompletableFuture<Void> start(Runnable work) {
        return CompletableFuture.runAsync(
                work, task -> Thread.ofPlatform().daemon().start(task));
    }

    /** Computes in steps of a millisecond until it is told to stop. */
    private static void computeUntil(ComputeShare share, AtomicBoolean stop, AtomicInteger steps) {
        try (ComputeShare.Turn turn = share.open()) {
            while (!stop.get()) {
                compute(MILLI);
                steps.incrementAndGet();
                turn.checkpoint(() -> {});
            }
        }
    }

    @Test
    void everyLongRequestMakesProgress() {
        ComputeShare share = new ComputeShare(2);
        AtomicBoolean stop = new AtomicBoolean();
        List<AtomicInteger> steps = new ArrayList<>();
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            AtomicInteger own = new AtomicInteger();
            steps.add(own);
            all.add(start(() -> computeUntil(share, stop, own)));
        }
        await().atMost(Duration.ofMinutes(2)).until(() -> steps.stream().allMatch(own -> own.get() > 60));
        assertThat(share.held()).isLessThanOrEqualTo(2);
        assertThat(share.waiting()).isLessThanOrEqualTo(12);
        stop.set(true);
        all.forEach(CompletableFuture::join);
        assertThat(share.held()).isZero();
        assertThat(share.waiting()).isZero();
    }

    @Test
    void aShortRequestNeedsNoTurn() {
        ComputeShare share = new ComputeShare(1);
        try (ComputeShare.Turn holder = share.open()) {
            holder.checkpoint(() -> {});
            compute(ComputeShare.FREE_NANOS);
            holder.checkpoint(() -> {});
            assertThat(share.held()).isOne();
            // A stall of this thread counts as computing. A request that would wait for that reason is tried again.
            await().ignoreExceptionsInstanceOf(NoWaiting.WouldWaitException.class)
                    .until(() -> {
                        try (ComputeShare.Turn brief = share.open()) {
                            brief.resume();
                            compute(MILLI);
                            return NoWaiting.call(() -> {
                                brief.checkpoint(() -> {});
                                return true;
                            });
                        }
                    });
            assertThat(share.waiting()).isZero();
        }
    }

    @Test
    void aCancelledWaitLeavesTheQueue() {
        ComputeShare share = new ComputeShare(1);
        AtomicBoolean gone = new AtomicBoolean();
        try (ComputeShare.Turn holder = share.open()) {
            holder.checkpoint(() -> {});
            compute(ComputeShare.FREE_NANOS);
            holder.checkpoint(() -> {});
            CompletableFuture<Void> waiter = start(() -> {
                try (ComputeShare.Turn turn = share.open()) {
                    turn.checkpoint(() -> {});
                    compute(ComputeShare.FREE_NANOS);
                    turn.checkpoint(() -> {
                        if (gone.get()) {
                            throw new CancellationException("gone");
                        }
                    });
                }
            });
            await().until(() -> share.waiting() == 1);
            gone.set(true);
            assertThatThrownBy(waiter::join).hasRootCauseInstanceOf(CancellationException.class);
            assertThat(share.waiting()).isZero();
        }
        assertThat(share.held()).isZero();
    }

    @Test
    void holdersAreServedInTurn() {
        ComputeShare share = new ComputeShare(1);
        List<String> served = new CopyOnWriteArrayList<>();
        List<CompletableFuture<Void>> waiters = new ArrayList<>();
        try (ComputeShare.Turn holder = share.open()) {
            holder.checkpoint(() -> {});
            compute(ComputeShare.FREE_NANOS);
            holder.checkpoint(() -> {});
            for (String name : List.of("greedy", "greedy", "greedy", "greedy", "other", "third")) {
                waiters.add(start(() -> {
                    try (ComputeShare.Turn turn = share.open()) {
                        turn.belongTo(new Claim<>(name, "graph of " + name));
                        turn.checkpoint(() -> {});
                        compute(ComputeShare.FREE_NANOS);
                        turn.checkpoint(() -> {});
                        served.add(name);
                    }
                }));
                await().until(() -> share.waiting() == waiters.size());
            }
            holder.pause();
            waiters.forEach(CompletableFuture::join);
        }
        // Its turn among the senders, and that of its graph.
        assertThat(served).containsExactly("greedy", "greedy", "other", "third", "greedy", "greedy");
        assertThat(share.held()).isZero();
    }

    @Test
    void aPausedRequestLetsAnotherIn() {
        ComputeShare share = new ComputeShare(1);
        try (ComputeShare.Turn holder = share.open()) {
            holder.checkpoint(() -> {});
            compute(ComputeShare.FREE_NANOS);
            holder.checkpoint(() -> {});
            CompletableFuture<Void> waiter = start(() -> {
                try (ComputeShare.Turn turn = share.open()) {
                    turn.checkpoint(() -> {});
                    compute(ComputeShare.FREE_NANOS);
                    turn.checkpoint(() -> {});
                }
            });
            await().until(() -> share.waiting() == 1);
            holder.pause();
            waiter.join();
            assertThat(share.held()).isZero();
        }
    }
}
