package service.projection.table;

import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import service.core.schema.Catalog;
import service.core.schema.CatalogCodec;

/**
 * The catalogs of all graphs of a process. Graphs with the same schema share one as long as one of them uses it, so
 * that a server of thousands of such graphs compiles it once. Any thread.
 */
public final class SharedCatalogs implements CatalogSource {
    /** With more entries, those of catalogs that are not used are dropped. */
    private static final int KEPT_MAX = 256;

    private final Map<Key, WeakReference<Catalog>> kept = new ConcurrentHashMap<>();

    private record Key(String source, ByteBuffer identities) {}

    @Override
    public Catalog catalog(String source, byte[] identities) {
        Key key = new Key(source, ByteBuffer.wrap(identities.clone()));
        WeakReference<Catalog> known = kept.get(key);
        Catalog catalog = known == null ? null : known.get();
        if (catalog == null) {
            catalog = CatalogCodec.decode(source, identities);
            if (kept.size() >= KEPT_MAX) {
                kept.values().removeIf(each -> each.get() == null);
            }
            if (kept.size() < KEPT_MAX) {
                kept.put(key, new WeakReference<>(catalog));
            }
        }
        return catalog;
    }
}
