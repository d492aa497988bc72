package service.core.graph.request;

import jdk.jfr.Category;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/** JFR event {@code service.Query}: a query or mutation, from its first step to its last row or its commit. */
@Name("service.Query")
@Label("Query")
@Category("Service")
@StackTrace(false)
final class QueryEvent extends Event {
    private static final QueryEvent PROBE = new QueryEvent();

    @Label("Query Name")
    @Nullable
    String query;

    @Label("Mutation")
    boolean mutation;

    @Label("Rows")
    long rows;

    @Label("Changed Entities")
    long entities;

    @Label("Outcome")
    @Nullable
    String outcome;

    /** A new event; null, without an allocation, while no recording wants it. */
    static @Nullable QueryEvent begun() {
        if (!PROBE.isEnabled()) {
            return null;
        }
        QueryEvent event = new QueryEvent();
        event.begin();
        return event;
    }

    void end(String name, boolean mutates, long resultRows, long changed, String result) {
        end();
        if (shouldCommit()) {
            query = name;
            mutation = mutates;
            rows = resultRows;
            entities = changed;
            outcome = result;
            commit();
        }
    }
}
