package service.core.graph.feed;

import java.util.concurrent.CompletableFuture;
import service.core.budget.NoWaiting;
import service.core.error.Reason;
import service.core.error.ServiceException;
import service.core.graph.request.Settings;
import service.core.json.Int64Form;
import service.core.policy.Caller;
import service.core.port.Branch;
import service.core.port.FeedHold;
import service.core.port.GraphSession;
import service.core.port.GraphStorage;

/**
 * A branch's endless feed, in pieces: call {@link #next} until {@link #isCaughtUp}, then wait for {@link #news}.
 * Between pieces it holds its position, and keeps cleanup from the events after it. One thread at a time. The caller
 * closes it.
 */
public final class FeedStream implements AutoCloseable {
    private final GraphStorage storage;
    private final FeedHold hold;
    private final ChangeFeed feed;
    private final String branch;
    private final FeedWalk walk;
    private final Settings settings;
    private long headOffset;
    private boolean caughtUp;

    /** Where in a block a piece ends. */
    public enum Part {
        /** No block has begun. */
        NONE,
        /** A block has begun, without changes so far. */
        CAUSE,
        /** A block has begun, with changes. */
        CHANGES
    }

    /** Makes the bytes of pieces. */
    public interface Renderer extends BlockSink {
        /** Adds that the head is reached. */
        void caughtUp(String cursor);

        /** The part of a block that the next byte follows. */
        Part part();

        /** How the renderer writes values of 64 bits. */
        Int64Form int64();

        /** Goes on behind a piece that another renderer has made. */
        void continueAfter(Part part);

        /** Returns the piece and begins the next one. */
        SharedPage.Content take();
    }

    FeedStream(GraphStorage storage, ChangeFeed feed, String branch, FeedWalk walk, Settings settings) {
        this.storage = storage;
        this.hold = storage.holdFeed(walk.place().incarnation(), walk.place().offset());
        this.feed = feed;
        this.branch = branch;
        this.walk = walk;
        this.settings = settings;
    }

    /**
     * Reads the next piece. Near the head it is the same object for all streams at this position.
     *
     * @param renderer the same one in each call
     * @return a piece that the caller must leave; empty at most at the head
     * @throws service.core.error.ServiceException CHANGE_FEED_GAP; NOT_FOUND when the branch was deleted
     * @throws NoWaiting.WouldWaitException when the piece takes long to render, on a thread that must not wait; the
     *     stream is where it was
     */
    public SharedPage next(Caller caller, Renderer renderer) {
        try (GraphSession session = storage.session()) {
            FeedToken.Place from = walk.place();
            Branch now = session.branch(branch);
            if (now == null || now.incarnation() != from.incarnation()) {
                throw ServiceException.notFound(Reason.BRANCH, "branch `" + branch + "` was deleted");
            }
            headOffset = now.headOffset();
            long last = now.historyLength() - 1;
            long blocks = last - from.sequence();
            SharedPage piece = blocks <= 0 || blocks > FeedPoll.SHARED_BLOCKS_MAX
                    ? render(session, last, renderer)
                    : feed.pages()
                            .get(
                                    new SharedPages.Key(
                                            feed,
                                            from,
                                            walk.mark(),
                                            last,
                                            true,
                                            walk.filter(),
                                            session.reclaimedRevision(),
                                            SharedPages.Bounds.ofEvents(renderer.part(), settings, renderer.int64())),
                                    caller,
                                    () -> render(session, last, renderer));
            walk.moveTo(piece.end());
            renderer.continueAfter(piece.end().part());
            caughtUp = piece.end().atCut();
            hold.moveTo(piece.end().place().offset(), caughtUp);
            feed.lag(branch, last - piece.end().place().sequence());
            return piece;
        }
    }

    private SharedPage render(GraphSession session, long last, Renderer renderer) {
        SharedPage.End before = new SharedPage.End(walk.place(), walk.mark(), false, renderer.part());
        if (last - before.place().sequence() > FeedPoll.BRIEF_BLOCKS_MAX) {
            NoWaiting.giveUp();
        }
        boolean whole;
        try {
            whole = walk.run(session, last, renderer, new FeedWalk.Budget(settings));
        } catch (NoWaiting.WouldWaitException e) {
            walk.moveTo(before);
            var unused = renderer.take();
            renderer.continueAfter(before.part());
            throw e;
        }
        if (whole) {
            renderer.caughtUp(walk.cursor());
        }
        return new SharedPage(renderer.take(), new SharedPage.End(walk.place(), walk.mark(), whole, renderer.part()));
    }

    /** Lets cleanup take what the consumer has not read. Any thread. */
    @Override
    public void close() {
        hold.close();
    }

    /** Whether the last piece ended at the head. */
    public boolean isCaughtUp() {
        return caughtUp;
    }

    /** Completes when there are blocks after those that {@link #next} has passed. */
    public CompletableFuture<Boolean> news() {
        return feed.await(walk.place().incarnation(), headOffset);
    }
}
