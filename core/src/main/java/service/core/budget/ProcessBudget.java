package service.core.budget;

import java.util.function.BooleanSupplier;

/**
 * The resources that all requests of a process share. One per process; made by the composition root. Any thread.
 *
 * @param memory heap memory of requests and caches
 * @param compute the processors
 * @param queryBytesMax heap memory of one query, in bytes
 * @param spill disk space for bytes that requests do not keep on the heap
 */
public record ProcessBudget(MemoryPool memory, ComputeShare compute, long queryBytesMax, SpillSpace spill) {
    /**
     * Opens the budget of a request.
     *
     * @param cancelled whether the caller is gone; asked at every checkpoint
     */
    public RequestBudget open(BooleanSupplier cancelled) {
        return new RequestBudget(new MemoryAccount(memory), compute.open(), spill, cancelled, queryBytesMax);
    }
}
