package service.core.graph.feed;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import service.core.budget.NoWaiting;
import service.core.graph.request.Settings;
import service.core.json.Int64Form;
import service.core.policy.Caller;
import service.core.port.GraphSession;

/**
 * A poll of a feed whose position, filters and end are fixed. It holds a read transaction: read its page soon and close
 * it. One thread.
 */
public final class FeedPoll implements AutoCloseable {
    /** A page that begins at most this number of blocks before the end of its poll may be shared. */
    static final int SHARED_BLOCKS_MAX = 256;

    /** The blocks that a thread which must not wait reads at the most. */
    static final int BRIEF_BLOCKS_MAX = 8;

    private final ChangeFeed feed;
    private final GraphSession session;
    private final FeedRequest request;
    private final ChangeFeed.Resolved resolved;

    /** The end of the page that {@link #read} has passed on. */
    private SharedPage.End end;

    FeedPoll(ChangeFeed feed, GraphSession session, FeedRequest request, ChangeFeed.Resolved resolved) {
        this.feed = feed;
        this.session = session;
        this.request = request;
        this.resolved = resolved;
        this.end = new SharedPage.End(resolved.place(), resolved.mark(), false, FeedStream.Part.NONE);
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
        String given = request.cursor();
        String cursor = given == null ? feed.tokens().cursor(resolved.place(), resolved.filter()) : given;
        feed.read(resolved, resolved.place().sequence());
        return outcome(null, cursor);
    }

    /**
     * Passes on the page.
     *
     * @throws service.core.error.ServiceException CHANGE_FEED_GAP
     * @throws NoWaiting.WouldWaitException when many blocks are due, on a thread that must not wait
     */
    public FeedOutcome read(BlockSink sink) {
        if (blocks() > BRIEF_BLOCKS_MAX) {
            NoWaiting.giveUp();
        }
        FeedWalk walk = new FeedWalk(feed.tokens(), resolved.place(), resolved.mark(), resolved.filter());
        boolean whole = walk.run(session, resolved.cut(), sink, new FeedWalk.Budget(request.settings()));
        end = new SharedPage.End(walk.place(), walk.mark(), whole, FeedStream.Part.NONE);
        feed.read(resolved, end.place().sequence());
        return whole
                ? outcome(null, walk.cursor())
                : outcome(
                        feed.tokens()
                                .page(new FeedToken.Page(walk.place(), resolved.cut(), walk.mark(), resolved.filter())),
                        null);
    }

    private FeedOutcome outcome(@Nullable String nextPage, @Nullable String cursor) {
        return new FeedOutcome(
                nextPage,
                cursor,
                nextPage == null && resolved.caughtUp(),
                resolved.branch().incarnation(),
                resolved.branch().headOffset());
    }

    /** Whether other consumers probably read the same page, because it has the newest blocks. */
    public boolean isShared() {
        return blocks() <= SHARED_BLOCKS_MAX;
    }

    /**
     * The same page as for another consumer with this position, these filters and limits, and the same view of names;
     * the first of them renders it.
     *
     * @param limit the number of changes of a page
     * @param int64 how values of 64 bits are written
     * @param render calls {@link #read}
     * @return a page that the caller must leave
     */
    public SharedPage shared(Caller caller, int limit, Int64Form int64, Supplier<SharedPage.Content> render) {
        Settings settings = request.settings();
        SharedPage page = feed.pages()
                .get(
                        new SharedPages.Key(
                                feed,
                                resolved.place(),
                                resolved.mark(),
                                resolved.cut(),
                                resolved.caughtUp(),
                                resolved.filter(),
                                session.reclaimedRevision(),
                                SharedPages.Bounds.ofPage(limit, settings, int64)),
                        caller,
                        () -> new SharedPage(render.get(), end));
        feed.read(resolved, page.end().place().sequence());
        return page;
    }

    @Override
    public void close() {
        session.close();
    }
}
