package service.core.budget;

import java.util.function.BooleanSupplier;

/**
 * What all requests of a process share. One per process; made by the composition root. Any thread.
 *
 * @param memory heap memory of requests and caches
 * @param compute the processors
 * @param requestBytesMax heap memory of one request, in bytes
 */
public record ProcessBudget(MemoryPool memory, ComputeShare compute, long requestBytesMax) {
    /** The share of the heap that the pool has where nothing else is configured. */
    private static final int HEAP_SHARE = 2;

    /** Memory of one request where nothing else is configured. */
    private static final long REQUEST_BYTES_DEFAULT = 256L << 20;

    /** The defaults of this JVM: half of its heap, all of its processors. */
    public static ProcessBudget ofThisMachine() {
        return new ProcessBudget(
                new MemoryPool(Runtime.getRuntime().maxMemory() / HEAP_SHARE),
                new ComputeShare(Runtime.getRuntime().availableProcessors()),
                REQUEST_BYTES_DEFAULT);
    }

    /**
     * Opens the budget of a request.
     *
     * @param cancelled whether the caller is gone; asked at every checkpoint
     */
    public RequestBudget open(BooleanSupplier cancelled) {
        return new RequestBudget(new MemoryAccount(memory, requestBytesMax), compute.open(), cancelled);
    }
}
