package service.core.gq;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.stats.CacheStats;
import org.jspecify.annotations.Nullable;
import service.core.port.CacheGauges;
import service.core.schema.Catalog;

/**
 * Caches compiled sources by text, schema and name, so that a repeated query is neither parsed nor checked again. The
 * weight of the texts is bounded; refused sources are not cached. Any thread.
 */
public final class PlanCache {
    private static final int ENTRY_WEIGHT = 1024;

    private record Key(
            String source,
            String schemaFingerprint,
            @Nullable String name) {}

    private final Cache<Key, CompiledSource> compiled;

    /**
     * An empty cache.
     *
     * @param weightMax maximum number of source characters; each entry counts 1,024 more than its source
     */
    public PlanCache(long weightMax) {
        this.compiled = Caffeine.newBuilder()
                .maximumWeight(weightMax)
                .weigher((Key key, CompiledSource value) ->
                        ENTRY_WEIGHT + key.source().length())
                .executor(Runnable::run)
                .recordStats()
                .build();
    }

    /** The state of this cache. */
    public CacheGauges gauges() {
        CacheStats stats = compiled.stats();
        return new CacheGauges(compiled.estimatedSize(), stats.hitCount(), stats.missCount());
    }

    /** As {@link GqCompiler#compile}. */
    public CompiledSource compile(String source, @Nullable String name, Catalog catalog) {
        Key key = new Key(source, catalog.fingerprint(), name);
        CompiledSource known = compiled.getIfPresent(key);
        if (known == null) {
            known = GqCompiler.compile(source, name, catalog);
            compiled.put(key, known);
        }
        return known;
    }
}
