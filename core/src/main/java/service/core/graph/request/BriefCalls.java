package service.core.graph.request;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import org.jspecify.annotations.Nullable;
import service.core.budget.NoWaiting;
import service.core.gq.plan.Plan;
import service.core.schema.Catalog;

/**
 * Remembers which sources cost so little that handing them to another thread would cost more: reads of at most one
 * entity by a unique index, and mutations of such entities, which only wait in the writer's queue, once their source
 * was compiled. A source that is not remembered is not brief. The HTTP server may run a brief call on its I/O thread.
 *
 * <p>Whether a source is brief depends on the schema, which the server does not know: it asks {@link #isBrief} without
 * it, and the call asks {@link #stay} with it before it compiles anything. The texts that are kept have a bound
 * together; a long source is never brief. Any thread.
 */
public final class BriefCalls {
    private static final int SOURCE_CHARACTERS_MAX = 4 << 10;
    private static final long CHARACTERS_MAX = 1 << 20;
    private static final int ENTRY_CHARACTERS = 128;

    /** Any schema. */
    private static final String ANY = "";

    /** The hash of a source is computed once for each request, because its text keeps it. */
    private record Call(String source, @Nullable String name, String schemaFingerprint) {}

    private final Cache<Call, Boolean> known = Caffeine.newBuilder()
            .maximumWeight(CHARACTERS_MAX)
            .weigher((Call call, Boolean value) -> call.source.length() + ENTRY_CHARACTERS)
            .executor(Runnable::run)
            .build();

    /** Whether the source was brief under some schema. */
    public boolean isBrief(String source, @Nullable String name) {
        return isKnown(new Call(source, name, ANY));
    }

    /**
     * Call it before a source is compiled. On a thread that must not wait it throws unless the source is brief under
     * this schema, so that the call is repeated on another thread.
     *
     * @throws NoWaiting.WouldWaitException on such a thread
     */
    public void stay(String source, @Nullable String name, Catalog catalog) {
        if (NoWaiting.isHere() && !isKnown(new Call(source, name, catalog.fingerprint()))) {
            NoWaiting.giveUp();
        }
    }

    /** Records a source after it was compiled. */
    public void compiled(String source, @Nullable String name, Plan plan, Catalog catalog) {
        if (source.length() > SOURCE_CHARACTERS_MAX || NoWaiting.isHere() || !PointLookups.isPoint(plan, catalog)) {
            return;
        }
        Call call = new Call(source, name, catalog.fingerprint());
        if (!isKnown(call)) {
            known.put(call, true);
            known.put(new Call(source, name, ANY), true);
        }
    }

    /** The number of entries. */
    long size() {
        known.cleanUp();
        return known.estimatedSize();
    }

    private boolean isKnown(Call call) {
        return known.getIfPresent(call) != null;
    }
}
