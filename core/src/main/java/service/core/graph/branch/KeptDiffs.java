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
import service.core.event.ChangeBlock;
import service.core.schema.Catalog;
import service.core.value.Ulid;

/**
 * Diffs that were worked out and are kept for the pages that follow. What they hold on the heap is reserved in the
 * process's memory pool; both the pool and the spill space drop kept diffs before they refuse a request. Any thread.
 */
final class KeptDiffs {
    private static final int DIFFS_MAX = 16;
    private static final Duration KEPT = Duration.ofMinutes(2);

    /** The two commits of a diff. */
    record Ends(Ulid from, Ulid to) {}

    /**
     * What is between two commits; the whole of it, unfiltered. It counts its users, the cache among them; the last one
     * gives the changes back. A page that reads them has {@link #enter}ed.
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
        }

        /** False when the changes have been given back. */
        private boolean enter() {
            return users.getAndUpdate(count -> count == 0 ? 0 : count + 1) > 0;
        }

        /** Ends the use that began with the construction, or with the look-up that gave the diff. */
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
     * The diff between two commits; the caller leaves it.
     *
     * @param work works it out where it is not kept
     */
    Diff get(Ends ends, Supplier<Diff> work) {
        Diff known = kept.getIfPresent(ends);
        if (known != null && known.enter()) {
            return known;
        }
        Diff made = work.get();
        if (memory.tryReserveFree(made.changes.heapBytes()) && made.enter()) {
            kept.put(ends, made);
        }
        return made;
    }
}
