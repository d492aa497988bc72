package service.projection.query.vector;

import org.jspecify.annotations.Nullable;
import service.core.error.ErrorCode;
import service.core.error.ErrorDetail;
import service.core.error.ServiceException;
import service.core.port.GraphView;
import service.core.port.QueryExecutor.Limits;

/** The view of one execution and the work, time, rows and memory that it may still use. Confined to one thread. */
public final class ExecutionBudget {
    /** Units of work between two checks of the deadline: well below 10 ms even if each unit misses the cache. */
    private static final int WORK_PER_CHECK = 2048;

    /** Bytes of text that take about as long to read as one unit of work. */
    private static final int BYTES_A_STEP = 16;

    private static final String FEWER_ROWS = "sort, group, collect or return fewer rows, or add a limit";

    public final GraphView view;
    public final Limits limits;
    private long examined;
    private long nextCheck = WORK_PER_CHECK;
    private int steps;
    private long memory;
    private long rows;

    public ExecutionBudget(GraphView view, Limits limits) {
        this.view = view;
        this.limits = limits;
        check();
    }

    /** Counts entities and edges that were read from the view. */
    public void examined(int count) {
        examined += count;
        if (examined > limits.work()) {
            throw exceeded(
                    "work_limit",
                    limits.work(),
                    examined,
                    "the query examined more than " + limits.work() + " entities and edges",
                    "narrow the match, add an index, or raise work_limit");
        }
        if (examined >= nextCheck) {
            nextCheck = examined + WORK_PER_CHECK;
            check();
        }
    }

    /** Counts one unit of work that reads nothing from the view, such as a comparison. */
    public void step() {
        steps(1);
    }

    /**
     * Counts several units of work.
     *
     * @param count units of ten to a hundred nanoseconds each
     */
    public void steps(int count) {
        steps += count;
        if (steps >= WORK_PER_CHECK) {
            check();
        }
    }

    /** Counts a pass over bytes, such as a comparison or a hash of texts. */
    public void bytes(int length) {
        steps(1 + length / BYTES_A_STEP);
    }

    /** Checks the deadline and whether the caller still waits. */
    public void check() {
        steps = 0;
        limits.budget().checkpoint(this::checkDeadline);
    }

    private void checkDeadline() {
        if (System.nanoTime() - limits.deadlineNanos() > 0) {
            throw exceeded(
                    "timeout_ms",
                    limits.timeoutMillis(),
                    null,
                    "the query exceeded its time limit of " + limits.timeoutMillis() + " ms",
                    "narrow the match or raise timeout_ms");
        }
    }

    /** Charges memory that grows with the data, in bytes: sorts, hash tables, collected values, the caller's rows. */
    public void charge(long bytes) {
        memory += bytes;
        if (memory > limits.budget().queryBytesMax()) {
            long max = limits.budget().queryBytesMax();
            throw exceeded(
                    "memory_bytes", max, memory, "the query needs more than " + max + " bytes of memory", FEWER_ROWS);
        }
        limits.budget().memory().charge(bytes, "the query", FEWER_ROWS);
    }

    public void release(long bytes) {
        memory -= bytes;
        limits.budget().memory().release(bytes);
    }

    /** Counts result rows. */
    public void returned(int count) {
        rows += count;
        if (rows > limits.rows()) {
            throw exceeded(
                    "row_limit",
                    limits.rows(),
                    null,
                    "the query returns more than " + limits.rows() + " rows",
                    "add a limit or raise row_limit");
        }
    }

    private static ServiceException exceeded(
            String resource, long limit, @Nullable Long actual, String what, String remedy) {
        return new ServiceException(
                ErrorCode.RESOURCE_LIMIT, what + ": " + remedy, new ErrorDetail.ResourceLimit(resource, limit, actual));
    }
}
