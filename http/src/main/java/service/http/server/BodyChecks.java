package service.http.server;

import io.undertow.server.HttpServerExchange;
import io.undertow.server.protocol.http.HttpContinue;
import io.undertow.util.Headers;
import java.util.Locale;
import service.core.error.ErrorCode;
import service.core.error.Reason;
import service.core.error.ServiceException;
import service.http.limit.Limits;
import service.http.route.BodyRule;
import service.http.stream.BodyReader;

/** What the headers of a request say of its body, before it is read. Runs on the I/O thread. */
final class BodyChecks {
    private static final String GZIP = "gzip";

    private final HttpServerExchange exchange;
    private final Limits limits;

    BodyChecks(HttpServerExchange exchange, Limits limits) {
        this.exchange = exchange;
        this.limits = limits;
    }

    /** Checks the media type, the coding and the announced size; throws the first refusal. */
    void check(BodyRule rule) {
        checkMedia(rule);
        checkSize(rule);
    }

    boolean hasBody() {
        long length = exchange.getRequestContentLength();
        return length > 0 || (length < 0 && exchange.getRequestHeaders().contains(Headers.TRANSFER_ENCODING));
    }

    /**
     * Whether the client sends its body after an interim response. The header is looked up first: few requests have it.
     */
    boolean expectsContinue() {
        return hasBody()
                && exchange.getRequestHeaders().contains(Headers.EXPECT)
                && HttpContinue.requiresContinueResponse(exchange);
    }

    private void checkMedia(BodyRule rule) {
        boolean given = hasBody();
        if (rule == BodyRule.IGNORED) {
            return;
        }
        if (rule == BodyRule.NONE) {
            if (given) {
                throw ServiceException.badRequest("this route takes no body");
            }
            return;
        }
        String type = exchange.getRequestHeaders().getFirst(Headers.CONTENT_TYPE);
        if (!given && (rule.optional() || type == null)) {
            return;
        }
        if (type == null || !isMedia(type, rule.mediaType())) {
            throw new ServiceException(
                    ErrorCode.UNSUPPORTED_MEDIA_TYPE,
                    "the body must have `Content-Type: "
                            + rule.mediaType()
                            + "`"
                            + (type == null ? "; none was given" : ""));
        }
        String coding = exchange.getRequestHeaders().getFirst(Headers.CONTENT_ENCODING);
        if (coding != null
                && !coding.equalsIgnoreCase("identity")
                && !(rule == BodyRule.NDJSON && coding.equalsIgnoreCase(GZIP))) {
            throw ServiceException.of(
                    ErrorCode.UNSUPPORTED_MEDIA_TYPE,
                    Reason.CONTENT_ENCODING,
                    "a body with `Content-Encoding: " + coding + "` is not taken; send it plain"
                            + (rule == BodyRule.NDJSON ? ", or in gzip" : ""));
        }
    }

    /** Whether the body is compressed, which {@link #checkMedia} allows for some routes only. */
    boolean isBodyCompressed() {
        String coding = exchange.getRequestHeaders().getFirst(Headers.CONTENT_ENCODING);
        return coding != null && coding.equalsIgnoreCase(GZIP);
    }

    /** Whether a header is the media type, alone or with the single parameter {@code charset=utf-8}. */
    private static boolean isMedia(String given, String wanted) {
        String type = given.toLowerCase(Locale.ROOT).strip();
        if (type.equals(wanted)) {
            return true;
        }
        int semicolon = type.indexOf(';');
        if (semicolon < 0 || !type.substring(0, semicolon).strip().equals(wanted)) {
            return false;
        }
        String parameter = type.substring(semicolon + 1).strip();
        return parameter.equals("charset=utf-8") || parameter.equals("charset=\"utf-8\"");
    }

    private void checkSize(BodyRule rule) {
        long limit = rule.bytesMax(limits);
        long announced = exchange.getRequestContentLength();
        if (rule != BodyRule.IGNORED && announced > limit) {
            throw BodyReader.tooLarge(limit, announced);
        }
    }
}
