package service.projection.view;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import service.log.retain.Retention;
import service.projection.table.BranchTable;
import service.projection.table.HistoryTable;
import service.projection.table.Incarnation;
import service.projection.table.TableAccess;

/**
 * Finds the newest commit of a first-parent history that cleanup has reclaimed. Each incarnation has its own mark, and
 * a history has commits of several: of the branches that it was forked from, and of those that were fast-forwarded into
 * it. So an older commit may be kept while a newer one is reclaimed.
 *
 * <p>A history and that of another incarnation agree up to some place and nowhere after it. So the newest reclaimed
 * commit of each incarnation that the history contains costs two binary searches; most incarnations are ruled out by
 * their first own place.
 */
final class ReclaimedPlaces {
    private final TableAccess access;
    private final Retention retention;

    ReclaimedPlaces(TableAccess access, Retention retention) {
        this.access = access;
        this.retention = retention;
    }

    /** {@link service.core.port.GraphSession#lastReclaimed}. */
    long last(int incarnation, long sequence) {
        if (retention.isNone()) {
            return -1;
        }
        long last = -1;
        int marked = retention.marks().length;
        // Branches before those that they were forked from: most stretches that were fast-forwarded are ruled out then.
        for (int other = marked - 1; other >= 0; other--) {
            if (retention.mark(other) > 0) {
                last = Math.max(last, last(incarnation, sequence, other, last));
            }
        }
        return last;
    }

    /** {@link service.core.port.GraphSession#reclaimed}. */
    List<Long> newest() {
        List<Long> offsets = new ArrayList<>();
        for (int made = 0; made < retention.marks().length; made++) {
            long last = retention.mark(made) == 0 ? -1 : last(made, Long.MAX_VALUE, made, -1);
            if (last >= 0) {
                offsets.add(HistoryTable.offset(access, made, last));
            }
        }
        offsets.sort(Comparator.reverseOrder());
        return offsets;
    }

    /**
     * The last place up to one with a reclaimed commit that was made on an incarnation.
     *
     * @param above places up to this one are not looked for
     */
    private long last(int incarnation, long sequence, int made, long above) {
        Incarnation state = BranchTable.incarnation(access, made);
        if (state == null) {
            return -1;
        }
        long low = Math.max(state.forkSequence(), above + 1);
        long high = Math.min(sequence, state.historyLength() - 1);
        if (low > high || !agree(incarnation, made, low)) {
            return -1;
        }
        long mark = retention.mark(made);
        long first = low;
        while (low < high) {
            long middle = (low + high + 1) >>> 1;
            if (HistoryTable.offset(access, made, middle) < mark && agree(incarnation, made, middle)) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        // A stretch that was fast-forwarded was made on another incarnation, whose mark counts for it.
        while (low >= first && isForwarded(made, low)) {
            low = beginOfStretch(made, first, low) - 1;
        }
        return low >= first && HistoryTable.offset(access, made, low) < mark ? low : -1;
    }

    private boolean agree(int one, int other, long sequence) {
        return one == other
                || HistoryTable.offset(access, one, sequence) == HistoryTable.offset(access, other, sequence);
    }

    /** A commit that was made on the incarnation has put itself into the history. */
    private boolean isForwarded(int made, long sequence) {
        return HistoryTable.offset(access, made, sequence) != HistoryTable.movedOffset(access, made, sequence);
    }

    /** The first place that the fast-forward put into a history which put a given one there. */
    private long beginOfStretch(int made, long first, long sequence) {
        long moved = HistoryTable.movedOffset(access, made, sequence);
        return HistoryTable.firstMovedAt(access, made, moved, first, sequence);
    }
}
