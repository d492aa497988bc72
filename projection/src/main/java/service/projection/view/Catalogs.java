package service.projection.view;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import service.core.schema.Catalog;
import service.core.schema.EntityType;
import service.core.schema.IndexDefinition;
import service.projection.table.CatalogSource;
import service.projection.table.SchemaTable;
import service.projection.table.TableAccess;
import service.projection.temporal.Chain;

/** Compiled schemas by the commit that set them, so that a view costs no parsing. Bounded; any thread. */
public final class Catalogs {
    private static final int KEPT_MAX = 64;

    private final CatalogSource source;
    private final Map<Long, Compiled> kept = new ConcurrentHashMap<>();

    public Catalogs(CatalogSource source) {
        this.source = source;
    }

    /**
     * A catalog and what is looked up in it by number.
     *
     * @param offset of the commit that set the schema; {@link Long#MAX_VALUE} when a state is shown as a schema has it
     *     that is not in force there
     */
    public record Compiled(long offset, Catalog catalog, Map<Integer, IndexDefinition> indexes) {
        /** A schema under which a state is shown that has another one. */
        static Compiled shown(Catalog catalog) {
            return of(Long.MAX_VALUE, catalog);
        }

        static Compiled of(long offset, Catalog catalog) {
            Map<Integer, IndexDefinition> indexes = new HashMap<>();
            for (EntityType type : catalog.nodes()) {
                type.indexes().forEach(index -> indexes.put(index.identity(), index));
            }
            for (EntityType type : catalog.edges()) {
                type.indexes().forEach(index -> indexes.put(index.identity(), index));
            }
            return new Compiled(offset, catalog, indexes);
        }

        @Nullable
        IndexDefinition index(int identity) {
            return indexes.get(identity);
        }
    }

    Compiled at(TableAccess access, Chain chain) {
        long offset = SchemaTable.offset(access, chain);
        Compiled known = kept.get(offset);
        if (known != null) {
            return known;
        }
        SchemaTable.Stored stored = SchemaTable.read(access, chain);
        if (stored == null) {
            throw new IllegalStateException("a view without a schema");
        }
        Compiled compiled = Compiled.of(offset, source.catalog(stored.source(), stored.identities()));
        if (kept.size() >= KEPT_MAX) {
            kept.clear();
        }
        kept.put(offset, compiled);
        return compiled;
    }

    /** Forgets schemas of an aborted group: another event will get their offsets. */
    void forget() {
        kept.clear();
    }
}
