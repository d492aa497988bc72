package service.core.graph.mutate;

import service.core.budget.RequestBudget;
import service.core.error.ErrorCode;
import service.core.error.ErrorDetail;
import service.core.error.ServiceException;
import service.core.port.QueryExecutor;
import service.core.text.Work;

/** The evaluation of a mutation's expressions: it ends with the time limit or when the caller is gone. One thread. */
final class MutationWork implements Work {
    /** Steps between two checks. */
    private static final int STEPS_PER_CHECK = 2048;

    private final QueryExecutor.Limits limits;
    private final RequestBudget budget;
    private int steps;

    /** @param budget of the thread that evaluates */
    MutationWork(QueryExecutor.Limits limits, RequestBudget budget) {
        this.limits = limits;
        this.budget = budget;
    }

    @Override
    public void steps(int count) {
        steps += count;
        if (steps >= STEPS_PER_CHECK) {
            steps = 0;
            budget.checkpoint(this::checkDeadline);
        }
    }

    @Override
    public void charge(long bytes) {
        budget.memory().charge(bytes, "the mutation", "use fewer regular expressions, or shorter ones");
    }

    @Override
    public void release(long bytes) {
        budget.memory().release(bytes);
    }

    private void checkDeadline() {
        if (System.nanoTime() - limits.deadlineNanos() > 0) {
            throw new ServiceException(
                    ErrorCode.RESOURCE_LIMIT,
                    "the mutation exceeded its time limit of " + limits.timeoutMillis()
                            + " ms and wrote nothing: narrow its predicates or raise timeout_ms, at most to the SERVICE_TIMEOUT_MS"
                            + " of the process",
                    new ErrorDetail.ResourceLimit("timeout_ms", limits.timeoutMillis(), null));
        }
    }
}
