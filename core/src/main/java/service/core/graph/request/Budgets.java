package service.core.graph.request;

import java.util.concurrent.TimeUnit;
import service.core.budget.RequestBudget;
import service.core.port.QueryExecutor;

/** Converts the limits of a request for the executor. */
public final class Budgets {
    /** Sources up to this length are not charged: the heap beside the pool has room for one of each request. */
    private static final int SOURCE_CHARS_FREE = 1 << 10;

    /** Heap bytes per character of a source while it is compiled: its tokens, syntax tree and plan. */
    private static final long SOURCE_BYTES_PER_CHAR = 100;

    private Budgets() {}

    public static QueryExecutor.Limits limits(Settings settings, long nowMicros, RequestBudget budget) {
        return new QueryExecutor.Limits(
                nowMicros,
                System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(settings.timeoutMillis()),
                settings.timeoutMillis(),
                settings.workLimit(),
                settings.rowLimit(),
                budget);
    }

    /** Microseconds since the epoch: the start time of a request. */
    public static long nowMicros() {
        java.time.Instant now = java.time.Instant.now();
        return now.getEpochSecond() * 1_000_000L + now.getNano() / 1000;
    }

    /**
     * Charges the memory that compiling a source needs, before it is parsed. Short sources are not charged, so that
     * point reads do not touch the pool.
     *
     * @throws service.core.error.ServiceException RESOURCE_LIMIT or OVERLOADED
     */
    public static void chargeSource(RequestBudget budget, String source) {
        if (source.length() > SOURCE_CHARS_FREE) {
            budget.memory()
                    .charge(
                            SOURCE_BYTES_PER_CHAR * source.length(),
                            "the query text",
                            "pass long values as parameters");
        }
    }
}
