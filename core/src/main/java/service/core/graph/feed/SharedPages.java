package service.core.graph.feed;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.RemovalCause;
import com.github.benmanes.caffeine.cache.Scheduler;
import com.github.benmanes.caffeine.cache.stats.CacheStats;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import service.core.budget.MemoryPool;
import service.core.budget.NoWaiting;
import service.core.json.Int64Form;
import service.core.policy.Caller;
import service.core.port.CacheGauges;

/**
 * The rendered pages of the newest blocks of all feeds of a process. The first of many consumers that wait for a commit
 * renders the page; the others send the same bytes. The cursor, the permissions and the position of each consumer are
 * checked before; a page is given only to callers for whom it shows and hides the same names and blocks, and others
 * render their own.
 *
 * <p>At most {@link #BYTES_MAX} bytes are kept, and no more than a part of the process's memory pool. They are reserved
 * in the pool until the last consumer has sent them; the pool drops kept pages before it refuses a request. A page that
 * could not be reserved, or that is not kept, is charged to the request of each consumer that sends it
 * ({@link SharedPage#isReserved}). Any thread.
 */
public final class SharedPages {
    private static final long BYTES_MAX = 16L << 20;
    private static final int POOL_SHARE = 16;
    private static final Duration KEPT = Duration.ofSeconds(30);

    /** Bytes of an entry besides its page. */
    private static final int ENTRY_BYTES = 512;

    /**
     * What the bytes of a page depend on, besides the branches that its reader may read ({@link SharedPage#isFor}).
     *
     * @param cut sequence of the last block of the poll
     * @param cleanups the revision of what cleanups have reclaimed
     */
    record Key(
            ChangeFeed feed,
            FeedToken.Place from,
            long mark,
            long cut,
            boolean caughtUp,
            FeedFilter filter,
            long cleanups,
            Bounds bounds) {}

    /**
     * The form of a page, and where it ends at the latest.
     *
     * @param changes of a page; 0 for a piece of server-sent events
     * @param part where in a block a piece of server-sent events begins
     * @param int64 how values of 64 bits are written
     */
    record Bounds(int changes, FeedSink.Part part, long timeoutMillis, long work, Int64Form int64) {}

    private final MemoryPool memory;
    private final Cache<Key, SharedPage> kept;
    private final ConcurrentMap<Key, CompletableFuture<@Nullable SharedPage>> rendering = new ConcurrentHashMap<>();

    /** @param memory of the process */
    public SharedPages(MemoryPool memory) {
        this.memory = memory;
        kept = Caffeine.newBuilder()
                .maximumWeight(Math.min(BYTES_MAX, memory.bytesMax() / POOL_SHARE))
                .weigher((Key key, SharedPage page) -> bytes(page))
                .expireAfterWrite(KEPT)
                .scheduler(Scheduler.systemScheduler())
                .executor(Runnable::run)
                .removalListener(SharedPages::removed)
                .recordStats()
                .build();
        memory.addReclaimer(bytes -> kept.invalidateAll());
    }

    private static int bytes(SharedPage page) {
        return page.heapBytes() + ENTRY_BYTES;
    }

    private static void removed(@Nullable Key key, @Nullable SharedPage page, RemovalCause cause) {
        if (page != null) {
            page.leave();
        }
    }

    /** The state of this cache. */
    public CacheGauges gauges() {
        CacheStats stats = kept.stats();
        return new CacheGauges(kept.estimatedSize(), stats.hitCount(), stats.missCount());
    }

    /** The page, which the caller must leave. Waits while another thread renders it. */
    SharedPage get(Key key, Caller caller, Supplier<SharedPage> render) {
        while (true) {
            SharedPage known = kept.getIfPresent(key);
            if (known != null && known.enter()) {
                if (known.isFor(caller)) {
                    return known;
                }
                known.leave();
                return render.get();
            }
            CompletableFuture<@Nullable SharedPage> own = new CompletableFuture<>();
            CompletableFuture<@Nullable SharedPage> other = rendering.putIfAbsent(key, own);
            if (other == null) {
                return rendered(key, own, render);
            }
            if (!other.isDone()) {
                NoWaiting.giveUp();
            }
            SharedPage made = other.join();
            if (made != null && made.enter()) {
                if (made.isFor(caller)) {
                    return made;
                }
                made.leave();
                return render.get();
            }
        }
    }

    private SharedPage rendered(
            Key key, CompletableFuture<@Nullable SharedPage> announced, Supplier<SharedPage> render) {
        SharedPage page = null;
        try {
            page = render.get();
            keep(key, page);
            return page;
        } finally {
            announced.complete(page);
            rendering.remove(key, announced);
        }
    }

    private void keep(Key key, SharedPage page) {
        int bytes = bytes(page);
        if (memory.tryReserveFree(bytes)) {
            page.onRelease(() -> memory.release(bytes));
            if (page.enter()) {
                kept.put(key, page);
            }
        }
    }
}
