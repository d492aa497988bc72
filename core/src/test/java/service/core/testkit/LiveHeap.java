package service.core.testkit;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.util.function.IntFunction;

/** Measures what objects really hold: the used heap after a collection, before and after they were made. */
public final class LiveHeap {
    private static final MemoryMXBean MEMORY = ManagementFactory.getMemoryMXBean();

    private LiveHeap() {}

    /** Heap bytes of everything that is reachable now. */
    public static long bytes() {
        MEMORY.gc();
        return MEMORY.getHeapMemoryUsage().getUsed();
    }

    /**
     * Bytes of one of many equal objects, without the reference to it.
     *
     * @param maker makes the object of an index
     */
    public static double ofEach(int count, IntFunction<Object> maker) {
        Object[] all = new Object[count];
        long before = bytes();
        for (int i = 0; i < count; i++) {
            all[i] = maker.apply(i);
        }
        long after = bytes();
        if (all[count - 1] == null) {
            throw new IllegalStateException("the maker made nothing");
        }
        return (double) (after - before) / count;
    }
}
