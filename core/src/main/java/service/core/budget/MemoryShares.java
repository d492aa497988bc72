package service.core.budget;

import java.util.HashMap;
import java.util.Map;

/**
 * What the large requests of each holder have reserved together, which is bounded for each holder. It keeps no trace of
 * a holder without bytes. Any thread.
 */
final class MemoryShares {
    private final long bytesMax;
    private final Map<Object, Long> held = new HashMap<>();

    MemoryShares(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    /** Counts bytes; false when the holder would have more than its share. */
    synchronized boolean take(Object holder, long bytes) {
        long sum = held.getOrDefault(holder, 0L) + bytes;
        if (sum > bytesMax) {
            return false;
        }
        held.put(holder, sum);
        return true;
    }

    synchronized void give(Object holder, long bytes) {
        held.computeIfPresent(holder, (any, sum) -> sum == bytes ? null : sum - bytes);
    }

    /** The number of holders that have bytes. */
    synchronized int holders() {
        return held.size();
    }
}
