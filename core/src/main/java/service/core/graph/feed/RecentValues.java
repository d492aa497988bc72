package service.core.graph.feed;

import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The last few values by key. A thousand consumers that wait at one commit come back with the same cursor, so what one
 * of them has found serves the others, and few values are enough: one for each remainder of the key's hash.
 *
 * <p>Any thread.
 */
final class RecentValues<K, V> {
    /** A power of two, less one. */
    private static final int MASK = 15;

    private record Entry<K, V>(K key, V value) {}

    private final AtomicReferenceArray<@Nullable Entry<K, V>> entries = new AtomicReferenceArray<>(MASK + 1);

    /** The value of a key, unless another key has taken its place. */
    @Nullable
    V get(K key) {
        Entry<K, V> entry = entries.get(key.hashCode() & MASK);
        return entry != null && entry.key.equals(key) ? entry.value : null;
    }

    void put(K key, V value) {
        entries.set(key.hashCode() & MASK, new Entry<>(key, value));
    }
}
