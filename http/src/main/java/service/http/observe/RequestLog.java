package service.http.observe;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/** One log line for each request, with its outcome; never a token, a parameter value or a row. Any thread. */
public final class RequestLog {
    private static final Logger LOG = LoggerFactory.getLogger("service.http.request");

    private RequestLog() {}

    /**
     * The outcome of a request.
     *
     * @param route the template, never the path itself, which holds names
     */
    public static void write(
            String requestId,
            @Nullable String actor,
            @Nullable String graph,
            String method,
            @Nullable String route,
            int status,
            long micros) {
        if (!LOG.isInfoEnabled()) {
            return;
        }
        LoggingEventBuilder line = LOG.atInfo().addKeyValue("request_id", requestId);
        if (actor != null) {
            line = line.addKeyValue("actor", actor);
        }
        if (graph != null) {
            line = line.addKeyValue("graph", graph);
        }
        line.addKeyValue("method", method)
                .addKeyValue("route", route == null ? "unknown" : route)
                .addKeyValue("status", status)
                .addKeyValue("micros", micros)
                .log("request");
    }

    /** A request that ended without a whole response. */
    public static void aborted(String requestId, String reason) {
        LOG.atInfo()
                .addKeyValue("request_id", requestId)
                .addKeyValue("reason", reason)
                .log("connection closed");
    }

    /** A fault of ours: what the client is not told stands here, under the request's id. */
    public static void fault(String requestId, Throwable fault) {
        LOG.atError().addKeyValue("request_id", requestId).setCause(fault).log("internal fault");
    }

    /** Why a credential was refused; the client sees only that it was. */
    public static void refusedCredential(String requestId, String reason) {
        LOG.atInfo()
                .addKeyValue("request_id", requestId)
                .addKeyValue("reason", reason)
                .log("credential refused");
    }
}
