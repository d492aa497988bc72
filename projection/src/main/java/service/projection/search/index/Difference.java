package service.projection.search.index;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
final class Difference {
    /** More changes are not collected: reading all records costs no more. */
    private static final int TOUCHED_MAX = 100_000;

    private static final int[] NONE = new int[0];

    /** Nearest first; that of {@code main} is the last. */
    private final List<IndexPart> parts;

    private final Map<Integer, int[]> touched;
    private final Map<String, ShownTexts> shown = new ConcurrentHashMap<>();

    private Difference(List<IndexSnapshot> snapshots, Map<Integer, int[]> touched) {
        this.touched = touched;
        List<IndexPart> made = new ArrayList<>();
        for (int i = 0; i < snapshots.size(); i++) {
            List<IndexSnapshot> nearer = snapshots.subList(0, i);
            made.add(new IndexPart(snapshots.get(i), type -> hiding(type, nearer)));
        }
        this.parts = List.copyOf(made);
    }

    /** What an index must not show: what differs, and what nearer branches have written. */
    private int[] hiding(int type, List<IndexSnapshot> nearer) throws IOException {
        if (nearer.isEmpty()) {
            return touched(type);
        }
        IntStream all = Arrays.stream(touched(type));
        for (IndexSnapshot snapshot : nearer) {
            all = IntStream.concat(all, Arrays.stream(snapshot.entities(type)));
        }
        return all.sorted().distinct().toArray();
    }

    /**
     * Collects the changes.
     *
     * @param indexes for each link of the chain, none newer than the tables
     * @param large takes incarnations without an index of which there are more changes than {@code own}
     * @return null when they are too many, or not all are known
     */
    static @Nullable Difference of(TableAccess access, Chain chain, LinkIndexes indexes, int own, IntConsumer large) {
        ArrivalTable.State state = ArrivalTable.state(access);
        Collected collected = new Collected();
        if (state == null) {
            return new Difference(indexes.snapshots(), Map.of());
        }
        for (int link = 0; link < chain.length() && collected.isWhole; link++) {
            boolean isMain = link == chain.length() - 1;
            long fork = isMain ? -1 : chain.offset(link + 1);
            IndexSnapshot index = indexes.at(link);
            long indexed = index == null ? fork : index.position();
            long from = Math.min(indexed, chain.offset(link));
            long through = Math.max(indexed, chain.offset(link));
            if (isMain ? from < through && (from < state.from() || from < state.cut()) : fork < state.from()) {
                return null;
            }
            int before = collected.size;
            ArrivalTable.walk(access, chain.incarnation(link), from, through, collected);
            if (index == null && !collected.hasGap && collected.size - before > own) {
                large.accept(chain.incarnation(link));
            }
        }
        if (!collected.isWhole) {
            return null;
        }
        Map<Integer, int[]> touched = new HashMap<>();
        collected.types.forEach((type, ordinals) -> {
            int[] sorted = new int[ordinals.size()];
            IntHashSet.IntIterator each = ordinals.iterator();
            for (int i = 0; i < sorted.length; i++) {
                sorted[i] = each.nextValue();
            }
            Arrays.sort(sorted);
            touched.put(type, sorted);
        });
        return new Difference(indexes.snapshots(), touched);
    }

    private static final class Collected implements ArrivalTable.Sink {
        private final Map<Integer, IntHashSet> types = new HashMap<>();
        private int size;
        private boolean isWhole = true;
        private boolean hasGap;

        @Override
        public boolean take(long offset, int type, int ordinal) {
            hasGap |= type == ArrivalTable.GAP;
            isWhole = !hasGap && size < TOUCHED_MAX;
            if (isWhole && types.computeIfAbsent(type, any -> new IntHashSet()).add(ordinal)) {
                size++;
            }
            return isWhole;
        }
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

    void keep(IndexedField field, ShownTexts read) {
        shown.put(field.terms(), read);
    }

    /** The heap that it takes, about. */
    long bytes() {
        long bytes = 1_024;
        for (int[] ordinals : touched.values()) {
            bytes += 8L * ordinals.length;
        }
        for (ShownTexts each : shown.values()) {
            bytes += each.bytes();
        }
        for (IndexPart part : parts) {
            bytes += part.bytes();
        }
        return bytes;
    }
}
