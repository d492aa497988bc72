package service.http.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import service.core.testkit.Seed;

/** Slowing an actor that sends again at once after refusals. Times are in milliseconds of a clock that stands still. */
final class ActorWritesTest {
    private static final int MAX = 16;
    private static final int SLOWED_MAX = MAX / ActorWrites.SLOWED_DIVISOR;

    private long nowMillis = 1;
    private final ActorWrites writes = new ActorWrites(MAX, 1 << 20, new Refusals(), () -> nowMillis * 1_000_000);

    @Test
    void theSixtyFifthRefusalWithinASecondSlows() {
        begin(MAX);
        assertThat(refuse(ActorWrites.REFUSED_MAX)).isFalse();
        nowMillis += 999;
        assertThat(writes.refuse("ada")).isTrue();
        end(MAX);
        assertThat(admitted()).isEqualTo(SLOWED_MAX);
    }

    @Test
    void refusalsOfTwoSecondsAreNotAddedUp() {
        begin(MAX);
        assertThat(refuse(ActorWrites.REFUSED_MAX)).isFalse();
        nowMillis += 1_000;
        assertThat(refuse(ActorWrites.REFUSED_MAX)).isFalse();
    }

    @Test
    void refusalsAreKeptWhenNoWriteIsInFlight() {
        for (int i = 0; i < ActorWrites.REFUSED_MAX; i++) {
            begin(MAX);
            assertThat(writes.refuse("ada")).isFalse();
            end(MAX);
        }
        begin(MAX);
        assertThat(writes.refuse("ada")).isTrue();
    }

    @Test
    void theWholeLimitComesBackAfterASecondWithNoMoreRefusalsThanTheLimit() {
        slow();
        nowMillis += 1_000;
        begin(SLOWED_MAX);
        assertThat(refuse(MAX)).as("still slowed").isTrue();
        end(SLOWED_MAX);
        nowMillis += 1_000;
        assertThat(admitted()).isEqualTo(MAX);
    }

    @Test
    void anActorStaysSlowedWhileItIsRefusedMoreOften() {
        slow();
        for (int second = 0; second < 5; second++) {
            nowMillis += 1_000;
            assertThat(admitted()).isEqualTo(SLOWED_MAX);
            begin(SLOWED_MAX);
            assertThat(refuse(MAX + 1)).isTrue();
            end(SLOWED_MAX);
        }
        nowMillis += 2_000;
        assertThat(admitted()).as("after two silent seconds").isEqualTo(MAX);
    }

    @Test
    void otherActorsAreNotSlowed() {
        slow();
        for (int i = 0; i < MAX; i++) {
            assertThat(writes.begin("bob", 1)).isTrue();
        }
        assertThat(writes.refuse("bob")).isFalse();
    }

    @Test
    void aLimitOfOneStaysOne() {
        ActorWrites one = new ActorWrites(1, 1 << 20, new Refusals(), () -> nowMillis * 1_000_000);
        assertThat(one.begin("ada", 1)).isTrue();
        for (int i = 0; i <= ActorWrites.REFUSED_MAX; i++) {
            one.refuse("ada");
        }
        one.end("ada", 1);
        assertThat(one.begin("ada", 1)).isTrue();
    }

    @Test
    void entriesOfPastRefusalsAreRemoved() {
        for (int i = 0; i < 10 * ActorWrites.ENTRIES_SWEPT; i++) {
            String actor = "act-" + i;
            assertThat(writes.begin(actor, 1)).isTrue();
            writes.refuse(actor);
            writes.end(actor, 1);
            nowMillis += 5;
            assertThat(writes.size()).isLessThanOrEqualTo(ActorWrites.ENTRIES_SWEPT);
        }
    }

    /** Each second of an actor is replayed from a list of all its refusals, without counters. */
    @Test
    void aSlowedActorIsOneWhoseRefusalsSaySo(@Seed long seed) {
        Random random = new Random(seed);
        List<Long> second = new ArrayList<>();
        boolean slowed = false;
        begin(1);
        for (int i = 0; i < 20_000; i++) {
            nowMillis += random.nextInt(4) == 0 ? random.nextInt(i / 5_000 * 100 + 20) : 0;
            if (!second.isEmpty() && nowMillis - second.getFirst() >= 1_000) {
                slowed &= second.size() > MAX && nowMillis - second.getFirst() < 2_000;
                second.clear();
            }
            second.add(nowMillis);
            slowed |= second.size() > ActorWrites.REFUSED_MAX;
            assertThat(writes.refuse("ada")).as("refusal %d", i).isEqualTo(slowed);
        }
    }

    private void slow() {
        begin(MAX);
        assertThat(refuse(ActorWrites.REFUSED_MAX + 1)).isTrue();
        end(MAX);
    }

    @Test
    void anActorAloneKeepsItsLimitAndOnlyItsRefusalsAreDelayed() {
        begin(MAX);
        assertThat(refuse(ActorWrites.REFUSED_MAX + 1)).isTrue();
        end(MAX);
        begin(MAX);
        end(MAX);
        nowMillis += 100;
        assertThat(admitted()).as("beside another actor").isEqualTo(SLOWED_MAX);
        nowMillis += 1_000;
        begin(MAX);
        assertThat(writes.begin("ada", 1)).isFalse();
    }

    /** How many writes of the actor are taken now, beside another actor; ends them again. */
    private int admitted() {
        writes.begin("other", 1);
        writes.end("other", 1);
        int taken = 0;
        while (writes.begin("ada", 1)) {
            taken++;
        }
        end(taken);
        return taken;
    }

    private void begin(int count) {
        for (int i = 0; i < count; i++) {
            assertThat(writes.begin("ada", 1)).isTrue();
        }
    }

    private void end(int count) {
        for (int i = 0; i < count; i++) {
            writes.end("ada", 1);
        }
    }

    private boolean refuse(int count) {
        boolean slowed = false;
        for (int i = 0; i < count; i++) {
            slowed = writes.refuse("ada");
        }
        return slowed;
    }
}
