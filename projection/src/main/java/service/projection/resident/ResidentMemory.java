package service.projection.resident;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import service.core.port.BlockGauges;

/**
 * The heap that the blocks of all graphs of a process may hold together. When it is full, a new block takes the place
 * of blocks that answer far fewer rows a second for each byte, if there are enough of those. Where all parts are read
 * alike and not all of them fit, the blocks that are there stay. Any thread.
 */
public final class ResidentMemory {
    /** Rows that the tables answer for a part before a block is made, unless the part has more entities. */
    private static final int ROWS_MIN = 20_000;

    /** How many times more rows a second, for each byte, a new block must promise than one that is dropped for it. */
    private static final double BETTER_MIN = 2;

    /** A process without blocks. */
    public static final ResidentMemory OFF = new ResidentMemory(0, ROWS_MIN);

    /** Held while a block is made, so that at most one processor makes blocks. */
    final Semaphore building = new Semaphore(1);

    private final long bytesMax;
    private final int rowsMin;
    private final Pace pace;
    private final LongSupplier clock;

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
        this(bytesMax, rowsMin, pace, System::nanoTime);
    }

    /** @param clock nanoseconds, as of {@link System#nanoTime} */
    ResidentMemory(long bytesMax, int rowsMin, Pace pace, LongSupplier clock) {
        this.bytesMax = bytesMax;
        this.rowsMin = rowsMin;
        this.pace = pace;
        this.clock = clock;
    }

    long now() {
        return clock.getAsLong();
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
        kept.usage().add(rows);
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

    /**
     * Makes room for a block; false when there is none.
     *
     * @param perSecond rows that the block would answer
     */
    synchronized boolean reserve(long bytes, double perSecond) {
        if (bytes > bytesMax) {
            return false;
        }
        if (bytesMax - reserved < bytes && !evict(bytes - (bytesMax - reserved), perSecond / bytes)) {
            return false;
        }
        reserved += bytes;
        return true;
    }

    /**
     * Makes room for a block that does more than one that it will replace. That one goes at once where both have no
     * room: while it is read often it would never make way.
     */
    synchronized boolean reserve(long bytes, double perSecond, Kept replaced) {
        if (reserve(bytes, perSecond)) {
            return true;
        }
        ResidentBlocks graph = all.get(replaced);
        if (graph == null || bytesMax - reserved + replaced.bytes() < bytes) {
            return false;
        }
        graph.drop(replaced);
        return reserve(bytes, perSecond);
    }

    /**
     * Drops blocks of less use until so many bytes are free, or none.
     *
     * @param benefit rows a second for each byte
     */
    private boolean evict(long bytes, double benefit) {
        record Candidate(Kept kept, double benefit) {}
        long now = now();
        List<Candidate> candidates = new ArrayList<>();
        long evictable = 0;
        for (Kept kept : all.keySet()) {
            double its = kept.usage().perSecond(now) / kept.bytes();
            if (its * BETTER_MIN < benefit) {
                candidates.add(new Candidate(kept, its));
                evictable += kept.bytes();
            }
        }
        if (evictable < bytes) {
            return false;
        }
        candidates.sort(Comparator.comparingDouble(Candidate::benefit));
        long freed = 0;
        for (int i = 0; freed < bytes; i++) {
            Kept victim = candidates.get(i).kept();
            freed += victim.bytes();
            Objects.requireNonNull(all.get(victim)).drop(victim);
        }
        return true;
    }

    /**
     * Drops every block; reads go to the tables until new ones are made.
     *
     * @return the bytes that they held
     */
    public synchronized long dropAll() {
        long before = reserved;
        for (Map.Entry<Kept, ResidentBlocks> block : List.copyOf(all.entrySet())) {
            block.getValue().drop(block.getKey());
        }
        return before - reserved;
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
