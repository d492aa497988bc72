package service.projection.resident;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import service.core.batch.Column;
import service.core.batch.EntityColumn;
import service.core.port.GraphView;

/**
 * Scans the entities of a type by a bitmap. Its rows have no handles. The first batch is short: when the reader reads a
 * property of it from the tables, the scan continues in the tables, which find handles faster than single look-ups.
 */
final class LiveScan implements GraphView.Scan {
    private static final int FIRST = 16;

    private final ResidentView view;
    private final int type;
    private final Kept kept;
    private final Block.Live live;
    private GraphView.@Nullable Scan tail;
    private int at;
    private int batchMax = FIRST;

    LiveScan(ResidentView view, int type, Kept kept, Block.Live live) {
        this.view = view;
        this.type = type;
        this.kept = kept;
        this.live = live;
    }

    @SuppressWarnings("MustBeClosedChecker") // closed by close()
    @Override
    public int next(EntityColumn into) {
        if (tail == null && at < kept.dirty().bound() && !view.readsRecords(type)) {
            int size = fill(into);
            batchMax = Column.CAPACITY;
            if (size > 0) {
                view.hit(kept, size);
                return size;
            }
        }
        if (tail == null) {
            tail = view.tableScan(type, at);
        }
        int size = tail.next(into);
        if (at >= kept.dirty().bound()) {
            view.missed(Part.Kind.LIVE, type, 0, type, size);
        }
        return size;
    }

    private int fill(EntityColumn into) {
        int bound = kept.dirty().bound();
        into.reset(Math.min(batchMax, bound - at));
        int size = 0;
        while (size < batchMax && at < bound) {
            long dirty = kept.dirty().word(at >>> 6);
            long bits = (live.words()[at >>> 6] | dirty) & -1L << at;
            int base = at & -Long.SIZE;
            at = base + Long.SIZE;
            if (bits == -1L && dirty == 0 && batchMax - size >= Long.SIZE) {
                for (int i = 0; i < Long.SIZE; i++) {
                    into.ordinals[size + i] = base + i;
                }
                size += Long.SIZE;
                continue;
            }
            while (bits != 0) {
                int ordinal = base + Long.numberOfTrailingZeros(bits);
                if (size == batchMax) {
                    at = ordinal;
                    break;
                }
                long bit = bits & -bits;
                if ((dirty & bit) == 0 || view.isLive(type, ordinal)) {
                    into.ordinals[size++] = ordinal;
                }
                bits ^= bit;
            }
        }
        at = Math.min(at, bound);
        Arrays.fill(into.types, 0, size, type);
        Arrays.fill(into.records, 0, size, EntityColumn.NO_RECORD);
        return size;
    }

    @Override
    public void close() {
        if (tail != null) {
            tail.close();
        }
    }
}
