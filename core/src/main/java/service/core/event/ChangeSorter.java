package service.core.event;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;
import service.core.budget.RequestBudget;
import service.core.value.EntityKind;

/**
 * Sorts changes that are added in any order, with several changes of one entity allowed, into the order of an event. An
 * external merge sort: runs of up to {@link #RUN_BYTES} are sorted on the heap and spilled; {@link #merge} reads them
 * together. A set that fits into one run is not spilled.
 *
 * <p>Changes of one entity are folded in the order in which they were added: the first gives the image before, the last
 * the image after. One thread; close it when the result has been written.
 *
 * <p>A run takes at most a {@link #POOL_SHARE}th of the memory pool, so that several sorts fit into a small heap at the
 * same time.
 */
public final class ChangeSorter implements AutoCloseable {
    /** Receives each entity once, in the order of an event. */
    @FunctionalInterface
    public interface Visitor {
        /**
         * Takes an entity.
         *
         * @param first its first change; valid during the call
         * @param last its last change, which may be the first; valid during the call
         */
        void entity(ChangeReader first, ChangeReader last);
    }

    static final int RUN_BYTES = 8 << 20;
    private static final int RUN_BYTES_MIN = 256 << 10;
    private static final int POOL_SHARE = 32;
    private static final long BYTES_PER_INDEX = 24;

    private final RequestBudget budget;
    private final int runBytes;
    private final List<ChangeBlock> runs = new ArrayList<>();
    private final ChangeBytes bytes;
    private int[] starts = new int[64];
    private int count;
    private long added;

    public ChangeSorter(RequestBudget budget) {
        this(budget, Math.clamp(budget.memory().poolBytesMax() / POOL_SHARE, RUN_BYTES_MIN, RUN_BYTES));
    }

    ChangeSorter(RequestBudget budget, int runBytes) {
        this.budget = budget;
        this.runBytes = runBytes;
        this.bytes = new ChangeBytes(budget, runBytes);
    }

    /** The number of changes added. */
    public long added() {
        return added;
    }

    /** Adds the current change of a reader. */
    public void add(ChangeReader change) {
        makeRoom();
        added(bytes.put(change));
    }

    /** Adds a change. A null image means that the entity does not exist in that state. */
    public void add(EntityKind kind, int type, String id, @Nullable Image before, @Nullable Image after) {
        makeRoom();
        added(bytes.put(kind, type, ChangeBytes.utf8(id), before, after));
    }

    private void makeRoom() {
        if (bytes.length() >= runBytes) {
            spill();
        }
    }

    private void added(int start) {
        if (count == starts.length) {
            // Includes the boxed index that sorts the change.
            bytes.charge(BYTES_PER_INDEX * count);
            starts = Arrays.copyOf(starts, count * 2);
        }
        starts[count++] = start;
        added++;
    }

    private void spill() {
        ChangeBlockWriter run = ChangeBlockWriter.ofRun(budget);
        fold(run::addFolded);
        runs.add(run.finish());
        bytes.clear();
        count = 0;
    }

    /** Passes on the changes in the buffer, sorted and folded. */
    private void fold(Visitor visitor) {
        Integer[] order = new Integer[count];
        for (int i = 0; i < count; i++) {
            order[i] = i;
        }
        ChangeReader left = reader();
        ChangeReader right = reader();
        // The sort is stable: changes of one entity stay in the order in which they were added.
        Arrays.sort(order, (a, b) -> {
            left.moveTo(starts[a], 0);
            right.moveTo(starts[b], 0);
            return compare(left, right);
        });
        int from = 0;
        while (from < count) {
            left.moveTo(starts[order[from]], 0);
            int to = from + 1;
            while (to < count) {
                right.moveTo(starts[order[to]], 0);
                if (compare(left, right) != 0) {
                    break;
                }
                to++;
            }
            if (to - from == 1) {
                visitor.entity(left, left);
            } else {
                right.moveTo(starts[order[to - 1]], 0);
                visitor.entity(left, right);
            }
            from = to;
        }
    }

    private ChangeReader reader() {
        ChangeReader reader = new ChangeReader();
        reader.wrap(bytes.buffer(), 0, bytes.length(), count, -1);
        return reader;
    }

    private static int compare(ChangeReader left, ChangeReader right) {
        if (left.isEdge() != right.isEdge()) {
            return left.isEdge() ? 1 : -1;
        }
        if (left.type() != right.type()) {
            return Integer.compare(left.type(), right.type());
        }
        return ChangeBlock.compare(
                left.buffer(),
                left.idPosition(),
                left.idLength(),
                right.buffer(),
                right.idPosition(),
                right.idLength());
    }

    /** The position of the merge in one run. */
    private record Place(int run, ChangeReader reader) {}

    /** Passes on every entity once, in order. No changes may be added afterwards. */
    public void merge(Visitor visitor) {
        if (runs.isEmpty()) {
            fold(visitor);
            return;
        }
        if (count > 0) {
            spill();
        }
        bytes.free();
        PriorityQueue<Place> places = new PriorityQueue<>((a, b) -> {
            int order = compare(a.reader, b.reader);
            return order != 0 ? order : Integer.compare(a.run, b.run);
        });
        for (int run = 0; run < runs.size(); run++) {
            Place place = new Place(run, runs.get(run).reader());
            if (place.reader.next()) {
                places.add(place);
            }
        }
        List<Place> same = new ArrayList<>();
        Place first = places.poll();
        while (first != null) {
            same.clear();
            Place last = first;
            Place next = places.peek();
            while (next != null && compare(first.reader, next.reader) == 0) {
                last = places.remove();
                same.add(last);
                next = places.peek();
            }
            visitor.entity(first.reader, last.reader);
            same.add(first);
            for (Place place : same) {
                if (place.reader.next()) {
                    places.add(place);
                }
            }
            first = places.poll();
        }
    }

    /** Releases the runs and the memory before the request ends. */
    @Override
    public void close() {
        bytes.free();
        runs.forEach(ChangeBlock::close);
    }
}
