package service.core.graph.branch;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.RemovalCause;
import com.github.benmanes.caffeine.cache.Scheduler;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import service.core.budget.MemoryPool;
import service.core.budget.ProcessBudget;
import service.core.budget.RequestBudget;
import service.core.event.ChangeBlock;
import service.core.schema.Catalog;
import service.core.value.Ulid;

/**
 * Keeps computed diffs for the following pages. Their heap bytes are reserved in the process's memory pool; both the
 * pool and the spill space drop kept diffs before they refuse a request. Any thread.
 */
final class KeptDiffs {
    private static final int DIFFS_MAX = 16;
    private static final Duration KEPT = Duration.ofMinutes(2);

    /** The two commits of a diff. */
    record Ends(Ulid from, Ulid to) {}

    /**
     * All changes between two commits, unfiltered. Counts its users, the requests that read it and the cache; the last
     * one releases the changes.
     */
    static final class Diff {
        final Catalog before;
        final Catalog after;
        final List<String> steps;
        final ChangeBlock changes;
        private final AtomicInteger users = new AtomicInteger(1);

        Diff(Catalog before, Catalog after, List<String> steps, ChangeBlock changes) {
            this.before = before;
            this.after = after;
            this.steps = steps;
            this.changes = changes;
            changes.detach();
        }

        /** Adds a user; false when the changes have been released. */
        private boolean enter() {
            return users.getAndUpdate(count -> count == 0 ? 0 : count + 1) > 0;
        }

        /** Ends the use that began with the construction, or with the look-up that returned the diff. */
        void leave() {
            if (users.decrementAndGet() == 0) {
                changes.close();
            }
        }
    }

    private final MemoryPool memory;
    private final Cache<Ends, Diff> kept = Caffeine.newBuilder()
            .maximumSize(DIFFS_MAX)
            .expireAfterAccess(KEPT)
            .scheduler(Scheduler.systemScheduler())
            .executor(Runnable::run)
            .removalListener(this::removed)
            .build();

    KeptDiffs(ProcessBudget process) {
        memory = process.memory();
        memory.addReclaimer(bytes -> kept.invalidateAll());
        process.spill().addReclaimer(bytes -> kept.invalidateAll());
    }

    private void removed(@Nullable Ends ends, @Nullable Diff diff, RemovalCause cause) {
        if (diff != null) {
            memory.release(diff.changes.heapBytes());
            diff.leave();
        }
    }

    /**
     * The diff between two commits, which the request may read until its end.
     *
     * @param work computes it when it is not kept
     */
    Diff get(Ends ends, RequestBudget budget, Supplier<Diff> work) {
        Diff known = kept.getIfPresent(ends);
        if (known != null && known.enter()) {
            budget.own(known::leave);
            return known;
        }
        Diff made = work.get();
        budget.own(made::leave);
        if (memory.tryReserveFree(made.changes.heapBytes()) && made.enter()) {
            kept.put(ends, made);
        }
        return made;
    }
}
