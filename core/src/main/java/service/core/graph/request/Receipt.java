package service.core.graph.request;

/** The answer to a write that may be given an idempotency key. */
public interface Receipt {
    /** Whether the write was done before, under the same key, and this is its first answer. */
    boolean replayed();
}
