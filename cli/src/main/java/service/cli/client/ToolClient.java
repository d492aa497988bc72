package service.cli.client;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import service.cli.client.Transport.Reply;
import service.cli.client.Transport.Request;
import service.mcp.tool.ResultSize;

/**
 * Asks a graph for the tools of agents: answers are the bytes that the server sends, up to a size and within a time.
 * Failures are those of {@link GraphClient}. Thread rule: that of its {@link Transport}; an interruption ends a call.
 */
public final class ToolClient {
    private final Transport transport;
    private final long bytesMax;
    private final Duration patience;

    /**
     * A client over a transport, which stays the caller's.
     *
     * @param resultBytesMax the largest result of a tool, which has the answer twice
     * @param patience how long an answer may take to begin
     */
    public ToolClient(Transport transport, long resultBytesMax, Duration patience) {
        this.transport = transport;
        this.bytesMax = resultBytesMax;
        this.patience = patience;
    }

    /**
     * The answer to a {@code GET}.
     *
     * @param parameters of the query string; null values are left out
     * @param path the segments after the graph, not encoded
     */
    public byte[] get(Map<String, ? extends @Nullable String> parameters, String... path) {
        Request request = Request.of("GET", path);
        parameters.forEach(request::with);
        return ask(request);
    }

    /** The answer to a {@code POST}. */
    public byte[] post(ObjectNode body, String... path) {
        return ask(Request.of("POST", path).body(body));
    }

    private byte[] ask(Request request) {
        Bounded bytes = new Bounded(bytesMax);
        try (Reply reply = transport.send(request.within(patience))) {
            reply.copyTo(bytes, "answer");
        }
        return bytes.toByteArray();
    }

    private static final class Bounded extends OutputStream {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private final long resultBytesMax;

        Bounded(long resultBytesMax) {
            this.resultBytesMax = resultBytesMax;
        }

        byte[] toByteArray() {
            return bytes.toByteArray();
        }

        @Override
        public void write(int value) {
            write(new byte[] {(byte) value}, 0, 1);
        }

        @Override
        public void write(byte[] more, int offset, int length) {
            if (bytes.size() + length > resultBytesMax / 2) {
                throw ResultSize.tooLarge(resultBytesMax);
            }
            bytes.write(more, offset, length);
        }
    }
}
