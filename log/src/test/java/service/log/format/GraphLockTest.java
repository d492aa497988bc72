package service.log.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.log.format.GraphLock.Purpose;

/** Which process waits for which. */
final class GraphLockTest {
    @TempDir
    private Path graph;

    @Test
    void aWriterWaitsForAReplayAndIsRefusedByAWriter() {
        CompletableFuture<GraphLock> writer = new CompletableFuture<>();
        try (GraphLock replaying = GraphLock.take(graph, Purpose.CATCHING_UP)) {
            assertThat(replaying.directory()).exists();
            Thread waiting = Thread.ofPlatform().start(() -> writer.complete(GraphLock.take(graph, Purpose.WRITING)));
            await().until(() -> waiting.getState() == Thread.State.TIMED_WAITING);
        }
        try (GraphLock writing = writer.join()) {
            assertThat(Files.exists(writing.directory().resolve(GraphLock.FILE)))
                    .isTrue();
            for (Purpose purpose : Purpose.values()) {
                assertThatThrownBy(() -> GraphLock.take(graph, purpose))
                        .hasMessageContaining("is being written by this process")
                        .isInstanceOfSatisfying(
                                ServiceException.class,
                                refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.CONFLICT));
            }
        }
        assertThat(GraphLock.holderOf(graph)).isNull();
    }

    @Test
    void aReplayNeverWaits() {
        try (GraphLock replaying = GraphLock.take(graph, Purpose.CATCHING_UP)) {
            assertThatThrownBy(() -> GraphLock.take(replaying.directory(), Purpose.CATCHING_UP))
                    .hasMessageContaining("has its tables brought up to date by this process");
        }
    }
}
