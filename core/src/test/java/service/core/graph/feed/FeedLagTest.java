package service.core.graph.feed;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class FeedLagTest {
    private final FeedLag lag = new FeedLag(0);

    @Test
    void theLargestNumberOfTheLastMinuteCounts() {
        lag.left("main", 7, seconds(1));
        lag.left("main", 3, seconds(2));
        assertThat(lag.byBranch(seconds(29))).isEqualTo(Map.of("main", 7L));
        lag.left("main", 1, seconds(31));
        assertThat(lag.byBranch(seconds(59))).isEqualTo(Map.of("main", 7L));
        assertThat(lag.byBranch(seconds(62))).isEqualTo(Map.of("main", 1L));
        assertThat(lag.byBranch(seconds(200))).isEqualTo(Map.of("main", 0L));
    }

    @Test
    void theBranchesBeyondTheBoundShareOneEntry() {
        for (int i = 0; i < 100; i++) {
            lag.left("b" + i, i, seconds(i));
        }
        Map<String, Long> now = lag.byBranch(seconds(100));
        assertThat(now).containsKeys("main", FeedLag.OTHER).hasSizeLessThanOrEqualTo(FeedLag.BRANCHES_MAX + 1);
        assertThat(now.get(FeedLag.OTHER)).isEqualTo(99L);
    }

    private static long seconds(long seconds) {
        return TimeUnit.SECONDS.toNanos(seconds);
    }
}
