package service.http.server;

import io.undertow.server.HttpServerExchange;
import io.undertow.util.HeaderValues;
import io.undertow.util.Headers;
import java.io.IOException;
import java.io.OutputStream;
import java.util.zip.GZIPOutputStream;
import service.http.route.Answer;
import service.http.route.Weights;

/** Compression of responses for clients that accept it. */
final class Gzip {
    /** Bodies of up to this size are sent uncompressed. */
    static final int BYTES_MIN = 1_024;

    private Gzip() {}

    /** Whether {@code Accept-Encoding} accepts gzip. */
    static boolean isAccepted(HttpServerExchange exchange) {
        HeaderValues values = exchange.getRequestHeaders().get(Headers.ACCEPT_ENCODING);
        return values != null && Weights.takeGzip(values);
    }

    static byte[] compress(byte[] body) throws IOException {
        Bytes bytes = new Bytes(body.length / 4);
        try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
            gzip.write(body);
        }
        return bytes.exact();
    }

    /** Writes the source compressed and leaves the stream open. */
    static void write(Answer.Source source, OutputStream into) throws IOException {
        GZIPOutputStream gzip = new GZIPOutputStream(into, 8_192);
        source.writeTo(gzip);
        gzip.finish();
    }
}
