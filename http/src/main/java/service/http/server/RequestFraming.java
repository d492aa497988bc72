package service.http.server;

import io.undertow.server.HttpServerExchange;
import io.undertow.util.HeaderMap;
import io.undertow.util.HeaderValues;
import io.undertow.util.Headers;
import io.undertow.util.Methods;
import io.undertow.util.Protocols;
import service.core.error.ErrorCode;
import service.core.error.ErrorDetail;
import service.core.error.ServiceException;
import service.http.limit.Limit;
import service.http.limit.Limits;

/**
 * The first checks of a request: how its end is found, and how long its URL and its headers are. They need neither a
 * credential nor a route. Runs on the I/O thread.
 */
record RequestFraming(HttpServerExchange exchange, Limits limits) {
    /** What the headers of a note may add to a header block: 8 KiB of text, percent-encoded. */
    private static final int NOTE_BYTES = 16 << 10;

    /** Bytes of a header line besides name and value: colon, space and line end. */
    private static final int HEADER_LINE_REST = 4;

    /** Bytes of a request line besides path and query string, roughly. */
    private static final int REQUEST_LINE_REST = 16;

    /** Digits of a {@code Content-Length} that fits into a long. */
    private static final int LENGTH_DIGITS_MAX = 18;

    /** Throws the first refusal. */
    void check() {
        closeAfterwards();
        announcePersistence();
        refuseAmbiguousFraming();
        refuseLongUrl();
        refuseLongHeaders();
    }

    /** Undertow finds the option {@code close} only where it is alone in its header line. */
    private void closeAfterwards() {
        HeaderValues options = exchange.getRequestHeaders().get(Headers.CONNECTION);
        if (options == null || !exchange.isPersistent()) {
            return;
        }
        for (String line : options) {
            for (String option : line.split(",", -1)) {
                if (option.strip().equalsIgnoreCase("close")) {
                    exchange.setPersistent(false);
                }
            }
        }
    }

    /**
     * A client of HTTP/1.0 that asked for it reads the answer to the end of the connection unless the answer says that
     * the connection stays open. Undertow replaces the header when the connection will be closed after all.
     */
    private void announcePersistence() {
        if (exchange.isPersistent() && exchange.getProtocol().equals(Protocols.HTTP_1_0)) {
            exchange.getResponseHeaders().put(Headers.CONNECTION, "keep-alive");
        }
    }

    /**
     * Refuses ambiguous framing, which request smuggling needs. Undertow would accept {@code xchunked} and {@code gzip,
     * chunked} as chunked, and a {@code Content-Length} that overflows.
     */
    private void refuseAmbiguousFraming() {
        HeaderValues encodings = exchange.getRequestHeaders().get(Headers.TRANSFER_ENCODING);
        HeaderValues lengths = exchange.getRequestHeaders().get(Headers.CONTENT_LENGTH);
        boolean chunked = encodings != null && !encodings.isEmpty();
        if (chunked && (encodings.size() != 1 || !encodings.getFirst().equalsIgnoreCase("chunked"))) {
            exchange.setPersistent(false);
            throw ServiceException.badRequest(
                    "header `Transfer-Encoding` must be exactly `chunked`, once; no other coding is taken");
        }
        if (chunked && exchange.getProtocol().equals(Protocols.HTTP_1_0)) {
            exchange.setPersistent(false);
            throw ServiceException.badRequest("HTTP/1.0 has no `Transfer-Encoding`; give `Content-Length`");
        }
        if (lengths != null && lengths.getFirst().length() > LENGTH_DIGITS_MAX) {
            exchange.setPersistent(false);
            throw ServiceException.badRequest("`Content-Length` has at most " + LENGTH_DIGITS_MAX + " digits");
        }
        if (lengths != null && (chunked || lengths.size() > 1)) {
            exchange.setPersistent(false);
            throw ServiceException.badRequest("give `Content-Length` once, or `Transfer-Encoding: chunked`, not both");
        }
    }

    private void refuseLongUrl() {
        long length = exchange.getRequestURI().length()
                + 1L
                + exchange.getQueryString().length();
        long limit = limits.get(Limit.URL_BYTES_MAX);
        if (length > limit) {
            throw new ServiceException(
                    ErrorCode.RESOURCE_LIMIT,
                    "the URL is longer than " + limit + " bytes",
                    new ErrorDetail.ResourceLimit("url_bytes", limit, length));
        }
    }

    /** Whether the route may be one that takes the headers of a note ({@code Notes}); routes are looked up later. */
    private boolean mayCarryNote() {
        return exchange.getRequestMethod().equals(Methods.DELETE)
                || exchange.getRequestURI().endsWith("/load/ndjson");
    }

    /** The listener has a higher limit and closes the connection without an answer; see {@link ServiceServer}. */
    private void refuseLongHeaders() {
        HeaderMap fields = exchange.getRequestHeaders();
        long length = (long) REQUEST_LINE_REST
                + exchange.getRequestURI().length()
                + exchange.getQueryString().length();
        for (long at = fields.fastIterateNonEmpty(); at != -1; at = fields.fiNextNonEmpty(at)) {
            HeaderValues values = fields.fiCurrent(at);
            int name = values.getHeaderName().length() + HEADER_LINE_REST;
            for (int i = 0; i < values.size(); i++) {
                length += name + values.get(i).length();
            }
        }
        long limit = limits.get(Limit.HEADER_BYTES_MAX) + (mayCarryNote() ? NOTE_BYTES : 0);
        if (length > limit) {
            throw new ServiceException(
                    ErrorCode.RESOURCE_LIMIT,
                    "the headers are longer than " + limit + " bytes",
                    new ErrorDetail.ResourceLimit("header_bytes", limit, length));
        }
    }
}
