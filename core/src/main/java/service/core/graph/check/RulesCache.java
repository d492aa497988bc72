package service.core.graph.check;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.Map;
import service.core.schema.Catalog;

/** The prepared rules of the catalogs in use. Any thread. */
public final class RulesCache {
    private final Cache<Catalog, Map<Integer, TypeRules>> byCatalog =
            Caffeine.newBuilder().weakKeys().build();

    Map<Integer, TypeRules> of(Catalog catalog) {
        return byCatalog.get(catalog, TypeRules::of);
    }
}
