package service.projection.view;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import service.core.schema.Catalog;
import service.projection.table.CatalogSource;
import service.projection.table.SchemaTable;
import service.projection.table.TableAccess;
import service.projection.temporal.Chain;

/**
 * Compiled schemas by the commit that set them, so that a view costs no parsing. Bounded; any
 * thread.
 */
public final class Catalogs {
    private static final int KEPT_MAX = 64;

    private final CatalogSource source;
    private final Map<Long, Catalog> kept = new ConcurrentHashMap<>();

    public Catalogs(CatalogSource source) {
        this.source = source;
    }

    Catalog at(TableAccess access, Chain chain) {
        long offset = SchemaTable.offset(access, chain);
        Catalog known = kept.get(offset);
        if (known != null) {
            return known;
        }
        SchemaTable.Stored stored = SchemaTable.read(access, chain);
        if (stored == null) {
            throw new IllegalStateException("a view without a schema");
        }
        Catalog compiled = source.catalog(stored.source(), stored.identities());
        if (kept.size() >= KEPT_MAX) {
            kept.clear();
        }
        kept.put(offset, compiled);
        return compiled;
    }
}
