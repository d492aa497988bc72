package service.core.budget;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class GrowthTurnsTest {
    private static final long MINUTE_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final int WAITING = 5;

    private static final Claim<Object> CLAIM = new Claim<>("sender", "graph");

    private final GrowthTurns turns = new GrowthTurns();

    private static void goesOn() {}

    private GrowthTurns.Turn first() {
        GrowthTurns.Turn first = turns.take(CLAIM, 0, GrowthTurnsTest::goesOn);
        assertThat(first).isNotNull();
        return first;
    }

    @Test
    void turnsComeInTheOrderInWhichTheyWereAskedFor() {
        List<Integer> order = Collections.synchronizedList(new ArrayList<>());
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            GrowthTurns.Turn first = first();
            for (int i = 0; i < WAITING; i++) {
                int number = i;
                threads.execute(() -> {
                    try (GrowthTurns.Turn turn = turns.take(CLAIM, MINUTE_NANOS, GrowthTurnsTest::goesOn)) {
                        assertThat(turn).isNotNull();
                        order.add(number);
                    }
                });
                await().until(() -> turns.asked() == number + 2);
            }
            assertThat(order).isEmpty();
            first.close();
            first.close();
        }
        assertThat(order).containsExactly(0, 1, 2, 3, 4);
        assertThat(turns.asked()).isZero();
    }

    @Test
    void aRequestThatHasWaitedLongEnoughGoesOnWithout() {
        GrowthTurns.Turn first = first();
        assertThat(turns.take(CLAIM, 1, GrowthTurnsTest::goesOn)).isNull();
        assertThat(turns.asked()).isOne();
        first.close();
        first().close();
    }

    @Test
    void aRequestThatEndsLeavesTheQueue() {
        GrowthTurns.Turn first = first();
        assertThatThrownBy(() -> turns.take(CLAIM, MINUTE_NANOS, () -> {
                    throw new CancellationException("the caller is gone");
                }))
                .isInstanceOf(CancellationException.class);
        assertThat(turns.asked()).isOne();
        first.close();
    }

    @Test
    void anAccountAsksOnceWhenItIsLargeAndGivesTheTurnBackAtItsEnd() {
        MemoryPool pool = new MemoryPool(1 << 20);
        MemoryAccount account = new MemoryAccount(pool);
        assertThat(account.isLarge()).isFalse();
        account.charge(1 << 16, "the load", "");
        assertThat(account.isLarge()).isTrue();
        account.growInTurn(GrowthTurnsTest::goesOn);
        assertThat(account.isLarge()).isFalse();
        assertThat(pool.turns().asked()).isOne();
        account.close();
        assertThat(pool.turns().asked()).isZero();
    }
}
