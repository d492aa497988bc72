package service.projection.retain;

import java.util.ArrayList;
import java.util.List;
import service.log.lmdb.KeyBuffer;
import service.log.retain.Retention;
import service.projection.table.ArrivalTable;
import service.projection.table.ProjectionTable;
import service.projection.table.TableAccess;

/**
 * Deletes arrivals that no readable state needs: those of {@code main} that neither a readable state nor the index has
 * after it, and those of other branches that no readable state of the branch has before it. Writer thread.
 */
public final class ArrivalSweep {
    private static final int PIECE = 2_000;

    /** An index that is further behind is rebuilt. */
    private static final long BEHIND_MAX = 1_000_000;

    private record Entry(int incarnation, long offset, int type, int ordinal) {}

    private final Retention retention;
    private final long indexed;
    private int incarnation;
    private boolean isDone;

    /** @param indexed the offset of the index on disk; −1 without one, which needs none */
    public ArrivalSweep(Retention retention, long indexed) {
        this.retention = retention;
        this.indexed = indexed;
    }

    /** Whether another call of {@link #delete} may find some. */
    public boolean hasMore() {
        return !isDone;
    }

    /**
     * Deletes some.
     *
     * @param nanosMax time after which it stops, checked after each entry
     * @return how many
     */
    public int delete(TableAccess access, long nanosMax) {
        long end = System.nanoTime() + nanosMax;
        int next = ArrivalTable.nextIncarnation(access, incarnation);
        if (next < 0) {
            isDone = true;
            return 0;
        }
        incarnation = next;
        List<Entry> entries = new ArrayList<>();
        ArrivalTable.State state = ArrivalTable.state(access);
        long through = state == null ? -1 : state.through();
        if (next == 0 || !retention.isNeeded(next, Long.MAX_VALUE - 1, Long.MAX_VALUE)) {
            ArrivalTable.walk(access, next, -1, Long.MAX_VALUE, (offset, type, ordinal) -> {
                boolean isNeeded = needed(next, offset, through);
                if (!isNeeded) {
                    entries.add(new Entry(next, offset, type, ordinal));
                }
                // On main all later ones are needed, too.
                return entries.size() < PIECE && (next != 0 || !isNeeded);
            });
        }
        if (entries.isEmpty()) {
            incarnation++;
            return 0;
        }
        if (next == 0) {
            ArrivalTable.cut(access, entries.getLast().offset());
        }
        int done = 0;
        for (Entry entry : entries) {
            KeyBuffer key = access.key();
            ArrivalTable.key(key, entry.incarnation, entry.offset, entry.type, entry.ordinal);
            access.delete(ProjectionTable.ARRIVALS, key);
            done++;
            if (System.nanoTime() >= end) {
                break;
            }
        }
        return done;
    }

    private boolean needed(int of, long offset, long through) {
        if (of != 0) {
            return retention.isNeeded(of, offset, Long.MAX_VALUE);
        }
        return (indexed >= 0 && offset > indexed && through - indexed <= BEHIND_MAX)
                || retention.isNeeded(0, 0, offset);
    }
}
