package service.cli.boot;

import com.sun.management.GarbageCollectionNotificationInfo;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.util.Map;
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
 * allocation fails and the process ends. It never asks for a collection itself.
 *
 * <p>It runs on the JVM's thread for notifications.
 */
public final class HeapGuard implements AutoCloseable, NotificationListener {
    private static final Logger LOG = LoggerFactory.getLogger("service.memory");

    private static final int FULL_PERCENT = 90;

    /** What shall be in use at most once the memory is back. */
    private static final int AIM_PERCENT = 80;

    private final MemoryPool memory;
    private final Thread registering =
            Thread.ofPlatform().daemon().name("heap-guard").unstarted(this::register);
    private volatile Set<String> heapPools = Set.of();

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
            Map<String, MemoryUsage> after = GarbageCollectionNotificationInfo.from(
                            (CompositeData) notification.getUserData())
                    .getGcInfo()
                    .getMemoryUsageAfterGc();
            long used = after.entrySet().stream()
                    .filter(pool -> heapPools.contains(pool.getKey()))
                    .mapToLong(pool -> pool.getValue().getUsed())
                    .sum();
            collected(used, Runtime.getRuntime().maxMemory());
        }
    }

    private void collected(long used, long max) {
        if (used <= max / 100 * FULL_PERCENT) {
            return;
        }
        MemoryPool.Relief relief = memory.relieve(used - max / 100 * AIM_PERCENT);
        if (relief.ended() > 0 || relief.droppedBytes() > 0) {
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
