package service.http.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import service.core.budget.Claim;
import service.core.testkit.Seed;

/** Places that holders share, against a model that counts them. */
final class PlacesTest {
    private static final int STEPS = 5_000;

    private final Refusals refusals = new Refusals();

    /** What each claim has, by the answers and the callbacks. */
    private final Map<Claim<Holder>, Integer> held = new HashMap<>();

    private final Map<Claim<Holder>, Integer> waiting = new HashMap<>();

    private Places places(int max, int percent) {
        return new Places(
                max,
                percent,
                true,
                refusals,
                new Places.Causes(Refusals.Cause.STREAMS, Refusals.Cause.ACTOR_STREAMS, Refusals.Cause.GRAPH_STREAMS));
    }

    private int taken(Predicate<Claim<Holder>> which) {
        return held.entrySet().stream()
                .filter(each -> which.test(each.getKey()))
                .mapToInt(Map.Entry::getValue)
                .sum();
    }

    private int taken() {
        return taken(any -> true);
    }

    private boolean mayTake(Holder holder, int has, int max, int percent) {
        int free = max - taken();
        return free > 0 && (!holder.isLimited() || has * (100 - percent) < free * percent);
    }

    private boolean maySend(Claim<Holder> claim, int max, int percent) {
        return mayTake(claim.sender(), taken(other -> other.sender().equals(claim.sender())), max, percent);
    }

    private boolean mayTake(Claim<Holder> claim, int max, int percent) {
        return maySend(claim, max, percent)
                && mayTake(
                        claim.graph(),
                        taken(other -> other.graph().equals(claim.graph())),
                        max,
                        percent + (100 - percent) / 2);
    }

    private void take(Places places, Claim<Holder> claim) {
        if (places.takeOrWait(claim, () -> {
            waiting.merge(claim, -1, Integer::sum);
            held.merge(claim, 1, Integer::sum);
        })) {
            held.merge(claim, 1, Integer::sum);
        } else {
            waiting.merge(claim, 1, Integer::sum);
        }
    }

    /** A place that moves is free for a moment. */
    private void move(Places places, Claim<Holder> from, Claim<Holder> to, int max, int percent) {
        held.merge(from, -1, Integer::sum);
        int has = taken(other -> other.graph().equals(to.graph()));
        boolean mayMove = mayTake(to.graph(), has, max, percent + (100 - percent) / 2);
        assertThat(places.move(from, to)).isEqualTo(mayMove);
        held.merge(mayMove ? to : from, 1, Integer::sum);
    }

    private void give(Places places, Claim<Holder> claim) {
        held.merge(claim, -1, Integer::sum);
        places.give(claim);
    }

    /** Nobody has more than its share, nobody waits who may have a place, and everyone who waited gets one. */
    @Test
    void randomUseKeepsTheSharesAndForgetsNobody(@Seed long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        int max = random.nextInt(1, 40);
        int percent = random.nextInt(1, 101);
        Places places = places(max, percent);
        List<Claim<Holder>> claims = new ArrayList<>();
        int senders = random.nextInt(1, 6);
        int graphs = random.nextInt(1, 6);
        for (int i = 0; i < senders; i++) {
            Holder sender = new Holder(
                    "s" + i, random.nextBoolean() ? Holder.Kind.ACTOR : Holder.Kind.ADDRESS, random.nextInt(4) > 0);
            for (int j = 0; j < graphs; j++) {
                claims.add(new Claim<>(sender, Holder.graph("g" + j, j > 0)));
            }
        }
        for (int i = 0; i < STEPS; i++) {
            Claim<Holder> holder = claims.get(random.nextInt(claims.size()));
            boolean mayTake = mayTake(holder, max, percent);
            if (random.nextInt(3) == 0) {
                Taken expected = mayTake
                        ? Taken.YES
                        : taken() >= max
                                ? Taken.NONE_IS_FREE
                                : maySend(holder, max, percent) ? Taken.GRAPH_SHARE_IS_USED : Taken.SHARE_IS_USED;
                Taken answer = places.take(holder);
                assertThat(answer).isEqualTo(expected);
                if (answer.isYes()) {
                    held.merge(holder, 1, Integer::sum);
                }
            } else if (!holder.graph().isLimited() && random.nextBoolean() && taken(holder::equals) > 0) {
                int graph = random.nextInt(graphs);
                move(places, holder, claims.get(claims.indexOf(holder) / graphs * graphs + graph), max, percent);
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
            for (Claim<Holder> holder : claims) {
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
        Claim<Holder> greedy = new Claim<>(Holder.actor("greedy"), Holder.graph("a", true));
        Claim<Holder> other = new Claim<>(Holder.actor("other"), Holder.graph("b", true));
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
        for (int i = 0; i < 3; i++) {
            places.give(greedy);
        }
        assertThat(served).containsExactly("greedy", "greedy", "other");
    }

    /** The actor of all requests is one, as for a program that serves all customers. */
    @Test
    void aBusyGraphLeavesPlacesToTheOthers() {
        Places places = places(16, 75);
        Holder address = new Holder("127.0.0.1", Holder.Kind.ADDRESS, false);
        Claim<Holder> busy = new Claim<>(address, Holder.graph("busy", true));
        for (int i = 0; i < 14; i++) {
            assertThat(places.take(busy)).isEqualTo(Taken.YES);
        }
        assertThat(places.take(busy)).isEqualTo(Taken.GRAPH_SHARE_IS_USED);
        assertThat(refusals.of(Refusals.Cause.GRAPH_STREAMS)).isEqualTo(1);
        assertThat(places.take(new Claim<>(address, Holder.graph("other", true))))
                .isEqualTo(Taken.YES);
    }
}
