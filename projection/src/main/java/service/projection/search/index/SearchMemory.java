package service.projection.search.index;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import service.projection.temporal.Chain;

/**
 * What searches of all graphs have learned about views. Forgets those first that were not asked for longest. Any
 * thread.
 */
final class SearchMemory {
    /** Every graph of the process shares it, as its bound is that of the process. */
    static final SearchMemory SHARED = new SearchMemory();

    /** A view of indexes: snapshots are compared by identity, because each is of one graph and offset. */
    private record Key(List<IndexSnapshot> snapshots, List<Long> chain) {
        static Key of(LinkIndexes indexes, Chain chain) {
            List<Long> links = new ArrayList<>();
            for (int link = 0; link < chain.length(); link++) {
                links.add((long) chain.incarnation(link));
                links.add(chain.offset(link));
            }
            return new Key(indexes.snapshots(), links);
        }
    }

    private final Map<Key, Difference> kept = new LinkedHashMap<>(16, 0.75f, true);

    synchronized @Nullable Difference find(LinkIndexes indexes, Chain chain) {
        return kept.get(Key.of(indexes, chain));
    }

    /** @param bytesMax for all; those of what is kept grow while it is used, so they are counted again here */
    synchronized void keep(LinkIndexes indexes, Chain chain, Difference difference, long bytesMax) {
        kept.put(Key.of(indexes, chain), difference);
        long bytes = kept.values().stream().mapToLong(Difference::bytes).sum();
        Iterator<Difference> eldest = kept.values().iterator();
        while (bytes > bytesMax && eldest.hasNext()) {
            bytes -= eldest.next().bytes();
            eldest.remove();
        }
    }

    /** Forgets what was learned over a snapshot. */
    synchronized void forget(IndexSnapshot snapshot) {
        kept.keySet().removeIf(key -> key.snapshots.contains(snapshot));
    }
}
