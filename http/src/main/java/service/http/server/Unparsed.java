package service.http.server;

import java.nio.charset.StandardCharsets;
import service.core.error.ServiceException;
import service.http.error.ErrorBody;
import service.http.observe.RequestLog;

/** Answers requests that Undertow cannot parse, and therefore passes to no handler. Thread rule: any thread. */
final class Unparsed {
    private static final int STATUS = 400;

    private Unparsed() {}

    /** Logs and counts the request, and returns its answer with status line and headers. */
    static byte[] answer(ServerContext context) {
        String requestId = context.ids().of(null);
        context.observed().finished("unknown", null, STATUS, 0);
        RequestLog.write(requestId, null, null, null, "unknown", null, STATUS, 0);
        byte[] body = ErrorBody.render(
                ServiceException.badRequest("the request is malformed: its request line, its headers or their size, or"
                        + " `Content-Length` and `Transfer-Encoding` are not as HTTP/1.1 has them. In the path and the"
                        + " query string `%` is followed by two hexadecimal digits; write % itself as %25. Correct the"
                        + " request and send it over a new connection"),
                requestId);
        byte[] head = ("HTTP/1.1 400 Bad Request\r\n"
                        + "Content-Type: application/json\r\n"
                        + "Content-Length: " + body.length + "\r\n"
                        + AnswerHeaders.REQUEST_ID + ": " + requestId + "\r\n"
                        + "Cache-Control: no-store\r\n"
                        + "X-Content-Type-Options: nosniff\r\n"
                        + "Cross-Origin-Resource-Policy: same-origin\r\n"
                        + "Connection: close\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII);
        byte[] answer = new byte[head.length + body.length];
        System.arraycopy(head, 0, answer, 0, head.length);
        System.arraycopy(body, 0, answer, head.length, body.length);
        return answer;
    }
}
