package service.projection.resident;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.LongAdder;
import service.core.port.BlockGauges;

/**
 * The heap that the blocks of all graphs of a process may hold together. When it is full, a new block takes the place
 * of blocks that answer fewer rows for each byte, if there are enough of those. Any thread.
 */
public final class ResidentMemory {
    /** Rows that the tables answer for a part before a block is made, unless the part has more entities. */
    private static final int ROWS_MIN = 20_000;

    /** A process without blocks. */
    public static final ResidentMemory OFF = new ResidentMemory(0, ROWS_MIN);

    /** Held while a block is made, so that at most one processor makes blocks. */
    final Semaphore building = new Semaphore(1);

    private final long bytesMax;
    private final int rowsMin;
    private final Pace pace;

    /** The graph of each block. */
    private final IdentityHashMap<Kept, ResidentBlocks> all = new IdentityHashMap<>();

    private long reserved;
    private long made;
    private final LongAdder fromBlocks = new LongAdder();
    private final LongAdder fromTables = new LongAdder();

    public ResidentMemory(long bytesMax) {
        this(bytesMax, ROWS_MIN);
    }

    /**
     * Makes one.
     *
     * @param rowsMin rows that the tables answer for a part before a block is made
     */
    public ResidentMemory(long bytesMax, int rowsMin) {
        this(bytesMax, rowsMin, Pace.STANDARD);
    }

    ResidentMemory(long bytesMax, int rowsMin, Pace pace) {
        this.bytesMax = bytesMax;
        this.rowsMin = rowsMin;
        this.pace = pace;
    }

    public synchronized BlockGauges gauges() {
        long dirty = 0;
        long ordinals = 0;
        for (Kept kept : all.keySet()) {
            dirty += kept.dirty().marked();
            ordinals += kept.dirty().bound();
        }
        return new BlockGauges(
                reserved, bytesMax, all.size(), made, dirty, ordinals, fromBlocks.sum(), fromTables.sum());
    }

    void hit(Kept kept, int rows) {
        kept.rows().add(rows);
        fromBlocks.add(rows);
    }

    void missed(int rows) {
        fromTables.add(rows);
    }

    Pace pace() {
        return pace;
    }

    boolean isOff() {
        return bytesMax == 0;
    }

    /** The rows that the tables answer before a block of so many entities is made. */
    long rowsBefore(int entities) {
        return rowsMin == 0 ? 0 : Math.max(rowsMin, entities);
    }

    /** Makes room for a block that would have answered so many rows; false when there is none. */
    synchronized boolean reserve(long bytes, long rows) {
        if (bytes > bytesMax) {
            return false;
        }
        List<Kept> victims = new ArrayList<>();
        long free = bytesMax - reserved;
        List<Kept> byBenefit = new ArrayList<>(all.keySet());
        byBenefit.sort((a, b) -> Double.compare(benefit(a), benefit(b)));
        for (Kept kept : byBenefit) {
            if (free >= bytes) {
                break;
            }
            if (benefit(kept) * bytes >= rows) {
                break;
            }
            victims.add(kept);
            free += kept.bytes();
        }
        // Benefits count from here on, so that blocks that are no longer read can be dropped.
        all.keySet().forEach(kept -> kept.rows().reset());
        if (free < bytes) {
            return false;
        }
        victims.forEach(kept -> Objects.requireNonNull(all.get(kept)).drop(kept));
        reserved += bytes;
        return true;
    }

    private static double benefit(Kept kept) {
        return (double) kept.rows().sum() / kept.bytes();
    }

    /** Replaces a reservation by the block that was made. */
    synchronized void keep(long reservedBytes, Kept kept, ResidentBlocks graph) {
        reserved += kept.bytes() - reservedBytes;
        made++;
        all.put(kept, graph);
    }

    synchronized void release(long bytes) {
        reserved -= bytes;
    }

    /** Gives back the memory of a block, if it has not been given back. */
    synchronized void forget(Kept kept) {
        if (all.remove(kept) != null) {
            reserved -= kept.bytes();
        }
    }
}
