package service.cli.lsp;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Messages of JSON-RPC, each after a header {@code Content-Length}, as language servers exchange them. One thread. */
final class MessageStream {
    /** The longest message that is read. */
    static final int MESSAGE_BYTES_MAX = 16 << 20;

    private static final int HEADER_BYTES_MAX = 8 << 10;
    private static final String LENGTH = "content-length:";
    private static final ObjectMapper JSON = new ObjectMapper();

    private final BufferedInputStream in;
    private final OutputStream out;

    MessageStream(InputStream in, OutputStream out) {
        this.in = new BufferedInputStream(in);
        this.out = out;
    }

    /**
     * The next message; null at the end of the stream.
     *
     * @throws IOException when the peer does not speak the protocol, or sends a message that is too long
     */
    @Nullable
    JsonNode read() throws IOException {
        int length = -1;
        int left = HEADER_BYTES_MAX;
        for (String line = line(left); line != null; line = line(left)) {
            left -= line.length() + 2;
            if (line.toLowerCase(Locale.ROOT).startsWith(LENGTH)) {
                length = length(line.substring(LENGTH.length()).strip());
            } else if (line.isEmpty()) {
                if (length < 0) {
                    throw new IOException("a message has no Content-Length");
                }
                byte[] body = in.readNBytes(length);
                if (body.length < length) {
                    throw new EOFException("the input ended inside a message");
                }
                try {
                    return JSON.readTree(body);
                } catch (JsonProcessingException e) {
                    throw new IOException("a message is no JSON", e);
                }
            }
        }
        return null;
    }

    private static int length(String text) throws IOException {
        if (!text.matches("[0-9]{1,9}") || Integer.parseInt(text) > MESSAGE_BYTES_MAX) {
            throw new IOException("a message has Content-Length `%s`; at most %d bytes are read"
                    .formatted(text.substring(0, Math.min(20, text.length())), MESSAGE_BYTES_MAX));
        }
        return Integer.parseInt(text);
    }

    /** A line of the header without its end; null where the stream has ended before it. */
    private @Nullable String line(int most) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                return null;
            }
            if (line.length() >= most) {
                throw new IOException("the header of a message has more than " + HEADER_BYTES_MAX + " bytes");
            }
            line.append((char) c);
        }
        return line.toString().stripTrailing();
    }

    /** Whether a part of another message has arrived. */
    boolean hasMore() throws IOException {
        return in.available() > 0;
    }

    void write(ObjectNode message) throws IOException {
        byte[] body = JSON.writeValueAsBytes(message.put("jsonrpc", "2.0"));
        out.write(("Content-Length: " + body.length + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
        out.write(body);
        out.flush();
    }
}
