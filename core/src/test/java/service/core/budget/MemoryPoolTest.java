package service.core.budget;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import service.core.error.ErrorCode;
import service.core.error.ErrorDetail;
import service.core.error.ServiceException;

final class MemoryPoolTest {
    private static final long MIB = 1 << 20;

    @Test
    void refusesARequestThatIsTooLargeAlone() {
        MemoryPool pool = new MemoryPool(4 * MIB);
        try (MemoryAccount account = new MemoryAccount(pool)) {
            account.charge(3 * MIB, "the load", "split it");
            assertThatThrownBy(() -> account.charge(1, "the load", "split it"))
                    .isInstanceOfSatisfying(ServiceException.class, refusal -> {
                        assertThat(refusal.code()).isEqualTo(ErrorCode.RESOURCE_LIMIT);
                        assertThat(refusal.detail())
                                .isEqualTo(new ErrorDetail.ResourceLimit("memory_bytes", 3 * MIB, 3 * MIB + 1));
                        assertThat(refusal).hasMessageContaining("the load").hasMessageContaining("split it");
                    });
            assertThat(account.used()).isEqualTo(3 * MIB);
        }
        assertThat(pool.used()).isZero();
    }

    @Test
    void refusesAsOverloadedARequestThatFitsLater() {
        MemoryPool pool = new MemoryPool(2 * MIB);
        MemoryAccount other = new MemoryAccount(pool);
        other.charge(3 * MIB / 2, "the diff", "");
        try (MemoryAccount account = new MemoryAccount(pool)) {
            assertThatThrownBy(() -> account.charge(MIB, "the query", ""))
                    .isInstanceOfSatisfying(
                            ServiceException.class,
                            refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.OVERLOADED));
            other.close();
            account.charge(MIB, "the query", "");
        }
        assertThat(pool.used()).isZero();
    }

    @Test
    void theRequestsOfOneHolderLeaveRoomForOthers() {
        MemoryPool pool = new MemoryPool(4 * MIB);
        List<MemoryAccount> accounts = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            MemoryAccount account = new MemoryAccount(pool);
            account.belongTo(new Claim<>(i < 20 ? "greedy" : "other", i < 20 ? "g" : "h"), true, true);
            accounts.add(account);
        }
        long greedy = 0;
        for (MemoryAccount account : accounts.subList(0, 20)) {
            try {
                account.charge(MIB / 4, "the rows", "");
                greedy += account.used();
            } catch (ServiceException refused) {
                assertThat(refused.code()).isEqualTo(ErrorCode.OVERLOADED);
                assertThat(refused).hasMessageContaining("your requests together");
            }
        }
        assertThat(greedy).isBetween(2 * MIB, 3 * MIB);
        accounts.get(20).charge(3 * MIB / 4, "the load", "");
        assertThat(pool.sharesOfSenders().holders()).isEqualTo(2);

        accounts.getFirst().close();
        accounts.get(19).charge(MIB / 8, "the rows", "");
        accounts.forEach(MemoryAccount::close);
        assertThat(pool.used()).isZero();
        assertThat(pool.sharesOfSenders().holders()).isZero();
        assertThat(pool.sharesOfGraphs().holders()).isZero();
    }

    @Test
    void theRequestsOfManySendersToOneGraphLeaveRoomForOtherGraphs() {
        MemoryPool pool = new MemoryPool(4 * MIB);
        List<MemoryAccount> accounts = new ArrayList<>();
        int refused = 0;
        for (int i = 0; i < 20; i++) {
            MemoryAccount account = new MemoryAccount(pool);
            account.belongTo(new Claim<>("sender" + i, "busy"), true, true);
            accounts.add(account);
            try {
                account.charge(MIB / 4, "the rows", "");
            } catch (ServiceException e) {
                assertThat(e.code()).isEqualTo(ErrorCode.OVERLOADED);
                assertThat(e).hasMessageContaining("the requests for this graph together");
                refused++;
            }
        }
        assertThat(refused).isPositive();
        MemoryAccount other = new MemoryAccount(pool);
        other.belongTo(new Claim<>("sender0", "other"), true, true);
        other.charge(MIB / 4, "the load", "");
        accounts.forEach(MemoryAccount::close);
        other.close();
        assertThat(pool.used()).isZero();
        assertThat(pool.sharesOfSenders().holders()).isZero();
        assertThat(pool.sharesOfGraphs().holders()).isZero();
    }

    /** They are many, and each holds less than one step. */
    @Test
    void smallRequestsDoNotCountAgainstAShare() {
        MemoryPool pool = new MemoryPool(MIB);
        try (MemoryAccount account = new MemoryAccount(pool)) {
            account.belongTo(new Claim<>("actor", "graph"), true, false);
            account.charge(MemoryAccount.STEP_BYTES / 4, "the page", "");
            assertThat(pool.sharesOfSenders().holders()).isZero();
            account.charge(2 * MemoryAccount.STEP_BYTES, "the page", "");
            assertThat(pool.sharesOfSenders().holders()).isEqualTo(1);
        }
        assertThat(pool.sharesOfSenders().holders()).isZero();
    }

    @Test
    void usesThePoolToItsLastByte() {
        MemoryPool pool = new MemoryPool(2 * MemoryAccount.STEP_BYTES + 10);
        try (MemoryAccount one = new MemoryAccount(pool);
                MemoryAccount two = new MemoryAccount(pool);
                MemoryAccount three = new MemoryAccount(pool)) {
            one.charge(MemoryAccount.STEP_BYTES, "one", "");
            two.charge(MemoryAccount.STEP_BYTES, "two", "");
            three.charge(10, "three", "");
            assertThat(pool.used()).isEqualTo(pool.bytesMax());
        }
        assertThat(pool.used()).isZero();
    }

    @Test
    void asksCachesForMemoryBeforeItRefuses() {
        MemoryPool pool = new MemoryPool(MIB);
        AtomicLong cached = new AtomicLong(MIB);
        assertThat(pool.tryReserveFree(MIB)).isTrue();
        pool.addReclaimer(bytes -> {
            cached.addAndGet(-bytes);
            pool.release(bytes);
        });
        assertThat(pool.tryReserveFree(1))
                .as("a cache does not displace another")
                .isFalse();
        try (MemoryAccount account = new MemoryAccount(pool)) {
            account.charge(MemoryAccount.STEP_BYTES, "the query", "");
        }
        assertThat(cached).hasValue(MIB - MemoryAccount.STEP_BYTES);
    }

    @Test
    void refusesChargesAfterTheEnd() {
        MemoryPool pool = new MemoryPool(MIB);
        MemoryAccount account = new MemoryAccount(pool);
        account.close();
        account.close();
        assertThatThrownBy(() -> account.charge(1, "late", "")).isInstanceOf(IllegalStateException.class);
        assertThat(pool.used()).isZero();
    }

    @Test
    void neverExceedsItsLimitUnderConcurrentCharges() {
        MemoryPool pool = new MemoryPool(10 * MIB);
        List<CompletableFuture<Void>> workers = new ArrayList<>();
        AtomicLong most = new AtomicLong();
        AtomicLong refused = new AtomicLong();
        for (int w = 0; w < 8; w++) {
            workers.add(CompletableFuture.runAsync(() -> {
                for (int i = 0; i < 500; i++) {
                    try (MemoryAccount account = new MemoryAccount(pool)) {
                        for (int step = 0; step < 16; step++) {
                            account.charge(200_000, "work", "");
                            most.accumulateAndGet(pool.used(), Math::max);
                        }
                    } catch (ServiceException e) {
                        refused.incrementAndGet();
                    }
                }
            }));
        }
        CompletableFuture.allOf(workers.toArray(CompletableFuture[]::new)).join();
        assertThat(most.get()).isBetween(1L, pool.bytesMax());
        assertThat(pool.used()).isZero();
    }
}
