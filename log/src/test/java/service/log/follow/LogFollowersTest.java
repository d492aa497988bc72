package service.log.follow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import service.core.port.CommitFollower;

/** The events that followers receive, and how far cleanup may go. */
final class LogFollowersTest {
    /** Records its calls. Its first call waits, and throws if the test wants it. */
    private static final class Noting implements CommitFollower {
        private final List<String> heard = new CopyOnWriteArrayList<>();
        private final CountDownLatch release = new CountDownLatch(1);
        private volatile boolean interested = true;
        private volatile boolean failsOnce;

        @Override
        public boolean isInterested(long offset) {
            return interested;
        }

        @Override
        public void committed(long from, long to) {
            heard.add(from + "-" + to);
            try {
                release.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            if (failsOnce) {
                failsOnce = false;
                throw new IllegalStateException("once");
            }
        }
    }

    @Test
    void commitsDuringACallArePassedTogetherAndKeptFromCleanup() {
        Noting noting = new Noting();
        try (LogFollowers followers = new LogFollowers("test")) {
            assertThat(followers.leastPosition()).isEqualTo(Long.MAX_VALUE);
            followers.add(noting, 4);
            followers.advance(5);
            await().until(() -> noting.heard.size() == 1);
            followers.advance(6);
            followers.advance(8);
            followers.advance(7);
            assertThat(followers.leastPosition()).isEqualTo(4);
            noting.release.countDown();
            await().until(() -> followers.leastPosition() == 8);
            assertThat(noting.heard).containsExactly("5-5", "6-8");
        }
    }

    @Test
    void eventsOnWhichAFollowerFailedArePassedAgain() {
        Noting noting = new Noting();
        noting.failsOnce = true;
        noting.release.countDown();
        try (LogFollowers followers = new LogFollowers("test")) {
            followers.add(noting, 0);
            followers.advance(3);
            await().until(() -> followers.leastPosition() == 3);
            assertThat(noting.heard).containsExactly("1-3", "1-3");
        }
    }

    @Test
    void aFollowerThatIsNotInterestedIsSkippedAndKeepsNothingFromCleanup() {
        Noting noting = new Noting();
        noting.interested = false;
        try (LogFollowers followers = new LogFollowers("test")) {
            followers.add(noting, 0);
            followers.advance(3);
            assertThat(followers.leastPosition()).isEqualTo(3);
            noting.interested = true;
            noting.release.countDown();
            followers.advance(4);
            await().until(() -> followers.leastPosition() == 4);
            assertThat(noting.heard).containsExactly("4-4");
        }
    }
}
