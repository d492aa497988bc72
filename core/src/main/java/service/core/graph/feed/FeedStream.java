package service.core.graph.feed;

import java.util.concurrent.CompletableFuture;
import service.core.error.Reason;
import service.core.error.ServiceException;
import service.core.graph.request.Settings;
import service.core.policy.Caller;
import service.core.port.Branch;
import service.core.port.FeedHold;
import service.core.port.GraphSession;
import service.core.port.GraphStorage;

/**
 * A branch's endless feed, in pieces: call {@link #next} until a piece ends at the head, then wait for {@link #news}.
 * Between pieces it holds its position, and keeps cleanup from the events after it. One thread at a time. The caller
 * closes it.
 */
public final class FeedStream implements AutoCloseable {
    private final GraphStorage storage;
    private final FeedHold hold;
    private final ChangeFeed feed;
    private final Caller caller;
    private final Settings settings;
    private final FeedSink sink;
    private ChangeFeed.Resolved at;

    FeedStream(
            GraphStorage storage,
            ChangeFeed feed,
            Caller caller,
            ChangeFeed.Resolved from,
            Settings settings,
            FeedSink sink) {
        this.storage = storage;
        this.hold = storage.holdFeed(from.place().incarnation(), from.place().offset());
        this.feed = feed;
        this.caller = caller;
        this.settings = settings;
        this.sink = sink;
        this.at = from;
    }

    /**
     * Reads the next piece. Near the head it is the same object for all streams at this position.
     *
     * @return a piece that the caller must leave; empty at most at the head
     * @throws service.core.error.ServiceException CHANGE_FEED_GAP; NOT_FOUND when the branch was deleted
     * @throws service.core.budget.NoWaiting.WouldWaitException when the piece takes long to make, on a thread that must
     *     not wait; the stream is where it was
     */
    public SharedPage next() {
        try (GraphSession session = storage.session()) {
            String name = at.branch().name();
            Branch now = session.branch(name);
            if (now == null || now.incarnation() != at.branch().incarnation()) {
                throw ServiceException.notFound(Reason.BRANCH, "branch `" + name + "` was deleted");
            }
            at = at.toHead(now);
            SharedPage piece = new FeedPoll(feed, session, caller, at, settings).page(sink);
            at = at.movedTo(piece.end());
            sink.continueAfter(piece.end().part());
            hold.moveTo(at.place().offset(), piece.isAtCut());
            return piece;
        }
    }

    /** Lets cleanup take what the consumer has not read. Any thread. */
    @Override
    public void close() {
        hold.close();
    }

    /** Completes when there are blocks after those that {@link #next} has passed. */
    public CompletableFuture<Boolean> news() {
        return feed.news(at.branch().incarnation(), at.branch().headOffset());
    }
}
