package service.core.graph;

import org.jspecify.annotations.Nullable;
import service.core.error.ErrorCode;
import service.core.error.ErrorDetail;
import service.core.error.ServiceException;
import service.core.event.ChangeReader;
import service.core.event.CommitHeader;
import service.core.event.CommitKind;
import service.core.port.CommitPosition;
import service.core.port.GraphSession;
import service.core.schema.Catalog;

/**
 * A walk along a branch's first-parent history, from a place to a cut, that can stop anywhere and
 * go on in another session. Served from the log's offsets: a header is decoded for each block,
 * changes are handed on where they lie. One thread at a time.
 */
final class FeedWalk {
    /** How often a long commit looks at the clock. */
    private static final int CHANGES_BETWEEN_LOOKS = 512;

    private final FeedToken tokens;
    private final FeedFilter filter;
    private FeedToken.Place place;
    private long mark;
    private @Nullable Catalog catalog;

    FeedWalk(FeedToken tokens, FeedToken.Place place, long mark, FeedFilter filter) {
        this.tokens = tokens;
        this.place = place;
        this.mark = mark;
        this.filter = filter;
    }

    /** Behind the last block that was taken whole. */
    FeedToken.Place place() {
        return place;
    }

    /** How far the block behind the place was taken; 0 at its beginning. */
    long mark() {
        return mark;
    }

    String cursor() {
        return tokens.cursor(place, filter);
    }

    /** How much one run may do; it stops early, but not before it has come on. */
    static final class Budget {
        private final long deadlineNanos;
        private long work;

        Budget(Settings settings) {
            deadlineNanos = System.nanoTime() + settings.timeoutMillis() * 1_000_000L / 2;
            work = settings.workLimit();
        }

        private boolean spent() {
            return --work < 0
                    || (work % CHANGES_BETWEEN_LOOKS == 0 && System.nanoTime() - deadlineNanos > 0);
        }

        private boolean isOver() {
            return work < 0 || System.nanoTime() - deadlineNanos > 0;
        }
    }

    /**
     * Hands on blocks until the cut is reached, the sink is full, or the budget spent.
     *
     * @param cut sequence of the last block
     * @return whether the cut is reached
     * @throws ServiceException CHANGE_FEED_GAP when cleanup has taken the first block that is due;
     *     blocks before a gap are handed on first
     */
    boolean run(GraphSession session, long cut, BlockSink sink, Budget budget) {
        FeedToken.Place began = place;
        while (place.sequence() < cut) {
            long offset = session.history(place.incarnation(), place.sequence() + 1);
            CommitHeader header = session.header(offset);
            if (session.isReclaimed(header.incarnation(), offset)) {
                if (place.equals(began)) {
                    throw gap(header);
                }
                return false;
            }
            FeedToken.Place behind =
                    new FeedToken.Place(
                            place.incarnation(), place.sequence() + 1, offset, header.id());
            boolean cameOn = !place.equals(began);
            if ((cameOn && budget.isOver())
                    || !sink.begin(header, mark != 0, () -> tokens.cursor(behind, filter))
                    || !changes(session, header, sink, budget)) {
                return false;
            }
            sink.end();
            place = behind;
            mark = 0;
        }
        return true;
    }

    /**
     * Hands on one commit alone.
     *
     * @return whether it is whole now
     */
    boolean single(GraphSession session, CommitHeader header, BlockSink sink, Budget budget) {
        if (!sink.begin(header, mark != 0, () -> "") || !changes(session, header, sink, budget)) {
            return false;
        }
        sink.end();
        return true;
    }

    /** Whether all changes of the commit were handed on, or dropped by the filter. */
    private boolean changes(
            GraphSession session, CommitHeader header, BlockSink sink, Budget budget) {
        if (header.counts().nodes() + header.counts().edges() == 0) {
            return true;
        }
        Catalog at = catalog(session, header);
        ChangeReader reader = session.changes(header.offset(), mark);
        long behind = reader.mark();
        boolean cameOn = false;
        while (reader.next()) {
            if ((budget.spent() && cameOn)
                    || (filter.accepts(reader) && !sink.change(at, reader))) {
                mark = cameOn ? behind : mark;
                return false;
            }
            behind = reader.mark();
            cameOn = true;
        }
        return true;
    }

    /** Only a schema commit brings another schema: other branches carry that of their fork. */
    private Catalog catalog(GraphSession session, CommitHeader header) {
        Catalog known = catalog;
        if (known == null || header.kind() == CommitKind.SCHEMA) {
            known =
                    session.catalog(
                            new CommitPosition(header.offset(), header.incarnation()).point());
            catalog = known;
        }
        return known;
    }

    private ServiceException gap(CommitHeader next) {
        return gap(
                "cleanup has reclaimed commit `" + next.id() + "`, which comes next",
                place.sequence() < 0 ? null : cursor(),
                next.id().toString());
    }

    static ServiceException gap(String why, @Nullable String cursor, String firstUnreadable) {
        return new ServiceException(
                ErrorCode.CHANGE_FEED_GAP,
                why + "; take a new baseline (POST …/changes/baseline) and go on from its cursor",
                new ErrorDetail.ChangeFeedGap(cursor, firstUnreadable));
    }
}
