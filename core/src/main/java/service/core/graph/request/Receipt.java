package service.core.graph.request;

/** The answer to a write that may have an idempotency key. */
public interface Receipt {
    /** Whether the write was done before under the same key, and this repeats its first answer. */
    boolean replayed();
}
