package service.log.commit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import service.core.testkit.Seed;

final class TurnsTest {
    private static final long REQUEST = 20_000_000;

    private final List<Long> pauses = new ArrayList<>();

    private Turns turns(long seed) {
        return new Turns(new Random(seed), pauses::add);
    }

    private void win(Turns turns, int groups) {
        for (int i = 0; i < groups; i++) {
            turns.won(REQUEST);
        }
    }

    @Test
    void oneThatKnowsOfNoOtherWaitsOnceInManyGroups(@Seed long seed) {
        Turns turns = turns(seed);
        win(turns, 10 * Turns.ALONE_GROUPS);
        assertThat(pauses).hasSize(10).containsOnly(6 * REQUEST);
    }

    @Test
    void afterALostGroupBothWaitARandomPart(@Seed long seed) {
        Turns turns = turns(seed);
        turns.lost(REQUEST);
        assertThat(pauses).singleElement().satisfies(lost -> assertThat(lost).isBetween(0L, 2 * REQUEST));
        win(turns, 2 * Turns.SHARED_GROUPS);
        List<Long> won = pauses.subList(1, pauses.size());
        assertThat(won).hasSize(Turns.SHARED_GROUPS).allMatch(pause -> pause >= 0 && pause <= 4 * REQUEST);
        assertThat(won).as("a random part, not one time").hasSizeGreaterThan(1).doesNotHaveDuplicates();
    }

    @Test
    void noWaitIsLongerThanASecond(@Seed long seed) {
        Turns turns = turns(seed);
        for (int i = 0; i < Turns.ALONE_GROUPS; i++) {
            turns.won(Long.MAX_VALUE / 8);
        }
        turns.lost(Long.MAX_VALUE / 8);
        assertThat(pauses).hasSize(2).allMatch(pause -> pause <= 1_000_000_000L);
    }
}
