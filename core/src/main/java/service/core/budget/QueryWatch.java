package service.core.budget;

import java.util.List;

/** Takes the slow queries and mutations of one request. Called on the thread that ends them, so it must be short. */
public interface QueryWatch {
    /** The time from which a query is slow, in nanoseconds. */
    long slowNanos();

    /** Takes a query that has ended. */
    void slow(SlowQuery query);

    /**
     * A slow query or mutation, without a value of a parameter, of the query text or of the graph.
     *
     * @param name the name of the query; empty when it has none
     * @param nanos its time, with planning and, for a mutation, the commit
     * @param rows rows that it has answered
     * @param entities entities that it has changed
     * @param outcome {@code done}, the code of its refusal, or {@code cancelled}
     * @param plan the operators of its plan in pre-order, indented; empty when it ended before there was a plan
     */
    record SlowQuery(String name, long nanos, long rows, long entities, String outcome, List<String> plan) {
        public SlowQuery {
            plan = List.copyOf(plan);
        }
    }
}
