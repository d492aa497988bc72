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

    private static MemoryAccount account(MemoryPool pool, long bytesMax) {
        return new MemoryAccount(pool, bytesMax);
    }

    @Test
    void refusesARequestThatIsTooLargeAloneWithItsOwnLimit() {
        MemoryPool pool = new MemoryPool(8 * MIB);
        try (MemoryAccount account = account(pool, MIB)) {
            account.charge(MIB, "the query", "add a limit");
            assertThatThrownBy(() -> account.charge(1, "the query", "add a limit"))
                    .isInstanceOfSatisfying(ServiceException.class, refusal -> {
                        assertThat(refusal.code()).isEqualTo(ErrorCode.RESOURCE_LIMIT);
                        assertThat(refusal.detail())
                                .isEqualTo(new ErrorDetail.ResourceLimit("memory_bytes", MIB, MIB + 1));
                        assertThat(refusal).hasMessageContaining("the query").hasMessageContaining("add a limit");
                    });
            assertThat(account.used()).isEqualTo(MIB);
        }
        assertThat(pool.used()).isZero();
    }

    @Test
    void limitsARequestToThePoolWhereThePoolIsSmaller() {
        MemoryPool pool = new MemoryPool(MIB);
        try (MemoryAccount account = account(pool, 8 * MIB)) {
            assertThat(account.bytesMax()).isEqualTo(MIB);
            assertThatThrownBy(() -> account.charge(2 * MIB, "the load", "split it"))
                    .isInstanceOfSatisfying(
                            ServiceException.class,
                            refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.RESOURCE_LIMIT));
        }
    }

    @Test
    void refusesAsOverloadedWhatFitsLater() {
        MemoryPool pool = new MemoryPool(2 * MIB);
        MemoryAccount other = account(pool, 2 * MIB);
        other.charge(3 * MIB / 2, "the diff", "");
        try (MemoryAccount account = account(pool, 2 * MIB)) {
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
    void usesThePoolToItsLastByte() {
        MemoryPool pool = new MemoryPool(MemoryAccount.STEP_BYTES + 10);
        try (MemoryAccount one = account(pool, MIB);
                MemoryAccount two = account(pool, MIB)) {
            one.charge(1, "one", "");
            two.charge(10, "two", "");
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
        try (MemoryAccount account = account(pool, MIB)) {
            account.charge(100, "the query", "");
        }
        assertThat(cached).hasValue(MIB - MemoryAccount.STEP_BYTES);
    }

    @Test
    void refusesChargesAfterTheEnd() {
        MemoryPool pool = new MemoryPool(MIB);
        MemoryAccount account = account(pool, MIB);
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
                    try (MemoryAccount account = account(pool, 4 * MIB)) {
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
