package service.core.graph.feed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.event.Origin;
import service.core.graph.TestGraph;
import service.core.port.BlobStore;
import service.core.port.CommitFollower;
import service.core.port.GraphSession;
import service.core.port.GraphStorage;
import service.core.port.WriteCommand;
import service.core.testkit.MemoryStorage;
import service.core.testkit.Seed;
import service.core.testkit.SmallGraph;

/** Waiters that no commit will wake are removed, and events that they have seen do not wake them. */
final class CommitWatchTest {
    /** A storage whose reader slots are all taken. */
    private static final class Full implements GraphStorage {
        @Override
        public GraphSession session() {
            throw new ServiceException(ErrorCode.TOO_MANY_REQUESTS, "every reader slot is taken");
        }

        @Override
        public BlobStore blobs() {
            throw new UnsupportedOperationException();
        }

        @Override
        public byte[] secret() {
            return new byte[32];
        }

        @Override
        public void follow(CommitFollower follower) {}

        @Override
        public void close() {}
    }

    @Test
    void aWaiterThatGotNoSessionIsForgotten() {
        CommitWatch watch = new CommitWatch(new Full());
        assertThat(watch.isInterested(2)).isFalse();
        assertThatThrownBy(() -> watch.await(0, 1)).hasMessage("every reader slot is taken");
        assertThat(watch.size()).isZero();
        assertThat(watch.isInterested(2)).isFalse();
    }

    @Test
    void aWaiterThatHasSeenAllThatWasAnnouncedNeedsNoSession() {
        CommitWatch watch = new CommitWatch(new Full());
        assertThat(watch.isInterested(2)).isFalse();
        assertThat(watch.await(0, 2)).isNotDone();
        assertThat(watch.isInterested(2)).isTrue();
        assertThat(watch.size()).isEqualTo(1);
    }

    @Test
    void anEventThatComesBetweenTheLookAndTheWaitWakes() {
        MemoryStorage storage = new MemoryStorage(TestGraph.catalog());
        CommitWatch watch = new CommitWatch(storage);
        long seen = SmallGraph.branch(storage, "main").headOffset();
        SmallGraph.write(
                storage.log(),
                new WriteCommand.Draft.CreateBranch("side", SmallGraph.branch(storage, "main"), Origin.of("tester")));
        assertThat(watch.await(0, seen)).as("an event of another branch").isNotDone();
        SmallGraph.commit(storage.log(), SmallGraph.branch(storage, "main"), List.of(SmallGraph.person("p", 1)));
        assertThat(watch.await(0, seen)).isCompletedWithValue(true);
    }

    /** Waiters leave in any order, and those that a commit wakes are those that have not seen it. */
    @Test
    void manyWaitersComeAndGo(@Seed long seed) {
        Random random = new Random(seed);
        CommitWatch watch = new CommitWatch(new MemoryStorage(TestGraph.catalog()));
        List<CompletableFuture<Boolean>> waiting = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            if (waiting.isEmpty() || random.nextInt(3) > 0) {
                waiting.add(watch.await(0, 0));
            } else {
                waiting.remove(random.nextInt(waiting.size())).complete(false);
            }
            assertThat(watch.size()).isEqualTo(waiting.size());
        }
        watch.committed(0, 0);
        assertThat(waiting).isNotEmpty().noneMatch(CompletableFuture::isDone);
        waiting.forEach(news -> news.complete(false));
        assertThat(watch.size()).isZero();
    }

    @Test
    void anAnnouncementOfAnEventThatAWaiterHasSeenDoesNotWakeIt() {
        MemoryStorage storage = new MemoryStorage(TestGraph.catalog());
        CommitWatch watch = new CommitWatch(storage);
        CompletableFuture<Boolean> news = watch.await(0, 0);
        watch.committed(0, 0);
        assertThat(news).isNotDone();
        CompletableFuture<Boolean> late = watch.await(0, -1);
        assertThat(late).isCompletedWithValue(true);
        news.complete(false);
        assertThat(watch.size()).isZero();
    }
}
