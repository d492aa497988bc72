package service.log.follow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import service.core.port.CommitFollower;
import service.core.port.FollowLag;

final class FollowLoopTest {
    private static final Duration EVERY = Duration.ofMillis(2);

    /** Answers each look with one answer, which a test replaces as a whole: a look sees no mixture of two. */
    private static final class Source implements NewEvents {
        private volatile Supplier<Seen> answer = () -> new Seen(0, 0, 0);
        private final AtomicLong looks = new AtomicLong();

        @Override
        public Seen after(long shown) {
            looks.incrementAndGet();
            Seen seen = answer.get();
            assertThat(seen.shown()).isGreaterThanOrEqualTo(shown);
            return seen;
        }

        /** Shows events up to {@code reach} of a log that ends at {@code end}, from the next look on. */
        private void shows(long reach, long end) {
            answer = () -> new Seen(reach, end, 5_000_000);
        }

        private void fails() {
            answer = () -> {
                throw new IllegalStateException("broken");
            };
        }

        private void awaitLook() {
            long before = looks.get();
            await().until(() -> looks.get() > before + 1);
        }
    }

    private static final class Taken implements CommitFollower {
        private final List<Long> offsets = new CopyOnWriteArrayList<>();

        @Override
        public boolean isInterested(long offset) {
            return true;
        }

        @Override
        public void committed(long from, long to) {
            for (long offset = from; offset <= to; offset++) {
                offsets.add(offset);
            }
        }
    }

    @Test
    void followersGetEachEventOnceAlsoAfterALookThatFailed() {
        Source source = new Source();
        Taken taken = new Taken();
        try (FollowLoop loop = new FollowLoop("g", source, 0, EVERY, () -> 0)) {
            loop.follow(taken, 0);
            source.shows(3, 3);
            await().untilAsserted(() -> assertThat(taken.offsets).containsExactly(1L, 2L, 3L));
            source.fails();
            source.awaitLook();
            assertThat(taken.offsets).hasSize(3);
            assertThat(loop.lag().seconds()).isPositive();
            source.shows(5, 5);
            await().untilAsserted(() -> assertThat(taken.offsets).containsExactly(1L, 2L, 3L, 4L, 5L));
            source.awaitLook();
            assertThat(loop.lag().seconds()).isZero();
        }
    }

    @Test
    void theLagIsWhatTheLogHasMoreAndTheAgeOfTheFirstMissingEvent() {
        Source source = new Source();
        source.shows(7, 9);
        try (FollowLoop loop = new FollowLoop("g", source, 7, EVERY, () -> 7_250_000)) {
            assertThat(loop.lag()).isEqualTo(new FollowLag(0, 0));
            loop.start();
            source.awaitLook();
            assertThat(loop.lag()).isEqualTo(new FollowLag(2, 2.25));
            source.shows(9, 9);
            source.awaitLook();
            assertThat(loop.lag()).isEqualTo(new FollowLag(0, 0));
        }
    }
}
