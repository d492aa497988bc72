package service.core.budget;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.testkit.Seed;

/** {@link MemoryPool#relieve}: what is given back when the heap itself is nearly full. */
final class HeapReliefTest {
    private static final long MIB = 1 << 20;

    private static final long HEAP = 150 * MIB;

    private final MemoryPool pool = new MemoryPool(1 << 30);

    private MemoryAccount account(long bytes) {
        MemoryAccount account = new MemoryAccount(pool);
        account.charge(bytes, "the query", "");
        return account;
    }

    private static ErrorCode end(MemoryAccount account) {
        try {
            account.requireGoingOn();
            throw new AssertionError("it goes on");
        } catch (ServiceException refusal) {
            return refusal.code();
        }
    }

    @Test
    void endsTheLargestUntilTheyHaveHeldEnough(@Seed long seed) {
        Random random = new Random(seed);
        List<MemoryAccount> accounts = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            accounts.add(account(MIB + random.nextInt((int) (4 * MIB))));
        }
        long wanted = 20 * MIB + random.nextInt((int) (100 * MIB));
        MemoryPool.Relief relief = pool.relieve(wanted, HEAP, 0);
        accounts.sort(Comparator.comparingLong(MemoryAccount::used).reversed());
        long held = 0;
        for (int i = 0; i < accounts.size(); i++) {
            MemoryAccount account = accounts.get(i);
            assertThat(account.wasEnded())
                    .as("the request number %d by size", i)
                    .isEqualTo(held < wanted);
            held += account.used();
            assertThat(i < relief.ended()).isEqualTo(account.wasEnded());
        }
        assertThat(relief.endedBytes()).isBetween(wanted, wanted + 5 * MIB);
        accounts.forEach(MemoryAccount::close);
        assertThat(pool.used()).isZero();
    }

    @Test
    void refusesWith413TheOneThatHoldsMoreThanHalfOfTheHeapAndTheRestWith503() {
        try (MemoryAccount large = account(100 * MIB);
                MemoryAccount small = account(10 * MIB)) {
            pool.relieve(105 * MIB, HEAP, 0);
            assertThat(end(large)).isEqualTo(ErrorCode.RESOURCE_LIMIT);
            assertThat(end(small)).isEqualTo(ErrorCode.OVERLOADED);
            assertThatCode(large::requireGoingOn).as("told once").doesNotThrowAnyException();
        }
    }

    @Test
    void endsARequestAtItsNextChargeOrCheckpointAndKeepsItsAccountRight() {
        TestBudgets budgets = new TestBudgets(1 << 30);
        RequestBudget charges = budgets.process().open(() -> false);
        RequestBudget computes = budgets.process().open(() -> false);
        charges.memory().charge(MIB, "the query", "");
        computes.memory().charge(MIB, "the query", "");
        budgets.process().memory().relieve(2 * MIB, HEAP, 0);
        assertThatThrownBy(() -> charges.memory().charge(MIB, "the query", ""))
                .hasMessageContaining("the heap of the server is nearly full")
                .hasMessageContaining("1048576 bytes");
        assertThatThrownBy(() -> computes.checkpoint(() -> {})).isInstanceOf(ServiceException.class);
        assertThat(charges.memory().used()).isEqualTo(MIB);
        charges.close();
        computes.close();
        assertThat(budgets.process().memory().used()).isZero();
    }

    @Test
    void looksAtTheHeapOnTheThreadOfALargeRequestBeforeItGrows() {
        try (MemoryAccount large = account(10 * MIB)) {
            pool.checkBeforeGrowth(() -> pool.relieve(MIB, HEAP, 0));
            try (MemoryAccount small = account(MemoryAccount.STEP_BYTES / 2)) {
                assertThat(small.wasEnded()).isFalse();
                assertThat(large.wasEnded()).as("small requests do not look").isFalse();
            }
            assertThatThrownBy(() -> large.charge(MemoryAccount.STEP_BYTES, "the query", ""))
                    .hasMessageContaining("the heap of the server is nearly full");
            assertThat(large.used()).isEqualTo(10 * MIB);
        }
        assertThat(pool.used()).isZero();
    }

    @Test
    void dropsCachesFirstAndEndsNobodyWhereTheyHeldEnough() {
        pool.tryReserveFree(30 * MIB);
        pool.addReclaimer(bytes -> pool.release(30 * MIB));
        pool.addSpare(() -> 20 * MIB);
        try (MemoryAccount account = account(10 * MIB)) {
            assertThat(pool.relieve(50 * MIB, HEAP, 0)).isEqualTo(new MemoryPool.Relief(50 * MIB, 0, 0));
            assertThatCode(account::requireGoingOn).doesNotThrowAnyException();
        }
    }

    @Test
    void waitsForTheMemoryOfThoseThatItHasEnded() {
        try (MemoryAccount first = account(10 * MIB);
                MemoryAccount second = account(9 * MIB)) {
            assertThat(pool.relieve(8 * MIB, HEAP, 0).ended()).isEqualTo(1);
            assertThat(first.wasEnded()).isTrue();
            assertThat(pool.relieve(8 * MIB, HEAP, 0).ended())
                    .as("the first one is about to end")
                    .isZero();
            assertThat(pool.relieve(12 * MIB, HEAP, 0).ended()).isEqualTo(1);
            assertThat(second.wasEnded()).isTrue();
            assertThat(pool.relieve(100 * MIB, HEAP, 0).ended())
                    .as("nobody is left")
                    .isZero();
        }
    }

    @Test
    void sparesRequestsThatHoldLessThanTheCallerSays() {
        try (MemoryAccount large = account(10 * MIB);
                MemoryAccount small = account(9 * MIB)) {
            assertThat(pool.relieve(100 * MIB, HEAP, 10 * MIB).ended()).isEqualTo(1);
            assertThat(large.wasEnded()).isTrue();
            assertThat(small.wasEnded()).isFalse();
        }
    }

    @Test
    void forgetsRequestsThatAreOverAndThoseThatHoldLittle() {
        account(10 * MIB).close();
        try (MemoryAccount little = account(1_000)) {
            assertThat(pool.relieve(MIB, HEAP, 0).ended()).isZero();
            assertThatCode(little::requireGoingOn).doesNotThrowAnyException();
        }
    }
}
