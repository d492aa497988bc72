package service.http.observe;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;
import service.core.value.VisibleText;

/** Logs one line for each request. It never contains a token, a parameter value or a row. Thread rule: any thread. */
public final class RequestLog {
    private static final Logger LOG = LoggerFactory.getLogger("service.http.request");

    private RequestLog() {}

    /**
     * A request that has ended.
     *
     * @param tokenId {@code jti} of the signed token; null for other credentials
     * @param route the template of the path; the path itself contains names of users' data
     */
    public record Finished(
            String requestId,
            @Nullable String actor,
            @Nullable String tokenId,
            @Nullable String graph,
            String method,
            @Nullable String route,
            int status,
            long micros) {}

    /** Logs the outcome of a request. */
    public static void finished(Finished request) {
        if (!LOG.isInfoEnabled()) {
            return;
        }
        LoggingEventBuilder line = LOG.atInfo().addKeyValue("request_id", request.requestId());
        if (request.actor() != null) {
            line = line.addKeyValue("actor", request.actor());
        }
        if (request.tokenId() != null) {
            line = line.addKeyValue("jti", request.tokenId());
        }
        if (request.graph() != null) {
            // There may be no such graph: the name is what was asked for.
            line = line.addKeyValue("graph", VisibleText.message(request.graph()));
        }
        line.addKeyValue("method", request.method())
                .addKeyValue("route", request.route() == null ? "unknown" : request.route())
                .addKeyValue("status", request.status())
                .addKeyValue("micros", request.micros())
                .log("request");
    }

    /** Logs a connection that was closed without a complete response. */
    public static void aborted(String requestId, String reason) {
        LOG.atInfo()
                .addKeyValue("request_id", requestId)
                .addKeyValue("reason", reason)
                .log("connection closed");
    }

    /** Logs an internal fault. The client gets the request id only. */
    public static void fault(String requestId, Throwable fault) {
        LOG.atError().addKeyValue("request_id", requestId).setCause(fault).log("internal fault");
    }

    /**
     * Logs that a request has found damaged bytes. The client gets the request id only.
     *
     * @param finding names what is damaged, without its content
     */
    public static void damaged(String requestId, @Nullable String graph, String finding) {
        LOG.atError()
                .addKeyValue("request_id", requestId)
                .addKeyValue("graph", graph)
                .addKeyValue("finding", finding)
                .log("damaged data");
    }

    /** Logs why a credential was refused. The client learns only that it was refused. */
    public static void refusedCredential(String requestId, String reason) {
        LOG.atInfo()
                .addKeyValue("request_id", requestId)
                .addKeyValue("reason", reason)
                .log("credential refused");
    }
}
