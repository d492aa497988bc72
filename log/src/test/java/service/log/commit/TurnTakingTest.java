package service.log.commit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

final class TurnTakingTest {
    private final AtomicBoolean awake = new AtomicBoolean();
    private final TurnTaking turns = new TurnTaking(awake);

    private void take(int groups) {
        for (int i = 0; i < groups; i++) {
            turns.took(1, TurnTaking.TURN_NANOS);
        }
    }

    @Test
    void aTurnIsExpectedAfterManyShortOnes() {
        take(TurnTaking.TURNS_MIN - 1);
        assertThat(turns.isExpected()).isFalse();
        take(1);
        assertThat(turns.isExpected()).isTrue();
        take(1_000);
        assertThat(turns.isExpected()).isTrue();
    }

    @Test
    void aSecondClientEndsTheExpectation() {
        take(TurnTaking.TURNS_MIN);
        turns.took(2, 0);
        assertThat(turns.isExpected()).isFalse();
        take(TurnTaking.TURNS_MIN - 1);
        assertThat(turns.isExpected()).isFalse();
    }

    @Test
    void aLongWaitEndsTheExpectation() {
        take(TurnTaking.TURNS_MIN);
        turns.took(1, TurnTaking.TURN_NANOS + 1);
        assertThat(turns.isExpected()).isFalse();
    }

    @Test
    void oneWriterOfTheProcessStaysAwake() {
        TurnTaking other = new TurnTaking(awake);
        assertThat(turns.beginWait()).isFalse();
        take(TurnTaking.TURNS_MIN);
        for (int i = 0; i < TurnTaking.TURNS_MIN; i++) {
            other.took(1, 0);
        }
        assertThat(turns.beginWait()).isTrue();
        assertThat(other.beginWait()).isFalse();
        turns.endWait();
        assertThat(other.beginWait()).isTrue();
        other.endWait();
    }
}
