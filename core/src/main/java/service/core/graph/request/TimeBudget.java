package service.core.graph.request;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import service.core.budget.RequestBudget;
import service.core.error.ErrorCode;
import service.core.error.ErrorDetail;
import service.core.error.ServiceException;

/** The {@code timeout_ms} of work that the executor does not measure, such as a merge. One thread at a time. */
public final class TimeBudget {
    /** Steps between two reads of the clock: less than a millisecond if each step is a look-up in a table. */
    private static final int STEPS_PER_CHECK = 256;

    private final String what;
    private final long millis;
    private final long deadlineNanos;
    private final @Nullable RequestBudget budget;
    private int steps;

    private TimeBudget(String what, long millis, long deadlineNanos, @Nullable RequestBudget budget) {
        this.what = what;
        this.millis = millis;
        this.deadlineNanos = deadlineNanos;
        this.budget = budget;
    }

    /**
     * Starts the clock.
     *
     * @param what the kind of work, for the error message: "the merge"
     * @param budget budget of the request; {@link #check} calls its checkpoint
     */
    public static TimeBudget start(String what, Settings settings, RequestBudget budget) {
        long millis = settings.timeoutMillis();
        return new TimeBudget(what, millis, System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis), budget);
    }

    /** Starts the clock of the search for the commit that a ref names. */
    public static TimeBudget ofRef(Settings settings, RequestBudget budget) {
        return start("finding the commit", settings, budget);
    }

    /** For work of the process, which has no time limit. */
    public static TimeBudget none(String what) {
        return new TimeBudget(what, 0, System.nanoTime() + TimeUnit.DAYS.toNanos(365), null);
    }

    /** The same deadline for a step on the writer's thread, which does not queue for a processor. */
    public TimeBudget onWriter() {
        return new TimeBudget(what, millis, deadlineNanos, budget == null ? null : budget.onWriter());
    }

    /** Counts a step of work, and calls {@link #check} after every {@link #STEPS_PER_CHECK} steps. */
    public void step() {
        if (++steps >= STEPS_PER_CHECK) {
            check();
        }
    }

    /**
     * Checks the clock and the caller, and lets other requests compute.
     *
     * @throws ServiceException RESOURCE_LIMIT when the time is used up
     */
    public void check() {
        steps = 0;
        if (budget == null) {
            checkDeadline();
        } else {
            budget.checkpoint(this::checkDeadline);
        }
    }

    private void checkDeadline() {
        if (System.nanoTime() - deadlineNanos > 0) {
            throw new ServiceException(
                    ErrorCode.RESOURCE_LIMIT,
                    what + " exceeded its time limit of " + millis
                            + " ms and wrote nothing: raise timeout_ms, at most to the SERVICE_TIMEOUT_MS"
                            + " of the process",
                    new ErrorDetail.ResourceLimit("timeout_ms", millis, null));
        }
    }
}
