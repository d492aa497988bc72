package service.core.graph.request;

import java.util.concurrent.TimeUnit;
import service.core.budget.RequestBudget;
import service.core.port.QueryExecutor;

/** Converts the limits of a request for the executor. */
public final class Budgets {
    private Budgets() {}

    /** The limits of a request whose time begins now. */
    public static QueryExecutor.Limits limits(Settings settings, long nowMicros, RequestBudget budget) {
        return limits(settings, nowMicros, System.nanoTime(), budget);
    }

    /**
     * The limits of a request.
     *
     * @param startNanos when its time began, on {@link System#nanoTime}'s clock
     */
    public static QueryExecutor.Limits limits(
            Settings settings, long nowMicros, long startNanos, RequestBudget budget) {
        return new QueryExecutor.Limits(
                nowMicros,
                startNanos + TimeUnit.MILLISECONDS.toNanos(settings.timeoutMillis()),
                settings.timeoutMillis(),
                settings.workLimit(),
                settings.rowLimit(),
                budget,
                settings.search());
    }

    /** Microseconds since the epoch: the start time of a request. */
    public static long nowMicros() {
        java.time.Instant now = java.time.Instant.now();
        return now.getEpochSecond() * 1_000_000L + now.getNano() / 1000;
    }
}
