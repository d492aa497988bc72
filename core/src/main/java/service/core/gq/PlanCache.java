package service.core.gq;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import org.jspecify.annotations.Nullable;
import service.core.schema.Catalog;

/**
 * Keeps compiled sources by text, schema and name, so that a repeated query is neither parsed nor checked again.
 * Bounded by the weight of the texts; refusals are not kept. Any thread.
 */
public final class PlanCache {
    private static final int ENTRY_WEIGHT = 1024;

    private record Key(
            String source, String schemaDigest, @Nullable String name) {}

    private final Cache<Key, CompiledSource> compiled;

    /**
     * An empty cache.
     *
     * @param weightMax characters of source kept at the most, each entry counting 1,024 besides
     */
    public PlanCache(long weightMax) {
        this.compiled = Caffeine.newBuilder()
                .maximumWeight(weightMax)
                .weigher((Key key, CompiledSource value) ->
                        ENTRY_WEIGHT + key.source().length())
                .executor(Runnable::run)
                .build();
    }

    /** As {@link GqCompiler#compile}. */
    public CompiledSource compile(String source, @Nullable String name, Catalog catalog) {
        Key key = new Key(source, catalog.digest(), name);
        CompiledSource known = compiled.getIfPresent(key);
        if (known == null) {
            known = GqCompiler.compile(source, name, catalog);
            compiled.put(key, known);
        }
        return known;
    }
}
