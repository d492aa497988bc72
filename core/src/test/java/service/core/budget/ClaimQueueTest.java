package service.core.budget;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import service.core.testkit.Seed;

/** Turns of senders and of graphs, checked against the list of what waits. */
final class ClaimQueueTest {
    private static final int STEPS = 20_000;
    private static final int SENDERS = 6;
    private static final int GRAPHS = 5;

    private record Item(Claim<String> claim, int number) {}

    private final ClaimQueue<String, Item> queue = new ClaimQueue<>();

    private static Claim<String> claim(String sender, String graph) {
        return new Claim<>(sender, graph);
    }

    /** The items before that of a claim, when others wait with many items each. */
    private int itemsBefore(Claim<String> claim) {
        queue.add(claim, new Item(claim, 0));
        for (int before = 0; ; before++) {
            Item served = queue.poll();
            assertThat(served).isNotNull();
            if (served.claim().equals(claim)) {
                return before;
            }
        }
    }

    @Test
    void aGraphThatManySendersFloodDelaysNoOtherGraph() {
        for (int i = 0; i < 1_000; i++) {
            Claim<String> busy = claim("s" + i, "busy");
            queue.add(busy, new Item(busy, i));
        }
        assertThat(itemsBefore(claim("s0", "other"))).isLessThanOrEqualTo(3);
        assertThat(itemsBefore(claim("another", "other"))).isLessThanOrEqualTo(3);
    }

    @Test
    void aSenderThatFloodsManyGraphsDelaysNoOtherSender() {
        for (int i = 0; i < 1_000; i++) {
            Claim<String> greedy = claim("greedy", "g" + i);
            queue.add(greedy, new Item(greedy, i));
        }
        assertThat(itemsBefore(claim("other", "g0"))).isLessThanOrEqualTo(3);
        assertThat(itemsBefore(claim("other", "another"))).isLessThanOrEqualTo(3);
    }

    /** What waits, in the order of arrival, and how many items were served since each name last had its turn. */
    private static final class Waiting {
        private final List<Item> items = new ArrayList<>();
        private final Map<String, Integer> passedOver = new HashMap<>();

        private void forget(Item removed, Function<Claim<String>, String> name) {
            String left = name.apply(removed.claim());
            if (items.stream().noneMatch(item -> name.apply(item.claim()).equals(left))) {
                passedOver.remove(left);
            }
        }

        private void served(Item item, Function<Claim<String>, String> name, int names) {
            Set<String> all = new HashSet<>();
            items.forEach(waits -> all.add(name.apply(waits.claim())));
            passedOver.keySet().retainAll(all);
            passedOver.remove(name.apply(item.claim()));
            all.remove(name.apply(item.claim()));
            for (String other : all) {
                assertThat(passedOver.merge(other, 1, Integer::sum))
                        .as("items served while %s waits", other)
                        .isLessThanOrEqualTo(2 * names);
            }
        }
    }

    @Test
    void nothingIsLostAndNobodyIsPassedOverForLong(@Seed long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Waiting senders = new Waiting();
        Waiting graphs = new Waiting();
        List<Item> model = senders.items;
        for (int i = 0; i < STEPS; i++) {
            switch (random.nextInt(8)) {
                case 0, 1, 2, 3 -> {
                    // The first sender floods the first graph and others.
                    String sender = "s" + Math.max(0, random.nextInt(2 * SENDERS) - SENDERS);
                    String graph = "g" + Math.max(0, random.nextInt(2 * GRAPHS) - GRAPHS);
                    Item item = new Item(claim(sender, graph), i);
                    queue.add(item.claim(), item);
                    model.add(item);
                    graphs.items.add(item);
                }
                case 4 -> {
                    Item item =
                            model.isEmpty() ? new Item(claim("s0", "g0"), i) : model.get(random.nextInt(model.size()));
                    assertThat(queue.remove(item.claim(), item)).isEqualTo(model.remove(item));
                    graphs.items.remove(item);
                    senders.forget(item, Claim::sender);
                    graphs.forget(item, Claim::graph);
                }
                default -> {
                    Item served = queue.poll();
                    assertThat(served == null).isEqualTo(model.isEmpty());
                    if (served != null) {
                        assertThat(firstOf(model, served.claim())).isEqualTo(served);
                        model.remove(served);
                        graphs.items.remove(served);
                        senders.served(served, Claim::sender, SENDERS);
                        graphs.served(served, Claim::graph, GRAPHS);
                    }
                }
            }
            assertThat(queue.size()).isEqualTo(model.size());
        }
        // A part of the claims may not be served, as those that have their share.
        while (!model.isEmpty()) {
            String closed = "s" + random.nextInt(SENDERS);
            String full = "g" + random.nextInt(GRAPHS);
            Item served = queue.poll(
                    claim -> !claim.sender().equals(closed) && !claim.graph().equals(full));
            if (served == null) {
                assertThat(model)
                        .allMatch(item -> item.claim().sender().equals(closed)
                                || item.claim().graph().equals(full));
            } else {
                assertThat(firstOf(model, served.claim())).isEqualTo(served);
                assertThat(served.claim().sender()).isNotEqualTo(closed);
                assertThat(served.claim().graph()).isNotEqualTo(full);
                model.remove(served);
            }
        }
        assertThat(queue.isEmpty()).isTrue();
        assertThat(queue.claims()).isZero();
    }

    private static Item firstOf(List<Item> model, Claim<String> claim) {
        return model.stream()
                .filter(item -> item.claim().equals(claim))
                .findFirst()
                .orElseThrow();
    }
}
