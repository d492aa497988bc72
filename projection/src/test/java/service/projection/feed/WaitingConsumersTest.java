package service.projection.feed;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import service.core.event.Event;
import service.core.graph.GraphAccess;
import service.core.graph.feed.ChangeSelection;
import service.core.graph.feed.FeedOutcome;
import service.core.graph.feed.FeedPoll;
import service.core.graph.feed.FeedRequest;
import service.core.graph.request.Settings;
import service.core.port.Branch;
import service.core.testkit.Seed;
import service.core.testkit.SmallGraph;
import service.projection.TestEngine;
import service.projection.TestGraph;
import service.projection.storage.LmdbGraphStorage;

/**
 * Consumers that begin to wait a random time after they have read their position, so that the next commit comes before,
 * between and after these two.
 */
class WaitingConsumersTest {
    private static final int COMMITS = Integer.getInteger("service.commits", 300);
    private static final int CONSUMERS = 4;

    /** About the time of a commit. */
    private static final int PAUSE_NANOS_MAX = 1_000_000;

    @TempDir
    Path temporary;

    @Test
    void noWakeUpIsLost(@Seed long seed) throws Exception {
        try (LmdbGraphStorage storage = LmdbGraphStorage.create(
                        temporary.resolve("g"), TestGraph.options(), SmallGraph.SCHEMA, "tester");
                ExecutorService threads = Executors.newFixedThreadPool(CONSUMERS)) {
            GraphAccess graph = TestEngine.graph(storage);
            AtomicLongArray seen = new AtomicLongArray(CONSUMERS);
            long last = SmallGraph.branch(storage, Branch.MAIN).headOffset() + COMMITS;
            List<Future<?>> consumers = new ArrayList<>();
            for (int i = 0; i < CONSUMERS; i++) {
                int consumer = i;
                Random random = new Random(seed + i);
                consumers.add(threads.submit(() -> {
                    for (FeedOutcome at = position(graph); at.headOffset() < last; at = position(graph)) {
                        seen.set(consumer, at.headOffset());
                        LockSupport.parkNanos(random.nextInt(PAUSE_NANOS_MAX));
                        assertThat(graph.awaitNews(at).get(20, TimeUnit.SECONDS))
                                .isTrue();
                    }
                    seen.set(consumer, last);
                    return null;
                }));
            }
            for (int i = 0; i < COMMITS; i++) {
                Event commit = SmallGraph.commit(
                        storage.log(), SmallGraph.branch(storage, Branch.MAIN), List.of(SmallGraph.person("p" + i, i)));
                // The next commit is made while some consumers are about to wait for it.
                for (int consumer = 0; consumer < CONSUMERS; consumer++) {
                    while (seen.get(consumer) < commit.offset()
                            && !consumers.get(consumer).isDone()) {
                        LockSupport.parkNanos(1_000);
                    }
                }
            }
            for (Future<?> consumer : consumers) {
                consumer.get();
            }
        }
    }

    private static FeedOutcome position(GraphAccess graph) {
        try (FeedPoll poll =
                graph.openChanges(new FeedRequest(null, null, "now", null, ChangeSelection.ALL, Settings.DEFAULTS))) {
            return poll.emptyOutcome();
        }
    }
}
