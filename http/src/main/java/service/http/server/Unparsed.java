package service.http.server;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.http.error.ErrorBody;
import service.http.error.ErrorStatus;
import service.http.limit.Taken;
import service.http.observe.RequestLog;

/**
 * Answers requests that Undertow passes to no handler: those that it cannot parse, and connections that have no place.
 * Thread rule: any thread.
 */
final class Unparsed {

    private Unparsed() {}

    /** Logs and counts the request, and returns its answer with status line and headers. */
    static byte[] answer(ServerContext context) {
        String requestId = context.ids().of(null);
        ServiceException refusal =
                ServiceException.badRequest("the request is malformed: its request line, its headers or their size, or"
                        + " `Content-Length` and `Transfer-Encoding` are not as HTTP/1.1 has them. In the path and the"
                        + " query string `%` is followed by two hexadecimal digits; write % itself as %25. Correct the"
                        + " request and send it over a new connection");
        int status = ErrorStatus.of(refusal.code());
        context.observed().finished("unknown", null, status, 0);
        RequestLog.finished(new RequestLog.Finished(requestId, null, null, null, "unknown", null, status, 0));
        return answer("400 Bad Request", "", refusal, requestId);
    }

    /** The answer to a connection for which there is no place, with status line and headers. It is not logged. */
    static byte[] noPlace(Taken why) {
        return answer(
                "429 Too Many Requests",
                "Retry-After: 1\r\n",
                new ServiceException(
                        ErrorCode.TOO_MANY_REQUESTS,
                        switch (why) {
                            case YES, NONE_IS_FREE ->
                                "the server has as many connections as it takes; use fewer, close those that are idle,"
                                        + " and try again in a second";
                            case SHARE_IS_USED, GRAPH_SHARE_IS_USED ->
                                "this address has its share of the connections that the server takes; use fewer, close"
                                        + " those that are idle, and try again in a second";
                        }),
                null);
    }

    private static byte[] answer(String status, String headers, ServiceException refusal, @Nullable String requestId) {
        byte[] body = ErrorBody.render(refusal, requestId);
        byte[] head = ("HTTP/1.1 " + status + "\r\n"
                        + "Content-Type: application/json\r\n"
                        + "Content-Length: " + body.length + "\r\n"
                        + (requestId == null ? "" : AnswerHeaders.REQUEST_ID + ": " + requestId + "\r\n")
                        + headers
                        + "Cache-Control: no-store\r\n"
                        + "X-Content-Type-Options: nosniff\r\n"
                        + "Cross-Origin-Resource-Policy: same-origin\r\n"
                        + "Connection: close\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII);
        byte[] answer = Arrays.copyOf(head, head.length + body.length);
        System.arraycopy(body, 0, answer, head.length, body.length);
        return answer;
    }
}
