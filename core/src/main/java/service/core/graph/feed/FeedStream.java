package service.core.graph.feed;

import java.util.concurrent.CompletableFuture;
import service.core.error.ServiceException;
import service.core.graph.request.Settings;
import service.core.port.Branch;
import service.core.port.GraphSession;
import service.core.port.GraphStorage;

/**
 * A branch's endless feed, in pieces: call {@link #next} until it returns false, then wait for {@link #news}. Between
 * pieces it holds only its position. One thread at a time.
 */
public final class FeedStream {
    private final GraphStorage storage;
    private final CommitWatch watch;
    private final FeedLag lag;
    private final String branch;
    private final FeedWalk walk;
    private final Settings settings;
    private long headOffset;

    FeedStream(GraphStorage storage, CommitWatch watch, FeedLag lag, String branch, FeedWalk walk, Settings settings) {
        this.storage = storage;
        this.watch = watch;
        this.lag = lag;
        this.branch = branch;
        this.walk = walk;
        this.settings = settings;
    }

    /**
     * Passes new blocks to the sink until the sink is full or the head is reached.
     *
     * @return false when the head is reached
     * @throws service.core.error.ServiceException CHANGE_FEED_GAP; NOT_FOUND when the branch was deleted
     */
    public boolean next(BlockSink sink) {
        try (GraphSession session = storage.session()) {
            Branch now = session.branchOf(walk.place().incarnation());
            if (now == null) {
                throw ServiceException.notFound("branch `" + branch + "` was deleted");
            }
            headOffset = now.headOffset();
            long last = now.historyLength() - 1;
            boolean whole = walk.run(session, last, sink, new FeedWalk.Budget(settings));
            lag.left(branch, whole ? 0 : last - walk.place().sequence(), System.nanoTime());
            return !whole;
        }
    }

    /** The cursor after the last complete block. */
    public String cursor() {
        return walk.cursor();
    }

    /** Completes when there are blocks after those that {@link #next} has passed. */
    public CompletableFuture<Boolean> news() {
        return watch.await(walk.place().incarnation(), headOffset, null);
    }
}
