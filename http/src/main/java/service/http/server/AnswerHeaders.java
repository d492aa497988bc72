package service.http.server;

import io.undertow.util.HeaderMap;
import io.undertow.util.Headers;
import io.undertow.util.HttpString;
import service.core.error.ErrorDetail;
import service.core.error.ServiceException;
import service.http.route.Route;

/** The headers of all responses and of refusals. A route's own headers are part of its answer. */
final class AnswerHeaders {
    static final HttpString REQUEST_ID = new HttpString("X-Request-Id");
    private static final HttpString CONTENT_TYPE_OPTIONS = new HttpString("X-Content-Type-Options");
    private static final HttpString RESOURCE_POLICY = new HttpString("Cross-Origin-Resource-Policy");
    private static final HttpString RETRY_AFTER = new HttpString("Retry-After");
    private static final HttpString DEPRECATION = new HttpString("Deprecation");
    private static final HttpString LINK = new HttpString("Link");

    /** 2026-01-01T00:00:00Z. */
    private static final String DEPRECATED_SINCE = "@1767225600";

    private static final HttpString SNAPSHOT_ID = new HttpString("Service-Snapshot-Id");

    /** Read by nginx, which otherwise keeps a stream until its buffers are full. */
    private static final HttpString BUFFERING = new HttpString("X-Accel-Buffering");

    private final HeaderMap headers;

    AnswerHeaders(HeaderMap headers) {
        this.headers = headers;
    }

    /** Sets the headers that every response carries. */
    void begin(String requestId) {
        headers.put(REQUEST_ID, requestId);
        headers.put(Headers.CACHE_CONTROL, "no-store");
        isolate(headers);
    }

    /**
     * Keeps browsers from guessing what an answer is, and from giving it to pages of other sites: on a server without
     * authentication such a page could otherwise tell what exists.
     */
    static void isolate(HeaderMap headers) {
        headers.put(CONTENT_TYPE_OPTIONS, "nosniff");
        headers.put(RESOURCE_POLICY, "same-origin");
    }

    /** Asks a proxy to pass each piece of a stream on at once, and to read no faster than the client. */
    void passUnbuffered() {
        headers.put(BUFFERING, "no");
    }

    /** Marks the answers of a deprecated route and names its successor (RFC 9745, RFC 8288). */
    void deprecate(RequestChecks.Passed passed) {
        String successor = passed.route().successor();
        if (successor != null) {
            headers.put(DEPRECATION, DEPRECATED_SINCE);
            headers.put(
                    LINK,
                    "<" + successor.replace(Route.GRAPH, passed.segments().get(1)) + ">; rel=\"successor-version\"");
        }
    }

    /** Sets the headers of a refusal, and removes those that described the intended body. */
    void refuse(ServiceException refusal, RequestChecks checks) {
        headers.remove(Headers.CONTENT_ENCODING);
        headers.remove(Headers.CONTENT_LENGTH);
        headers.remove(Headers.TRANSFER_ENCODING);
        headers.remove(Headers.ETAG);
        headers.remove(Headers.ACCEPT_RANGES);
        headers.remove(Headers.CONTENT_RANGE);
        headers.remove(Headers.CONTENT_DISPOSITION);
        headers.remove(SNAPSHOT_ID);
        headers.remove(BUFFERING);
        headers.put(Headers.CACHE_CONTROL, "no-store");
        switch (refusal.code()) {
            case UNAUTHORIZED -> headers.put(Headers.WWW_AUTHENTICATE, checks.challenge());
            case METHOD_NOT_ALLOWED -> {
                String allow = checks.allow;
                if (allow != null) {
                    headers.put(Headers.ALLOW, allow);
                }
            }
            case TOO_MANY_REQUESTS, OVERLOADED, EMBEDDING_UNAVAILABLE, RECOVERY_REQUIRED, NOT_YET_HERE ->
                headers.put(RETRY_AFTER, "1");
            case RANGE_NOT_SATISFIABLE -> {
                if (refusal.detail() instanceof ErrorDetail.BlobRange range) {
                    headers.put(Headers.CONTENT_RANGE, "bytes */" + range.length());
                }
            }
            default -> {}
        }
    }
}
