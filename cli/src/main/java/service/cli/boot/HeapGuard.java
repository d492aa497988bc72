package service.cli.boot;

import com.sun.management.GarbageCollectorMXBean;
import com.sun.management.GcInfo;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import javax.management.ListenerNotFoundException;
import javax.management.Notification;
import javax.management.NotificationEmitter;
import javax.management.NotificationListener;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import service.core.budget.MemoryPool;

/**
 * The last guard of memory, beside the accounts. It checks the heap after every collection. When more than
 * {@link #FULL_PERCENT} of it are in use, it drops caches and ends the requests with the largest charges, before an
 * allocation fails and the process ends.
 *
 * <p>What is in use after a collection of a part of the heap may be garbage. The guard asks for a collection of the
 * whole heap then, and measures again; for a tenth of the time at most. Without that, the first such measurement ends
 * only requests with more than an eighth of the heap; any request may end after the second one in a row.
 *
 * <p>It checks on the thread of each large request before that request grows, and on the JVM's thread for
 * notifications. The notifying thread alone would come too late when all processors are busy: the requests could fill
 * the last tenth of the heap before it runs.
 */
public final class HeapGuard implements AutoCloseable, NotificationListener {
    private static final Logger LOG = LoggerFactory.getLogger("service.memory");

    private static final int FULL_PERCENT = 90;

    /** The part of the heap that may be in use at most after the memory was freed. */
    private static final int AIM_PERCENT = 80;

    /** The part of the heap that makes a request large. */
    private static final int LARGE_PART = 8;

    /** The time between two collections that the guard asks for, in times of what the one before took. */
    private static final int COLLECTIONS_APART = 10;

    /** The names that the JVM gives to collectors of the whole heap. */
    private static final Set<String> WHOLE_HEAP = Set.of(
            "MarkSweepCompact",
            "PS MarkSweep",
            "G1 Old Generation",
            "Shenandoah Cycles",
            "ZGC Cycles",
            "ZGC Major Cycles");

    private final MemoryPool memory;
    private final Thread registering =
            Thread.ofPlatform().daemon().name("heap-guard").unstarted(this::register);

    /** The collectors that say what is in use after them. ZGC and Shenandoah have others, which count pauses. */
    private volatile List<GarbageCollectorMXBean> collectors = List.of();

    private volatile Set<String> heapPools = Set.of();

    /** The number of collections that were checked. Written under the lock of this. */
    private volatile long checked;

    /** Whether the collection before left the heap nearly full. Under the lock of this. */
    private boolean wasFull;

    /** When the guard may ask for a collection, on {@link System#nanoTime}'s clock. Under the lock of this. */
    private long mayCollectNanos = System.nanoTime();

    private HeapGuard(MemoryPool memory) {
        this.memory = memory;
    }

    /** Watches the heap of this process from now on. Registers on a thread, since the first use takes 25 ms. */
    static HeapGuard watch(MemoryPool memory) {
        HeapGuard guard = new HeapGuard(memory);
        guard.registering.start();
        return guard;
    }

    private void register() {
        heapPools = ManagementFactory.getMemoryPoolMXBeans().stream()
                .filter(pool -> pool.getType() == MemoryType.HEAP)
                .map(MemoryPoolMXBean::getName)
                .collect(Collectors.toUnmodifiableSet());
        collectors = ManagementFactory.getPlatformMXBeans(GarbageCollectorMXBean.class).stream()
                .filter(collector -> !collector.getName().endsWith("Pauses"))
                .toList();
        check();
        for (GarbageCollectorMXBean collector : collectors) {
            if (collector instanceof NotificationEmitter emitter) {
                emitter.addNotificationListener(this, null, null);
            }
        }
        memory.checkBeforeGrowth(this::check);
    }

    /** Checks after a collection that no large request has noticed, because none of them grows. */
    @Override
    public void handleNotification(Notification notification, @Nullable Object unused) {
        check();
    }

    /** Acts when there was a collection since the last call. Threads that call meanwhile wait until it has acted. */
    private void check() {
        if (collections() == checked) {
            return;
        }
        synchronized (this) {
            if (collections() != checked) {
                checkLast();
            }
        }
    }

    private long collections() {
        long collections = 0;
        for (GarbageCollectorMXBean collector : collectors) {
            collections += collector.getCollectionCount();
        }
        return collections;
    }

    /**
     * What is in use after a collection.
     *
     * @param ofWholeHeap whether none of it was garbage then
     */
    private record Measured(long used, long max, boolean ofWholeHeap) {
        boolean isFull() {
            return used > max / 100 * FULL_PERCENT;
        }
    }

    private void checkLast() {
        Measured last = measureLast();
        if (last != null && last.isFull() && !last.ofWholeHeap && System.nanoTime() - mayCollectNanos >= 0) {
            long begun = System.nanoTime();
            System.gc();
            long ended = System.nanoTime();
            mayCollectNanos = ended + COLLECTIONS_APART * (ended - begun);
            last = measureLast();
        }
        if (last != null) {
            act(last);
        }
    }

    private @Nullable Measured measureLast() {
        checked = collections();
        GcInfo last = null;
        boolean ofWholeHeap = false;
        for (GarbageCollectorMXBean collector : collectors) {
            GcInfo info = collector.getLastGcInfo();
            if (info != null && (last == null || info.getEndTime() >= last.getEndTime())) {
                last = info;
                ofWholeHeap = WHOLE_HEAP.contains(collector.getName());
            }
        }
        if (last == null) {
            return null;
        }
        long used = last.getMemoryUsageAfterGc().entrySet().stream()
                .filter(pool -> heapPools.contains(pool.getKey()))
                .mapToLong(pool -> pool.getValue().getUsed())
                .sum();
        return new Measured(used, Runtime.getRuntime().maxMemory(), ofWholeHeap);
    }

    private void act(Measured heap) {
        boolean isCertain = heap.ofWholeHeap || wasFull;
        wasFull = heap.isFull();
        if (!heap.isFull()) {
            return;
        }
        MemoryPool.Relief relief = memory.relieve(
                heap.used - heap.max / 100 * AIM_PERCENT, heap.max, isCertain ? 0 : heap.max / LARGE_PART);
        if (relief.ended() > 0) {
            LOG.atWarn()
                    .addKeyValue("heap_used_bytes", heap.used)
                    .addKeyValue("heap_max_bytes", heap.max)
                    .addKeyValue("dropped_bytes", relief.droppedBytes())
                    .addKeyValue("requests_ended", relief.ended())
                    .addKeyValue("requests_ended_bytes", relief.endedBytes())
                    .log("the heap is nearly full after a collection: caches were dropped, and the largest requests"
                            + " ended; raise the heap, or lower SERVICE_MEMORY_BYTES or SERVICE_RESIDENT_BYTES");
        }
    }

    @Override
    public void close() {
        try {
            registering.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return;
        }
        for (GarbageCollectorMXBean collector : collectors) {
            if (collector instanceof NotificationEmitter emitter) {
                try {
                    emitter.removeNotificationListener(this);
                } catch (ListenerNotFoundException e) {
                    throw new IllegalStateException("the guard was added to each collector", e);
                }
            }
        }
    }
}
