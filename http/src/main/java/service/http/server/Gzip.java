package service.http.server;

import io.undertow.server.HttpServerExchange;
import io.undertow.util.HeaderValues;
import io.undertow.util.Headers;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Locale;
import java.util.zip.GZIPOutputStream;
import service.http.route.Answer;

/** Compression of responses, where the client takes it. */
final class Gzip {
    /** Smaller bodies are not worth it. */
    static final int BYTES_MIN = 1_024;

    private Gzip() {}

    /** Whether {@code Accept-Encoding} takes gzip. */
    static boolean isAccepted(HttpServerExchange exchange) {
        HeaderValues values = exchange.getRequestHeaders().get(Headers.ACCEPT_ENCODING);
        if (values == null) {
            return false;
        }
        boolean any = false;
        for (String value : values) {
            for (String item : value.toLowerCase(Locale.ROOT).split(",", -1)) {
                String[] parts = item.strip().split("\\s*;\\s*", -1);
                boolean refused = parts.length > 1 && parts[1].matches("q=0(\\.0*)?");
                if (parts[0].equals("gzip")) {
                    return !refused;
                }
                any |= parts[0].equals("*") && !refused;
            }
        }
        return any;
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
