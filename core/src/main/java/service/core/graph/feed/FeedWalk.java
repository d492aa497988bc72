package service.core.graph.feed;

import org.jspecify.annotations.Nullable;
import service.core.budget.NoWaiting;
import service.core.error.ErrorCode;
import service.core.error.ErrorDetail;
import service.core.error.ServiceException;
import service.core.event.ChangeReader;
import service.core.event.CommitReader;
import service.core.graph.request.Settings;
import service.core.port.CommitPosition;
import service.core.port.GraphSession;
import service.core.schema.Catalog;
import service.core.value.Ulid;

/**
 * A walk along a branch's first-parent history, from a position to a cut. It can stop anywhere and continue in another
 * session. It reads commits and their changes in place from the log. One thread at a time.
 */
final class FeedWalk {
    /** Blocks and changes between two reads of the clock. */
    private static final int STEPS_BETWEEN_LOOKS = 512;

    /** The length of an event that a thread which must not wait reads at the most. */
    private static final int BRIEF_EVENT_BYTES = 8 << 10;

    /** The number of commits of the history that are read in one look-up. */
    private static final int OFFSETS_MAX = 256;

    private final FeedToken tokens;
    private final FeedFilter filter;
    private final int incarnation;
    private long sequence;
    private long offset;
    private long idHigh;
    private long idLow;
    private long mark;
    private @Nullable Catalog catalog;

    /** The cursor after the commit of this sequence, which was made for its block. */
    private @Nullable String made;

    private long madeSequence;

    FeedWalk(FeedToken tokens, FeedToken.Place place, long mark, FeedFilter filter) {
        this.tokens = tokens;
        this.mark = mark;
        this.filter = filter;
        incarnation = place.incarnation();
        sequence = place.sequence();
        offset = place.offset();
        idHigh = place.commit().high();
        idLow = place.commit().low();
    }

    /** The position after the last block that was passed on completely. */
    FeedToken.Place place() {
        return new FeedToken.Place(incarnation, sequence, offset, new Ulid(idHigh, idLow));
    }

    /** The mark in the next block up to which its changes were passed on; 0 at its beginning. */
    long mark() {
        return mark;
    }

    String cursor() {
        String known = made;
        return known != null && madeSequence == sequence ? known : tokens.cursor(place(), filter);
    }

    /** The work that one run may do; a run ends early, but not before it has made progress. */
    static final class Budget {
        private final long deadlineNanos;
        private long work;
        private int stepsToLook;

        Budget(Settings settings) {
            deadlineNanos = System.nanoTime() + settings.timeoutMillis() * 1_000_000L / 2;
            work = settings.workLimit();
        }

        /** Takes one change off the budget; true when the budget or the time was used up before. */
        private boolean spend() {
            return --work < 0 || isLate();
        }

        private boolean isOver() {
            return work < 0 || isLate();
        }

        private boolean isLate() {
            if (--stepsToLook > 0) {
                return false;
            }
            boolean late = System.nanoTime() - deadlineNanos > 0;
            stepsToLook = late ? 0 : STEPS_BETWEEN_LOOKS;
            return late;
        }
    }

    /**
     * Passes on blocks until the cut is reached, the sink is full, or the budget is used up. Passes over those that the
     * caller does not get.
     *
     * @param cut sequence of the last block
     * @return whether the cut is reached
     * @throws ServiceException CHANGE_FEED_GAP when cleanup has removed the first due block; blocks before a gap are
     *     passed on first
     */
    boolean run(GraphSession session, long cut, ShownBlocks shown, BlockSink sink, Budget budget) {
        long began = sequence;
        long[] offsets = new long[0];
        int at = 0;
        while (sequence < cut) {
            if (at == offsets.length) {
                offsets = new long[(int) Math.min(OFFSETS_MAX, cut - sequence)];
                session.history(incarnation, sequence + 1, offsets);
                at = 0;
            }
            CommitReader commit = session.commit(offsets[at++], mark);
            boolean cameOn = sequence != began;
            if (commit.bringsSchema()) {
                catalog = null;
            }
            if (!shown.shows(commit)) {
                if (budget.spend() && cameOn) {
                    return false;
                }
                moveTo(commit);
                continue;
            }
            if (session.isReclaimed(commit.incarnation(), commit.offset())) {
                if (cameOn) {
                    return false;
                }
                throw gap(commit);
            }
            if ((cameOn && budget.isOver())
                    || !sink.begin(commit, brought(session, commit), () -> cursorAfter(commit))
                    || !changes(session, commit, sink, budget)) {
                return false;
            }
            sink.end();
            moveTo(commit);
        }
        return true;
    }

    private void moveTo(CommitReader commit) {
        sequence++;
        offset = commit.offset();
        idHigh = commit.idHigh();
        idLow = commit.idLow();
        mark = 0;
    }

    private String cursorAfter(CommitReader commit) {
        Ulid id = new Ulid(commit.idHigh(), commit.idLow());
        String cursor = tokens.cursor(new FeedToken.Place(incarnation, sequence + 1, commit.offset(), id), filter);
        made = cursor;
        madeSequence = sequence + 1;
        return cursor;
    }

    /**
     * Passes on one commit only.
     *
     * @return whether it was passed on completely
     */
    boolean single(GraphSession session, long commitOffset, BlockSink sink, Budget budget) {
        CommitReader commit = session.commit(commitOffset, mark);
        if (!sink.begin(commit, brought(session, commit), () -> "") || !changes(session, commit, sink, budget)) {
            return false;
        }
        sink.end();
        return true;
    }

    /** Whether all changes of the commit were passed on, or dropped by the filter. */
    private boolean changes(GraphSession session, CommitReader commit, BlockSink sink, Budget budget) {
        if (!commit.hasChanges()) {
            return true;
        }
        if (commit.buffer().capacity() > BRIEF_EVENT_BYTES) {
            NoWaiting.giveUp();
        }
        Catalog at = catalog(session, commit);
        ChangeReader reader = commit.changes();
        long after = reader.mark();
        boolean cameOn = false;
        while (reader.next()) {
            if ((budget.spend() && cameOn) || (filter.accepts(reader) && !sink.change(at, reader))) {
                mark = cameOn ? after : mark;
                return false;
            }
            after = reader.mark();
            cameOn = true;
        }
        return true;
    }

    /** The schema that a commit brings, at the beginning of its block. */
    private @Nullable Catalog brought(GraphSession session, CommitReader commit) {
        if (mark != 0 || !commit.bringsSchema()) {
            return null;
        }
        NoWaiting.giveUp();
        return catalog(session, commit);
    }

    /** Only a schema commit changes the schema; another branch has the schema of its fork. */
    private Catalog catalog(GraphSession session, CommitReader commit) {
        Catalog known = catalog;
        if (known == null) {
            known = session.catalog(new CommitPosition(commit.offset(), commit.incarnation()).point());
            catalog = known;
        }
        return known;
    }

    private ServiceException gap(CommitReader next) {
        String id = new Ulid(next.idHigh(), next.idLow()).toString();
        return gap("cleanup has reclaimed commit `" + id + "`, which comes next", sequence < 0 ? null : cursor(), id);
    }

    static ServiceException gap(String why, @Nullable String cursor, String firstUnreadable) {
        return new ServiceException(
                ErrorCode.CHANGE_FEED_GAP,
                why + "; take a new baseline (POST …/changes/baseline) and continue from its cursor",
                new ErrorDetail.ChangeFeedGap(cursor, firstUnreadable));
    }
}
