package service.core.graph.request;

import java.util.concurrent.TimeUnit;
import service.core.error.ErrorCode;
import service.core.error.ErrorDetail;
import service.core.error.ServiceException;

/** The {@code timeout_ms} of work that the executor does not count. Any thread. */
public final class TimeBudget {
    private final String what;
    private final long millis;
    private final long deadlineNanos;

    private TimeBudget(String what, long millis) {
        this.what = what;
        this.millis = millis;
        this.deadlineNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    }

    /**
     * Starts the clock.
     *
     * @param what is done, as a refusal says it: "the merge"
     */
    public static TimeBudget start(String what, Settings settings) {
        return new TimeBudget(what, settings.timeoutMillis());
    }

    /** Work that nobody waits for, and that has no limit. */
    public static TimeBudget none(String what) {
        return new TimeBudget(what, TimeUnit.DAYS.toMillis(365));
    }

    /** Refuses with RESOURCE_LIMIT when the time is over. */
    public void check() {
        if (System.nanoTime() - deadlineNanos > 0) {
            throw new ServiceException(
                    ErrorCode.RESOURCE_LIMIT,
                    what + " ran out of its time of " + millis + " ms and wrote nothing: raise timeout_ms",
                    new ErrorDetail.ResourceLimit("timeout_ms", millis, null));
        }
    }
}
