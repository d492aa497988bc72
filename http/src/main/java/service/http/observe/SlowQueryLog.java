package service.http.observe;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;
import service.core.budget.QueryWatch;

/**
 * Logs one line for each slow query or mutation of a request, with its plan. The line contains no value of a parameter
 * and no constant of the query text.
 *
 * @param graph null where the request names none
 * @param route the template of the path
 * @param slowNanos the time from which a query is slow
 */
public record SlowQueryLog(String requestId, @Nullable String graph, String route, long slowNanos)
        implements QueryWatch {
    private static final Logger LOG = LoggerFactory.getLogger("service.http.slow");

    @Override
    public void slow(SlowQuery query) {
        LoggingEventBuilder line = LOG.atWarn().addKeyValue("request_id", requestId);
        if (graph != null) {
            line = line.addKeyValue("graph", graph);
        }
        line.addKeyValue("route", route)
                .addKeyValue("query", query.name())
                .addKeyValue("micros", TimeUnit.NANOSECONDS.toMicros(query.nanos()))
                .addKeyValue("outcome", query.outcome())
                .addKeyValue("rows", query.rows())
                .addKeyValue("affected_entities", query.entities())
                .addKeyValue("plan", query.plan())
                .log("slow query");
    }
}
