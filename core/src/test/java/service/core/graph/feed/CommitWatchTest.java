package service.core.graph.feed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.graph.TestGraph;
import service.core.port.BlobStore;
import service.core.port.CommitFollower;
import service.core.port.CommitLog;
import service.core.port.GraphSession;
import service.core.port.GraphStorage;
import service.core.testkit.MemoryStorage;

/** Waiters that no commit will wake are removed, and events that they have seen do not wake them. */
final class CommitWatchTest {
    /** A storage whose reader slots are all taken. */
    private static final class Full implements GraphStorage {
        @Override
        public GraphSession session() {
            throw new ServiceException(ErrorCode.TOO_MANY_REQUESTS, "every reader slot is taken");
        }

        @Override
        public CommitLog log() {
            throw new UnsupportedOperationException();
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
        assertThatThrownBy(() -> watch.await(0, 1, null)).hasMessage("every reader slot is taken");
        assertThat(watch.size()).isZero();
        assertThat(watch.isInterested()).isFalse();
    }

    @Test
    void anAnnouncementOfAnEventThatAWaiterHasSeenDoesNotWakeIt() {
        MemoryStorage storage = new MemoryStorage(TestGraph.catalog());
        CommitWatch watch = new CommitWatch(storage);
        CompletableFuture<Boolean> news = watch.await(0, 0, null);
        watch.committed(0, 0);
        assertThat(news).isNotDone();
        CompletableFuture<Boolean> late = watch.await(0, -1, null);
        assertThat(late).isCompletedWithValue(true);
        news.complete(false);
        assertThat(watch.size()).isZero();
    }
}
