package service.core.gq;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.stats.CacheStats;
import org.jspecify.annotations.Nullable;
import service.core.port.CacheGauges;
import service.core.schema.Catalog;
import service.core.text.Work;

/**
 * Caches compiled sources by text, schema and name, so that a repeated query is neither parsed nor checked again. The
 * heap bytes of texts and plans together are bounded; refused sources are not cached. Any thread.
 *
 * <p>It is apart from the executor's cache of physical plans, because a compiled source depends on text and schema
 * alone and a physical plan also on the statistics of one graph: one source has several physical plans. A common entry
 * would hold objects that this module does not have, and would have to be weighed again with each further plan.
 */
public final class PlanCache implements QueryCompiler {
    /** An entry of the cache with its key. */
    private static final long ENTRY_BYTES = 256;

    private record Key(
            String source,
            String schemaFingerprint,
            @Nullable String name) {}

    private final Cache<Key, CompiledSource> compiled;

    /**
     * An empty cache.
     *
     * @param bytesMax the heap bytes that all entries may hold; the caller reserves them
     */
    public PlanCache(long bytesMax) {
        this.compiled = Caffeine.newBuilder()
                .maximumWeight(bytesMax)
                .weigher((Key key, CompiledSource value) -> bytes(key, value))
                .executor(Runnable::run)
                .recordStats()
                .build();
    }

    /** The state of this cache. */
    public CacheGauges gauges() {
        CacheStats stats = compiled.stats();
        return new CacheGauges(compiled.estimatedSize(), stats.hitCount(), stats.missCount());
    }

    private static int bytes(Key key, CompiledSource value) {
        long bytes = ENTRY_BYTES + PlanWeight.text(key.source) + PlanWeight.text(key.name) + PlanWeight.of(value);
        return (int) Math.min(Integer.MAX_VALUE, bytes);
    }

    @Override
    public CompiledSource compile(String source, @Nullable String name, Catalog catalog, Work work) {
        Key key = new Key(source, catalog.fingerprint(), name);
        CompiledSource known = compiled.getIfPresent(key);
        if (known == null) {
            known = GqCompiler.compile(source, name, catalog, work);
            compiled.put(key, known);
        }
        return known;
    }

    /** The heap bytes of all entries, estimated. */
    long bytes() {
        compiled.cleanUp();
        return compiled.policy().eviction().orElseThrow().weightedSize().orElseThrow();
    }
}
