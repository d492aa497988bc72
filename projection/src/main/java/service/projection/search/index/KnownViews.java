package service.projection.search.index;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;
import service.projection.table.TableAccess;
import service.projection.temporal.Chain;

/**
 * What the indexes of one graph share: the differences of views that searches have made and the memory still keeps, and
 * how long indexing takes. Any thread.
 */
final class KnownViews {
    /**
     * A view of indexes.
     *
     * @param snapshots compared by identity, because each is of one offset
     * @param links incarnation and offset of each link of the chain
     */
    private record Key(List<IndexSnapshot> snapshots, List<Long> links) {
        static Key of(LinkIndexes indexes, Chain chain) {
            List<Long> links = new ArrayList<>();
            for (int link = 0; link < chain.length(); link++) {
                links.add((long) chain.incarnation(link));
                links.add(chain.offset(link));
            }
            return new Key(indexes.snapshots(), links);
        }
    }

    private final SearchMemory memory;
    private final WorkTimes times = new WorkTimes();

    /** Used under the lock of the memory, which removes what it forgets. */
    private final Map<Key, Difference> views = new HashMap<>();

    KnownViews(SearchMemory memory) {
        this.memory = memory;
    }

    SearchMemory memory() {
        return memory;
    }

    /** Time that the indexes of the graph took. */
    WorkTimes times() {
        return times;
    }

    /**
     * The difference of a view, taken from the memory.
     *
     * @param indexes that the caller holds open
     * @return null when it must be read directly
     * @see Difference#of
     */
    @Nullable
    Difference take(TableAccess access, Chain chain, LinkIndexes indexes, int own, IntConsumer large) {
        Key key = Key.of(indexes, chain);
        synchronized (memory) {
            Difference known = views.get(key);
            if (known != null && memory.take(known)) {
                memory.asked(true);
                return known;
            }
        }
        memory.asked(false);
        Difference made = Difference.of(access, chain, indexes, memory, own, large);
        if (made != null) {
            synchronized (memory) {
                // When another search has made it meanwhile, this one is for its own search alone.
                if (key.snapshots.stream().noneMatch(IndexSnapshot::isRetired)
                        && views.putIfAbsent(key, made) == null) {
                    made.whenDropped(() -> views.remove(key));
                } else {
                    memory.forget(made);
                }
            }
        }
        return made;
    }

    /** Forgets what was learned over a snapshot. */
    void forget(IndexSnapshot snapshot) {
        synchronized (memory) {
            List<Map.Entry<Key, Difference>> over = views.entrySet().stream()
                    .filter(view -> view.getKey().snapshots.contains(snapshot))
                    .toList();
            over.forEach(view -> memory.forget(view.getValue()));
            over.forEach(view -> views.remove(view.getKey()));
        }
    }
}
