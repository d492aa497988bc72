package service.projection.search.index;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.lucene.util.BytesRef;
import service.core.value.HeapBytes;

/** How many texts have a term, for terms that were counted. Forgotten as a whole. Any thread. */
final class TermCounts extends SearchMemory.Learned {
    /** An entry of the map, its place in the table, the key and the boxed count. */
    private static final long ENTRY_BYTES = HeapBytes.object(3 * HeapBytes.REFERENCE + Integer.BYTES)
            + 2L * HeapBytes.REFERENCE
            + HeapBytes.object(2 * HeapBytes.REFERENCE + Integer.BYTES)
            + HeapBytes.object(2 * Integer.BYTES + HeapBytes.REFERENCE)
            + HeapBytes.object(Long.BYTES);

    private final SearchMemory memory;
    private final Map<Key, Long> counts = new ConcurrentHashMap<>();

    private record Key(String field, BytesRef term) {}

    TermCounts(SearchMemory memory) {
        this.memory = memory;
    }

    /** The count; −1 when it is not known. */
    long find(IndexedField field, BytesRef term) {
        return counts.getOrDefault(new Key(field.terms(), term), -1L);
    }

    /** Keeps a count if there is room for it. */
    void put(IndexedField field, BytesRef term, long count) {
        long bytes = ENTRY_BYTES + HeapBytes.array(term.length, 1) + HeapBytes.of(field.terms());
        // Under the lock of the memory, which drops counts under it.
        synchronized (memory) {
            Key key = new Key(field.terms(), BytesRef.deepCopyOf(term));
            if (!counts.containsKey(key) && memory.grow(this, bytes)) {
                counts.put(key, count);
            }
        }
    }

    @Override
    void drop() {
        counts.clear();
    }
}
