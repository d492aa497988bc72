package service.projection.search.index;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import org.agrona.collections.IntHashSet;
import org.apache.lucene.util.BytesRef;
import org.jspecify.annotations.Nullable;
import service.projection.table.ArrivalTable;
import service.projection.table.TableAccess;
import service.projection.temporal.Chain;

/**
 * Where a view differs from indexes of its branches: the entities whose searched values were changed on {@code main}
 * between the offset of its index and that of the view, in either direction, and those that the branches of the view
 * have changed, without what an own index of a branch has. What a view finds is the documents that the indexes show, a
 * nearer branch before a farther one, and the entities that differ from its records.
 *
 * <p>It keeps what was learned about it, so searches of the same view share that. Any thread.
 */
final class Difference extends SearchMemory.Learned {
    /** More changes are not collected: reading all records costs no more. */
    private static final int TOUCHED_MAX = 100_000;

    private static final int[] NONE = new int[0];

    /** The object with its maps, and an entry of each of them with its arrays. */
    private static final long FIXED_BYTES = 2_048;

    private static final long FIELD_BYTES = 256;

    /** While it is made: twice a place in a hash set that is half full, and one in the array that is made of it. */
    private static final long COLLECTED_BYTES = 4L * Integer.BYTES + Integer.BYTES;

    /** Afterwards its ordinal. */
    private static final long TOUCHED_BYTES = Integer.BYTES;

    private static final int STEP = 4_096;

    private final SearchMemory memory;

    /** Nearest first; that of {@code main} is the last. */
    private final List<IndexPart> parts;

    private final List<TermCounts> having = new ArrayList<>();
    private final Map<Integer, int[]> touched = new HashMap<>();
    private final Map<String, ShownTexts> shown = new ConcurrentHashMap<>();
    private final Set<String> large = ConcurrentHashMap.newKeySet();
    private Runnable dropped = () -> {};

    private Difference(List<IndexSnapshot> snapshots, SearchMemory memory) {
        this.memory = memory;
        List<IndexPart> made = new ArrayList<>();
        for (int i = 0; i < snapshots.size(); i++) {
            List<IndexSnapshot> nearer = snapshots.subList(0, i);
            TermCounts counts = new TermCounts(memory);
            having.add(counts);
            made.add(new IndexPart(
                    snapshots.get(i), type -> hiding(type, nearer), counts, bytes -> memory.require(this, bytes)));
        }
        this.parts = List.copyOf(made);
    }

    /** What an index must not show: what differs, and what nearer branches have written. */
    private int[] hiding(int type, List<IndexSnapshot> nearer) throws IOException {
        if (nearer.isEmpty()) {
            return touched(type);
        }
        long sorting = touched(type).length;
        for (IndexSnapshot snapshot : nearer) {
            sorting += snapshot.documents();
        }
        // Several copies exist while they are joined and sorted.
        sorting *= 4 * Integer.BYTES;
        memory.require(this, sorting);
        IntStream all = Arrays.stream(touched(type));
        for (IndexSnapshot snapshot : nearer) {
            all = IntStream.concat(all, Arrays.stream(snapshot.entities(type)));
        }
        int[] hidden = all.sorted().distinct().toArray();
        memory.less(this, sorting);
        return hidden;
    }

    /**
     * Collects the changes.
     *
     * @param indexes for each link of the chain, none newer than the tables
     * @param large takes incarnations without an index of which there are more changes than {@code own}
     * @return taken from the memory, to which the caller gives it back; null when the changes are too many for it, or
     *     not all are known
     */
    static @Nullable Difference of(
            TableAccess access, Chain chain, LinkIndexes indexes, SearchMemory memory, int own, IntConsumer large) {
        Difference made = new Difference(indexes.snapshots(), memory);
        memory.take(made);
        boolean isWhole = false;
        try {
            isWhole = memory.need(made, FIXED_BYTES) && made.collect(access, chain, indexes, own, large);
        } finally {
            if (!isWhole) {
                memory.forget(made);
                memory.give(made);
            }
        }
        return isWhole ? made : null;
    }

