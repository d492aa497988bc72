package service.core.graph.request;

import java.util.concurrent.TimeUnit;
import service.core.budget.RequestBudget;
import service.core.error.ErrorCode;
import service.core.error.ErrorDetail;
import service.core.error.ServiceException;
import service.core.gq.CompiledSource;
import service.core.gq.GqCompiler;
import service.core.gq.PlanWeight;
import service.core.text.Work;

/**
 * The compilation of a source on behalf of a request: it is charged to the memory of the request, and ends with the
 * time limit or when the caller is gone. One thread.
 */
public final class SourceWork implements Work, AutoCloseable {
    /** Sources up to this length are not charged: the heap beside the pool has room for one of each request. */
    private static final int SOURCE_CHARS_FREE = 1 << 10;

    /** Steps between two checks: each is a token or a part of an expression. */
    private static final int STEPS_PER_CHECK = 1024;

    private final RequestBudget budget;
    private final long millis;
    private final long deadlineNanos;
    private final long sourceBytes;
    private long otherBytes;
    private int steps;

    /**
     * Charges the memory that compiling the source needs. Short sources are not charged, so that point reads do not
     * touch the pool.
     *
     * @param startNanos when the time of the request began, on {@link System#nanoTime}'s clock
     * @throws ServiceException RESOURCE_LIMIT or OVERLOADED
     */
    public SourceWork(String source, Settings settings, long startNanos, RequestBudget budget) {
        this.budget = budget;
        this.millis = settings.timeoutMillis();
        this.deadlineNanos = startNanos + TimeUnit.MILLISECONDS.toNanos(millis);
        this.sourceBytes = source.length() <= SOURCE_CHARS_FREE ? 0 : GqCompiler.BYTES_PER_CHAR * source.length();
        if (sourceBytes > 0) {
            budget.memory().charge(sourceBytes, "the query text", "pass long values as parameters");
        }
    }

    @Override
    public void steps(int count) {
        steps += count;
        if (steps >= STEPS_PER_CHECK) {
            steps = 0;
            budget.checkpoint(this::checkDeadline);
        }
    }

    private void checkDeadline() {
        if (System.nanoTime() - deadlineNanos > 0) {
            throw new ServiceException(
                    ErrorCode.RESOURCE_LIMIT,
                    "the query text was not compiled within the time limit of " + millis
                            + " ms: pass long values as parameters, or raise timeout_ms, at most to the SERVICE_TIMEOUT_MS"
                            + " of the process",
                    new ErrorDetail.ResourceLimit("timeout_ms", millis, null));
        }
    }

    @Override
    public void charge(long bytes) {
        budget.checkpoint(this::checkDeadline);
        budget.memory().charge(bytes, "the query text", "use fewer regular expressions, or shorter ones");
        otherBytes += bytes;
    }

    @Override
    public void release(long bytes) {
        budget.memory().release(bytes);
        otherBytes -= bytes;
    }

    /** Keeps the charge for a plan, and returns that for all else. */
    public void done(CompiledSource compiled) {
        if (sourceBytes > 0) {
            budget.memory().release(Math.max(0, sourceBytes - PlanWeight.of(compiled)));
        }
    }

    /** Returns the charge for the source: nothing of what was made is kept. */
    public void forgotten() {
        budget.memory().release(sourceBytes);
    }

    /** Returns the charge for what the checks alone needed. */
    @Override
    public void close() {
        budget.memory().release(otherBytes);
        otherBytes = 0;
    }
}
