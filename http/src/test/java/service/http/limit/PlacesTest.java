package service.http.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import service.core.testkit.Seed;

/** Places that holders share, against a model that counts them. */
final class PlacesTest {
    private static final int STEPS = 5_000;

    private final Refusals refusals = new Refusals();

    /** What each holder has, by the answers and the callbacks. */
    private final Map<Holder, Integer> held = new HashMap<>();

    private final Map<Holder, Integer> waiting = new HashMap<>();

    private Places places(int max, int percent) {
        return new Places(max, percent, refusals, Refusals.Cause.STREAMS, Refusals.Cause.ACTOR_STREAMS);
    }

    private int taken() {
        return held.values().stream().mapToInt(Integer::intValue).sum();
    }

    private boolean mayTake(Holder holder, int max, int percent) {
        int free = max - taken();
        return free > 0 && (!holder.isLimited() || held.getOrDefault(holder, 0) * (100 - percent) < free * percent);
    }

    private void take(Places places, Holder holder) {
        if (places.takeOrWait(holder, () -> {
            waiting.merge(holder, -1, Integer::sum);
            held.merge(holder, 1, Integer::sum);
        })) {
            held.merge(holder, 1, Integer::sum);
        } else {
            waiting.merge(holder, 1, Integer::sum);
        }
    }

    private void give(Places places, Holder holder) {
        held.merge(holder, -1, Integer::sum);
        places.give(holder);
    }

    /** Nobody has more than its share, nobody waits who may have a place, and everyone who waited gets one. */
    @Test
    void randomUseKeepsTheSharesAndForgetsNobody(@Seed long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        int max = random.nextInt(1, 40);
        int percent = random.nextInt(1, 101);
        Places places = places(max, percent);
        List<Holder> holders = new ArrayList<>();
        for (int i = 0; i < random.nextInt(1, 12); i++) {
            holders.add(new Holder("h" + i, random.nextBoolean(), random.nextInt(4) > 0));
        }
        for (int i = 0; i < STEPS; i++) {
            Holder holder = holders.get(random.nextInt(holders.size()));
            boolean mayTake = mayTake(holder, max, percent);
            if (random.nextInt(3) == 0) {
                boolean full = taken() >= max;
                Taken answer = places.take(holder);
                assertThat(answer).isEqualTo(mayTake ? Taken.YES : full ? Taken.NONE_IS_FREE : Taken.SHARE_IS_USED);
                if (answer.isYes()) {
                    held.merge(holder, 1, Integer::sum);
                }
            } else if (random.nextInt(2) == 0) {
                take(places, holder);
            } else if (held.getOrDefault(holder, 0) > 0) {
                give(places, holder);
            }
            assertThat(places.taken()).isEqualTo(taken()).isLessThanOrEqualTo(max);
            waiting.forEach((waits, count) -> assertThat(count > 0 && mayTake(waits, max, percent))
                    .as("%s waits", waits)
                    .isFalse());
        }
        while (taken() > 0) {
            for (Holder holder : holders) {
                if (held.getOrDefault(holder, 0) > 0) {
                    give(places, holder);
                }
            }
        }
        assertThat(waiting.values()).allMatch(count -> count == 0);
        assertThat(places.holders()).as("no trace of those who have left").isZero();
    }

    @Test
    void whatWaitsIsTakenInTurnByHolder() {
        Places places = places(4, 75);
        List<String> served = new ArrayList<>();
        Holder greedy = Holder.actor("greedy");
        Holder other = Holder.actor("other");
        for (int i = 0; i < 3; i++) {
            assertThat(places.take(greedy)).isEqualTo(Taken.YES);
        }
        assertThat(places.take(greedy)).isEqualTo(Taken.SHARE_IS_USED);
        assertThat(places.take(other)).isEqualTo(Taken.YES);
        assertThat(places.take(other)).isEqualTo(Taken.NONE_IS_FREE);
        assertThat(refusals.of(Refusals.Cause.ACTOR_STREAMS)).isEqualTo(1);
        assertThat(refusals.of(Refusals.Cause.STREAMS)).isEqualTo(1);
        for (int i = 0; i < 100; i++) {
            places.takeOrWait(greedy, () -> served.add("greedy"));
        }
        places.takeOrWait(other, () -> served.add("other"));
        places.give(greedy);
        places.give(greedy);
        assertThat(served).containsExactlyInAnyOrder("greedy", "other");
    }
}
