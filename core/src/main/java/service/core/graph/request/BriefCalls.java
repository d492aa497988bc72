package service.core.graph.request;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import org.jspecify.annotations.Nullable;
import service.core.gq.plan.Plan;
import service.core.schema.Catalog;

/**
 * Remembers which sources cost so little that handing them to another thread would cost more: reads of at most one
 * entity by a unique index, and mutations of such entities, which only wait in the writer's queue, once their source
 * was compiled. What is not remembered is not brief. A door may run a brief call on its I/O thread.
 */
public final class BriefCalls {
    private static final int SOURCES_MAX = 1_000;

    private record Call(String source, @Nullable String name) {}

    private final Cache<Call, Boolean> known =
            Caffeine.newBuilder().maximumSize(SOURCES_MAX).build();

    public boolean isBrief(String source, @Nullable String name) {
        return Boolean.TRUE.equals(known.getIfPresent(new Call(source, name)));
    }

    /** Takes note of a source that was compiled just now. */
    public void compiled(String source, @Nullable String name, Plan plan, Catalog catalog) {
        Call call = new Call(source, name);
        if (known.getIfPresent(call) == null) {
            known.put(call, PointLookups.isPoint(plan, catalog));
        }
    }
}
