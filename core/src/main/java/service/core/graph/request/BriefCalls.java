package service.core.graph.request;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import service.core.budget.NoWaiting;
import service.core.gq.plan.Plan;
import service.core.schema.Catalog;

/**
 * Remembers which sources cost so little that handing them to another thread would cost more: reads of at most one
 * entity by a unique index, and mutations of such entities, which only wait in the writer's queue, once their source
 * was compiled. What is not remembered is not brief. A door may run a brief call on its I/O thread.
 *
 * <p>Whether a source is brief depends on the schema, which a door does not know: it asks {@link #isBrief} without it,
 * and the call asks {@link #stay} with it before it compiles anything. Sources are known by their digests, so that an
 * entry takes about 100 bytes whatever the source.
 */
public final class BriefCalls {
    private static final int CALLS_MAX = 10_000;

    /** Stands for any schema. */
    private static final String ANY = "";

    /** Half of the digest of source and name is enough to tell them apart. */
    private record Call(long high, long low, String schemaDigest) {
        Call under(Catalog catalog) {
            return new Call(high, low, catalog.digest());
        }
    }

    private final Cache<Call, Boolean> known =
            Caffeine.newBuilder().maximumSize(CALLS_MAX).build();

    /** Whether the source was brief under some schema. */
    public boolean isBrief(String source, @Nullable String name) {
        return isKnown(call(source, name));
    }

    /**
     * Before a source is compiled: gives the call up on a thread that must not wait, unless it is brief under this
     * schema.
     *
     * @throws NoWaiting.WouldWaitException on such a thread
     */
    public void stay(String source, @Nullable String name, Catalog catalog) {
        if (NoWaiting.isHere() && !isKnown(call(source, name).under(catalog))) {
            NoWaiting.giveUp();
        }
    }

    /** Records a source that was compiled just now. */
    public void compiled(String source, @Nullable String name, Plan plan, Catalog catalog) {
        if (NoWaiting.isHere() || !PointLookups.isPoint(plan, catalog)) {
            return;
        }
        Call call = call(source, name);
        if (!isKnown(call.under(catalog))) {
            known.put(call.under(catalog), true);
            known.put(call, true);
        }
    }

    /** Entries kept. */
    long size() {
        known.cleanUp();
        return known.estimatedSize();
    }

    private boolean isKnown(Call call) {
        return known.getIfPresent(call) != null;
    }

    private static Call call(String source, @Nullable String name) {
        ByteBuffer digest =
                ByteBuffer.wrap(new RequestDigest("brief").add(source).add(name).bytes());
        return new Call(digest.getLong(), digest.getLong(), ANY);
    }
}
