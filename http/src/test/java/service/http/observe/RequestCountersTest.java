package service.http.observe;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class RequestCountersTest {
    @Test
    void eachTimeIsBelowTheBoundOfItsClassAndNotOfTheOneBefore() {
        for (long micros : new long[] {-1, 0, 1, 63, 64, 127, 128, 1_000, 1_000_000, 67_000_000, Long.MAX_VALUE}) {
            int of = RequestCounters.classOf(micros);
            if (of < RequestCounters.CLASSES - 1) {
                assertThat(micros).isLessThan(RequestCounters.boundMicros(of));
            }
            if (of > 0) {
                assertThat(micros).isGreaterThanOrEqualTo(RequestCounters.boundMicros(of - 1));
            }
        }
    }

    @Test
    void requestsAreCountedByStatusAndByTime() {
        RequestCounters counters = new RequestCounters();
        counters.count("/a", 200, TimeUnit.MICROSECONDS.toNanos(10));
        counters.count("/a", 400, TimeUnit.MICROSECONDS.toNanos(100));
        counters.count("/b", 200, TimeUnit.MINUTES.toNanos(10));
        assertThat(counters.snapshot()).containsEntry(new RequestCounters.Key("/a", 400), 1L);
        assertThat(counters.times().get("/a")).startsWith(1, 1, 0).hasSize(RequestCounters.CLASSES);
        assertThat(counters.times().get("/b")[RequestCounters.CLASSES - 1]).isEqualTo(1);
    }
}
