package service.core.graph.request;

import java.util.List;
import java.util.Locale;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import service.core.batch.Column;
import service.core.budget.NoWaiting;
import service.core.budget.QueryWatch;
import service.core.budget.RequestBudget;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.port.GraphView;
import service.core.port.QueryExecutor;

/**
 * Measures one query or mutation for the slow-query report of its request and for JFR. Where neither is wanted, it does
 * nothing and allocates nothing. One thread at a time.
 */
public final class QueryTiming {
    private static final QueryTiming OFF = new QueryTiming(null, null);

    private final @Nullable QueryWatch watch;
    private final @Nullable QueryEvent event;
    private final long start;
    private Supplier<List<String>> plan = List::of;
    private long rows;

    private QueryTiming(@Nullable QueryWatch watch, @Nullable QueryEvent event) {
        this.watch = watch;
        this.event = event;
        this.start = watch == null ? 0 : System.nanoTime();
    }

    /** Begins now. */
    public static QueryTiming begin(RequestBudget budget) {
        QueryWatch watch = budget.watch();
        QueryEvent event = QueryEvent.begun();
        return watch == null && event == null ? OFF : new QueryTiming(watch, event);
    }

    /** Whether anything is measured. */
    public boolean isOn() {
        return watch != null || event != null;
    }

    /** Says how to get the operators of the plan; asked only for a slow query. */
    public void planned(Supplier<List<String>> outline) {
        if (isOn()) {
            plan = outline;
        }
    }

    /** Counts the rows that pass. */
    public QueryExecutor.Sink counting(QueryExecutor.Sink sink) {
        return isOn() ? new Counting(sink) : sink;
    }

    private final class Counting implements QueryExecutor.Sink {
        private final QueryExecutor.Sink sink;

        Counting(QueryExecutor.Sink sink) {
            this.sink = sink;
        }

        @Override
        public void batch(GraphView view, Column[] columns, int size, QueryExecutor.Kept kept) {
            rows += size;
            sink.batch(view, columns, size, kept);
        }

        @Override
        public void approximate() {
            sink.approximate();
        }
    }

    /** Ends a read. */
    public void ended(String name, @Nullable Throwable failure) {
        end(name, false, 0, failure);
    }

    /** Measures a mutation from the call until its future completes. */
    public static CompletableFuture<MutationResult> mutation(
            RequestBudget budget,
            @Nullable String name,
            Function<QueryTiming, CompletableFuture<MutationResult>> mutation) {
        QueryTiming timing = begin(budget);
        CompletableFuture<MutationResult> outcome;
        try {
            outcome = mutation.apply(timing);
        } catch (RuntimeException e) {
            timing.ended(name, null, e);
            throw e;
        }
        return timing.isOn() ? outcome.whenComplete((result, failure) -> timing.ended(name, result, failure)) : outcome;
    }

    private void ended(@Nullable String name, @Nullable MutationResult result, @Nullable Throwable failure) {
        end(
                result != null ? result.queryName() : name == null ? "" : name,
                true,
                result == null ? 0 : result.affectedNodes() + result.affectedEdges(),
                failure);
    }

    private void end(String name, boolean mutation, long entities, @Nullable Throwable failure) {
        if (!isOn() || failure instanceof NoWaiting.WouldWaitException) {
            return;
        }
        String outcome = outcome(failure);
        if (event != null) {
            event.end(name, mutation, rows, entities, outcome);
        }
        long nanos = System.nanoTime() - start;
        if (watch != null && nanos >= watch.slowNanos()) {
            watch.slow(new QueryWatch.SlowQuery(name, nanos, rows, entities, outcome, outline()));
        }
    }

    /** The report of a failed query must not fail. */
    private List<String> outline() {
        try {
            return plan.get();
        } catch (RuntimeException e) {
            return List.of();
        }
    }

    private static String outcome(@Nullable Throwable failure) {
        return switch (failure) {
            case null -> "done";
            case CompletionException wrapped when wrapped.getCause() != null -> outcome(wrapped.getCause());
            case ServiceException refusal -> refusal.code().wireName();
            case CancellationException ignored -> "cancelled";
            default -> ErrorCode.INTERNAL.name().toLowerCase(Locale.ROOT);
        };
    }
}
