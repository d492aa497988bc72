package service.http.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

final class HeartbeatsTest {
    private static final int BEATS = 10_000;

    private final Heartbeats heartbeats = new Heartbeats();
    private final CompletableFuture<Boolean> news = new CompletableFuture<>();
    private final Queue<Runnable> handed = new ArrayDeque<>();
    private final List<String> written = new ArrayList<>();
    private boolean isAlive = true;

    private final Heartbeats.Idle stream = new Heartbeats.Idle() {
        @Override
        public void hand(Runnable work) {
            handed.add(work);
        }

        @Override
        public boolean beat() {
            written.add("beat");
            return isAlive;
        }

        @Override
        public void wake() {
            written.add("news");
        }

        @Override
        public void handNews() {
            handed.add(this::wake);
        }
    };

    /** A time when every stream is due. */
    private static long late() {
        return System.nanoTime() + 1_000_000_000_000L;
    }

    private void work() {
        for (Runnable work = handed.poll(); work != null; work = handed.poll()) {
            work.run();
        }
    }

    @Test
    void tenThousandBeatsLeaveNothingAtTheFuture() {
        heartbeats.await(new Heartbeats.Wait(news, stream));
        int dependents = news.getNumberOfDependents();
        for (int i = 0; i < BEATS; i++) {
            heartbeats.tick(late());
            work();
        }
        assertThat(written).hasSize(BEATS).containsOnly("beat");
        assertThat(news.getNumberOfDependents()).isEqualTo(dependents);
        assertThat(heartbeats.size()).isEqualTo(1);
        news.complete(true);
        work();
        assertThat(written).hasSize(BEATS + 1).endsWith("news");
        assertThat(heartbeats.size()).isZero();
    }

    @Test
    void aStreamBeatsOnlyWhenItIsDue() {
        heartbeats.await(new Heartbeats.Wait(news, stream));
        heartbeats.tick(System.nanoTime());
        assertThat(handed).isEmpty();
        heartbeats.tick(late());
        heartbeats.tick(late());
        assertThat(handed)
                .as("a beat that is handed over is not handed over again")
                .hasSize(1);
    }

    @Test
    void newsBeforeDuringAndAfterABeatWakesOnce() {
        CompletableFuture<Boolean> there = CompletableFuture.completedFuture(true);
        heartbeats.await(new Heartbeats.Wait(there, stream));
        work();
        assertThat(written).containsExactly("news");

        written.clear();
        heartbeats.await(new Heartbeats.Wait(news, stream));
        heartbeats.tick(late());
        news.complete(true);
        assertThat(handed).as("the thread of the beat takes the news along").hasSize(1);
        work();
        assertThat(written).containsExactly("news");
        assertThat(heartbeats.size()).isZero();
    }

    @Test
    void aBeatThatIsAskedForRunsUnlessTheStreamHasWork() {
        Heartbeats.Wait wait = new Heartbeats.Wait(news, stream);
        heartbeats.beatNow(wait);
        assertThat(handed).as("it does not wait yet").isEmpty();
        heartbeats.await(wait);
        heartbeats.beatNow(wait);
        heartbeats.beatNow(wait);
        assertThat(handed).hasSize(1);
        work();
        assertThat(written).containsExactly("beat");
        news.complete(true);
        heartbeats.beatNow(wait);
        work();
        assertThat(written).containsExactly("beat", "news");
    }

    @Test
    void aStreamThatEndsInABeatIsForgotten() {
        heartbeats.await(new Heartbeats.Wait(news, stream));
        isAlive = false;
        heartbeats.tick(late());
        work();
        news.complete(true);
        heartbeats.tick(late());
        work();
        assertThat(written).containsExactly("beat");
        assertThat(heartbeats.size()).isZero();
    }
}