    private boolean collect(TableAccess access, Chain chain, LinkIndexes indexes, int own, IntConsumer large) {
        ArrivalTable.State state = ArrivalTable.state(access);
        if (state == null) {
            return true;
        }
        Collected collected = new Collected(this);
        for (int link = 0; link < chain.length() && collected.isWhole; link++) {
            boolean isMain = link == chain.length() - 1;
            long fork = isMain ? -1 : chain.offset(link + 1);
            IndexSnapshot index = indexes.at(link);
            long indexed = index == null ? fork : index.position();
            long from = Math.min(indexed, chain.offset(link));
            long through = Math.max(indexed, chain.offset(link));
            if (isMain ? from < through && (from < state.from() || from < state.cut()) : fork < state.from()) {
                return false;
            }
            int before = collected.size;
            ArrivalTable.walk(access, chain.incarnation(link), from, through, collected);
            if (index == null && !collected.hasGap && collected.size - before > own) {
                large.accept(chain.incarnation(link));
            }
        }
        if (!collected.isWhole) {
            return false;
        }
        collected.types.forEach((type, ordinals) -> {
            int[] sorted = new int[ordinals.size()];
            IntHashSet.IntIterator each = ordinals.iterator();
            for (int i = 0; i < sorted.length; i++) {
                sorted[i] = each.nextValue();
            }
            Arrays.sort(sorted);
            touched.put(type, sorted);
        });
        memory.less(this, collected.charged - collected.size * TOUCHED_BYTES - collected.types.size() * FIELD_BYTES);
        return true;
    }

    private static final class Collected implements ArrivalTable.Sink {
        private final Difference into;
        private final Map<Integer, IntHashSet> types = new HashMap<>();
        private int size;

        /** Up to which {@link #size} there is memory. */
        private int room;

        private long charged;
        private boolean isWhole = true;
        private boolean hasGap;

        Collected(Difference into) {
            this.into = into;
        }

        @Override
        public boolean take(long offset, int type, int ordinal) {
            hasGap |= type == ArrivalTable.GAP;
            isWhole = !hasGap && size < TOUCHED_MAX && hasRoom(types.containsKey(type));
            if (isWhole && types.computeIfAbsent(type, any -> new IntHashSet()).add(ordinal)) {
                size++;
            }
            return isWhole;
        }

        /** Takes memory for the next entities before there are any. */
        private boolean hasRoom(boolean known) {
            long more = (size == room ? STEP * COLLECTED_BYTES : 0) + (known ? 0 : FIELD_BYTES);
            if (more > 0 && !into.memory.need(into, more)) {
                return false;
            }
            room += size == room ? STEP : 0;
            charged += more;
            return true;
        }
    }

    /** Sets what to do when it is forgotten. Before others see it. */
    void whenDropped(Runnable then) {
        dropped = then;
    }

    @Override
    void drop() {
        dropped.run();
        having.forEach(memory::forget);
        shown.clear();
    }

    List<IndexPart> parts() {
        return parts;
    }

    /** Ordinals of a type that differ, ascending. Some may be live nowhere. */
    int[] touched(int type) {
        return touched.getOrDefault(type, NONE);
    }

    /** The texts of a field that the view has as the indexes do. */
    IndexSnapshot.Texts texts(IndexedField field) throws IOException {
        IndexSnapshot.Texts all = new IndexSnapshot.Texts(0, 0);
        for (IndexPart part : parts) {
            all = all.plus(part.texts(field));
        }
        return all;
    }

    /** How many of these texts have a term. */
    long having(IndexedField field, BytesRef term) throws IOException {
        long having = 0;
        for (IndexPart part : parts) {
            having += part.having(field, term);
        }
        return having;
    }

    /** The touched texts of a field as the view has them; null before {@link #keep}. */
    @Nullable
    ShownTexts shown(IndexedField field) {
        return shown.get(field.terms());
    }

    /** Whether the touched texts of a field are too large to be kept with all their terms. */
    boolean isLarge(IndexedField field) {
        return large.contains(field.terms());
    }

    void setLarge(IndexedField field) {
        large.add(field.terms());
    }

    /** Keeps texts for other searches of the view, if there is room for them; then their reader does not pay more. */
    boolean keep(IndexedField field, ShownTexts read) {
        // Under the lock of the memory, so that two readers of the same texts do not keep both.
        synchronized (memory) {
            if (shown.containsKey(field.terms()) || !memory.grow(this, read.bytes())) {
                return false;
            }
            shown.put(field.terms(), read);
            return true;
        }
    }
}
