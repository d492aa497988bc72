package service.cli.boot;

import com.sun.management.GarbageCollectionNotificationInfo;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.util.Set;
import java.util.stream.Collectors;
import javax.management.ListenerNotFoundException;
import javax.management.Notification;
import javax.management.NotificationEmitter;
import javax.management.NotificationListener;
import javax.management.openmbean.CompositeData;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import service.core.budget.MemoryPool;

/**
 * The last line behind the accounts of memory. It looks at the heap after every collection. When more than
 * {@link #FULL_PERCENT} of it are in use, it drops caches and ends the requests with the largest charges, before an
 * allocation fails and the process ends. It never asks for a collection itself. What is in use after a collection of a
 * part of the heap may be garbage, so the first of these ends only requests with more than an eighth of the heap; any
 * request may end after a collection of the whole heap, or after the second one in a row.
 *
 * <p>It runs on the JVM's thread for notifications.
 */
public final class HeapGuard implements AutoCloseable, NotificationListener {
    private static final Logger LOG = LoggerFactory.getLogger("service.memory");

    private static final int FULL_PERCENT = 90;

    /** What shall be in use at most once the memory is back. */
    private static final int AIM_PERCENT = 80;

    /** The part of the heap that makes a request large. */
    private static final int LARGE_PART = 8;

    private final MemoryPool memory;
    private final Thread registering =
            Thread.ofPlatform().daemon().name("heap-guard").unstarted(this::register);
    private volatile Set<String> heapPools = Set.of();

    /** Whether the collection before left the heap nearly full. Used by the notifying thread alone. */
    private boolean wasFull;

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
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            if (collector instanceof NotificationEmitter emitter) {
                emitter.addNotificationListener(this, null, null);
            }
        }
    }

    @Override
    public void handleNotification(Notification notification, Object unused) {
        if (notification.getType().equals(GarbageCollectionNotificationInfo.GARBAGE_COLLECTION_NOTIFICATION)) {
            GarbageCollectionNotificationInfo collection =
                    GarbageCollectionNotificationInfo.from((CompositeData) notification.getUserData());
            long used = collection.getGcInfo().getMemoryUsageAfterGc().entrySet().stream()
                    .filter(pool -> heapPools.contains(pool.getKey()))
                    .mapToLong(pool -> pool.getValue().getUsed())
                    .sum();
            collected(isOfWholeHeap(collection), used, Runtime.getRuntime().maxMemory());
        }
    }

    private static boolean isOfWholeHeap(GarbageCollectionNotificationInfo collection) {
        return collection.getGcAction().equals("end of major GC")
                || (collection.getGcAction().equals("end of GC cycle")
                        && !collection.getGcName().contains("Minor"));
    }

    private void collected(boolean ofWholeHeap, long used, long max) {
        boolean isFull = used > max / 100 * FULL_PERCENT;
        boolean isCertain = ofWholeHeap || wasFull;
        wasFull = isFull;
        if (!isFull) {
            return;
        }
        MemoryPool.Relief relief =
                memory.relieve(used - max / 100 * AIM_PERCENT, max, isCertain ? 0 : max / LARGE_PART);
        if (relief.ended() > 0) {
            LOG.atWarn()
                    .addKeyValue("heap_used_bytes", used)
                    .addKeyValue("heap_max_bytes", max)
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
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
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
