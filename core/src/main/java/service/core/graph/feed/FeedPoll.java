package service.core.graph.feed;

import org.jspecify.annotations.Nullable;
import service.core.budget.NoWaiting;
import service.core.graph.request.Settings;
import service.core.policy.Caller;
import service.core.port.GraphSession;

/**
 * A poll of a feed whose position, filters and end are fixed. It holds a read transaction: read its page soon and close
 * it. One thread.
 */
public final class FeedPoll implements AutoCloseable {
    /** A page that begins at most this number of blocks before the end of its poll is shared. */
    private static final int SHARED_BLOCKS_MAX = 256;

    /** The blocks that a thread which must not wait reads at the most. */
    private static final int BRIEF_BLOCKS_MAX = 8;

    private final ChangeFeed feed;
    private final GraphSession session;
    private final Caller caller;
    private final ChangeFeed.Resolved resolved;
    private final Settings settings;

    FeedPoll(ChangeFeed feed, GraphSession session, Caller caller, ChangeFeed.Resolved resolved, Settings settings) {
        this.feed = feed;
        this.session = session;
        this.caller = caller;
        this.resolved = resolved;
        this.settings = settings;
    }

    /** Whether no block is due. */
    public boolean isEmpty() {
        return blocks() <= 0;
    }

    private long blocks() {
        return resolved.cut() - resolved.place().sequence();
    }

    /** The end of a poll for which no block is due. */
    public FeedOutcome emptyOutcome() {
        String given = resolved.cursor();
        feed.read(resolved, resolved.place().sequence());
        return end(null, given == null ? walk().cursor() : given);
    }

    /**
     * Makes the page. One near the end of the poll is the same object for all consumers with this position, these
     * filters and limits, and the same view of branches; the first of them renders it.
     *
     * @return a page that the caller must leave; it has no blocks where the caller gets none of those that are due
     * @throws service.core.error.ServiceException CHANGE_FEED_GAP
     * @throws NoWaiting.WouldWaitException when the page takes long to make, on a thread that must not wait; the sink
     *     is as before
     */
    public SharedPage page(FeedSink sink) {
        boolean shared = !isEmpty() && blocks() <= SHARED_BLOCKS_MAX;
        SharedPage page = shared ? feed.pages().get(key(sink), caller, () -> render(sink, true)) : render(sink, false);
        feed.read(resolved, page.end().place().sequence());
        return page;
    }

    private SharedPages.Key key(FeedSink sink) {
        return new SharedPages.Key(
                feed,
                resolved.place(),
                resolved.mark(),
                resolved.cut(),
                resolved.caughtUp(),
                resolved.filter(),
                session.reclaimedRevision(),
                new SharedPages.Bounds(
                        sink.changesMax(), sink.part(), settings.timeoutMillis(), settings.workLimit(), sink.int64()));
    }

    private SharedPage render(FeedSink sink, boolean shared) {
        FeedSink.Part before = sink.part();
        if (blocks() > BRIEF_BLOCKS_MAX) {
            NoWaiting.giveUp();
        }
        FeedWalk walk = walk();
        ShownBlocks blocks = ShownBlocks.of(
                session, resolved.branch(), caller, resolved.place().offset());
        boolean whole;
        try {
            whole = walk.run(session, resolved.cut(), blocks, sink, new FeedWalk.Budget(settings));
        } catch (NoWaiting.WouldWaitException e) {
            sink.continueAfter(before);
            throw e;
        }
        FeedSink.Part part = sink.part();
        return new SharedPage(
                sink.take(end(walk, whole), shared).besides(blocks.asked()),
                new SharedPage.End(walk.place(), walk.mark(), whole, part));
    }

    private FeedWalk walk() {
        return new FeedWalk(feed.tokens(), resolved.place(), resolved.mark(), resolved.filter());
    }

    private FeedOutcome end(FeedWalk walk, boolean whole) {
        return whole
                ? end(null, walk.cursor())
                : end(
                        feed.tokens()
                                .page(new FeedToken.Page(walk.place(), resolved.cut(), walk.mark(), resolved.filter())),
                        null);
    }

    private FeedOutcome end(@Nullable String nextPage, @Nullable String cursor) {
        return new FeedOutcome(
                nextPage,
                cursor,
                nextPage == null && resolved.caughtUp(),
                resolved.branch().incarnation(),
                resolved.branch().headOffset());
    }

    @Override
    public void close() {
        session.close();
    }
}
