package service.core.budget;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** A request closes what it has opened. */
final class RequestBudgetTest {
    private final TestBudgets budgets = new TestBudgets(64 << 20);

    private static void fill(Spill spill) {
        spill.append(new UnsafeBuffer(new byte[100]), 0, 100);
    }

    @Test
    void closesSpillsOfEveryBudgetOfTheRequest() {
        try (RequestBudget budget = budgets.process().open(() -> false)) {
            fill(budget.spill().open());
            fill(budget.onWriter().spill().open());
            fill(budget.withoutTurn().spill().open());
            fill(budget.endedBy(() -> false).spill().open());
            fill(budget.beside(() -> false).spill().open());
            assertThat(budgets.openSpills()).isEqualTo(5);
        }
        assertThat(budgets.openSpills()).isZero();
    }

    @Test
    void leavesADetachedSpillToItsNewOwner() {
        Spill kept;
        try (RequestBudget budget = budgets.process().open(() -> false)) {
            kept = budget.spill().open();
            fill(kept);
            kept.detach();
        }
        assertThat(budgets.openSpills()).isEqualTo(1);
        kept.close();
        assertThat(budgets.openSpills()).isZero();
    }

    @Test
    void keepsEverythingOpenUntilAWriteIsDone() {
        CompletableFuture<String> written = new CompletableFuture<>();
        CompletableFuture<String> answer;
        try (RequestBudget budget = budgets.process().open(() -> false)) {
            fill(budget.spill().open());
            answer = budget.holdUntil(written);
        }
        assertThat(budgets.openSpills()).as("the writer may read it").isEqualTo(1);
        written.complete("done");
        assertThat(answer).isCompletedWithValue("done");
        assertThat(budgets.openSpills()).isZero();
    }

    @Test
    void aFailedWriteReleasesAsWell() {
        CompletableFuture<String> written = new CompletableFuture<>();
        try (RequestBudget budget = budgets.process().open(() -> false)) {
            fill(budget.spill().open());
            var unused = budget.holdUntil(written);
        }
        written.completeExceptionally(new IllegalStateException("refused"));
        assertThat(budgets.openSpills()).isZero();
    }

    @Test
    void aFailingCloseKeepsNothingElseOpen() {
        List<String> closed = new ArrayList<>();
        RequestBudget budget = budgets.process().open(() -> false);
        budget.memory().charge(1_000, "the test", "nothing");
        budget.own(() -> closed.add("first"));
        budget.own(() -> {
            throw new StackOverflowError("test");
        });
        budget.own(() -> {
            throw new IllegalStateException("test");
        });
        fill(budget.spill().open());
        budget.own(() -> closed.add("last"));
        assertThatThrownBy(budget::close)
                .isInstanceOf(IllegalStateException.class)
                .satisfies(first -> assertThat(first.getSuppressed()).hasSize(1));
        assertThat(closed).as("the newest first").containsExactly("last", "first");
        assertThat(budgets.openSpills()).isZero();
        assertThat(budgets.process().memory().used()).isZero();
        budget.close();
        assertThat(closed).as("a second close does nothing").hasSize(2);
    }

    @Test
    void everyBudgetOfTheRequestReportsItsSlowQueries() {
        try (RequestBudget budget = budgets.process().open(() -> false)) {
            QueryWatch watch = new QueryWatch() {
                @Override
                public long slowNanos() {
                    return 0;
                }

                @Override
                public void slow(SlowQuery query) {}
            };
            budget.report(watch);
            assertThat(budget.endedBy(() -> false).watch())
                    .as("a tool call of an agent")
                    .isSameAs(watch);
            assertThat(budget.onWriter().watch()).isSameAs(watch);
            assertThat(budget.withoutTurn().watch()).isSameAs(watch);
        }
    }

    @Test
    void nothingCanBeOpenedAfterTheEnd() {
        RequestBudget budget = budgets.process().open(() -> false);
        budget.close();
        assertThatThrownBy(() -> budget.spill().open()).isInstanceOf(CancellationException.class);
        assertThat(budgets.openSpills()).isZero();
        assertThatThrownBy(() -> budget.holdUntil(new CompletableFuture<>())).isInstanceOf(CancellationException.class);
    }

    @Test
    void sideWorkEndsWithTheRequest() {
        List<String> ended = new ArrayList<>();
        try (RequestBudget budget = budgets.process().open(() -> false)) {
            SideWork.start(budget, beside -> {
                try {
                    while (true) {
                        beside.checkpoint(() -> {});
                        Thread.onSpinWait();
                    }
                } finally {
                    ended.add("side");
                }
            });
        }
        assertThat(ended).as("closed before the request's end returns").containsExactly("side");
        assertThat(budgets.process().compute().held()).isZero();
    }

    @Test
    void onlyTheThreadOfTheRequestAsksForTheCaller() {
        Set<Thread> asking = ConcurrentHashMap.newKeySet();
        try (RequestBudget budget =
                budgets.process().open(() -> asking.add(Thread.currentThread()) && asking.isEmpty())) {
            SideWork side = SideWork.start(budget, beside -> beside.checkpoint(() -> {}));
            budget.checkpoint(() -> {});
            side.await();
        }
        assertThat(asking).containsExactly(Thread.currentThread());
    }

    @Test
    void sideWorkPassesOnWhatItThrows() {
        try (RequestBudget budget = budgets.process().open(() -> false)) {
            SideWork refused = SideWork.start(budget, beside -> {
                throw new IllegalArgumentException("no");
            });
            assertThatThrownBy(refused::await).isInstanceOf(IllegalArgumentException.class);
            SideWork broken = SideWork.start(budget, beside -> {
                throw new StackOverflowError("deep");
            });
            assertThatThrownBy(broken::await).isInstanceOf(StackOverflowError.class);
        }
    }
}
