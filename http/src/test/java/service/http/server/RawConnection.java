package service.http.server;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import service.http.testkit.AnswerCheck;

/** One TCP connection that sends exactly the given bytes and parses responses strictly. */
final class RawConnection implements AutoCloseable {
    /** A response; header names in lower case. */
    record Response(int status, Map<String, String> headers, String body) {
        String header(String name) {
            return headers.get(name.toLowerCase(Locale.ROOT));
        }
    }

    /** The connection ended before the end of the response. */
    static final class CutException extends IOException {
        private static final long serialVersionUID = 1L;

        CutException(String message) {
            super(message);
        }
    }

    /** Less than the time without progress after which a server with the usual limits closes a connection. */
    private static final int READ_TIMEOUT_MILLIS = 20_000;

    private static final Pattern REQUEST_LINE =
            Pattern.compile("(?m)([A-Z]+) (?:(?i:http|ftp)://[^/ ]*)?(/\\S*) HTTP/1\\.[0-9]\\r?$");

    /** A request whose response has not been read. */
    private record Sent(String method, String target) {}

    private final Socket socket;
    private final InputStream in;
    private final Deque<Sent> sent = new ArrayDeque<>();

    /** What was sent after the last request line that was found. */
    private final StringBuilder unmatched = new StringBuilder();

    RawConnection(InetSocketAddress address) throws IOException {
        this(address, 0);
    }

    RawConnection(InetSocketAddress address, int receiveBufferBytes) throws IOException {
        socket = new Socket();
        if (receiveBufferBytes > 0) {
            socket.setReceiveBufferSize(receiveBufferBytes);
        }
        socket.connect(address);
        socket.setSoTimeout(READ_TIMEOUT_MILLIS);
        in = socket.getInputStream();
    }

    RawConnection send(String text) throws IOException {
        unmatched.append(text);
        Matcher line = REQUEST_LINE.matcher(unmatched);
        int end = 0;
        while (line.find()) {
            sent.addLast(new Sent(line.group(1), line.group(2)));
            end = line.end();
        }
        unmatched.delete(0, end);
        socket.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
        socket.getOutputStream().flush();
        return this;
    }

    /** Sends and ignores a reset, because the server may close the connection meanwhile. */
    void sendUnlessClosed(String text) {
        try {
            send(text);
        } catch (IOException e) {
            // The test checks what the server answered before it closed.
        }
    }

    Response read() throws IOException {
        return read(true);
    }

    /**
     * Reads one response.
     *
     * @param body whether a body follows the headers (not after HEAD)
     */
    Response read(boolean body) throws IOException {
        Response head = head();
        byte[] content = body ? body(head.headers) : new byte[0];
        Response response = new Response(head.status, head.headers, new String(content, StandardCharsets.UTF_8));
        compare(response, content);
        return response;
    }

    /** Reads the headers of a response whose body the test does not read. */
    Response head() throws IOException {
        String status = line();
        Map<String, String> headers = new TreeMap<>();
        for (String line = line(); !line.isEmpty(); line = line()) {
            int colon = line.indexOf(':');
            headers.put(
                    line.substring(0, colon).toLowerCase(Locale.ROOT),
                    line.substring(colon + 1).strip());
        }
        return new Response(Integer.parseInt(status.substring(9, 12)), headers, "");
    }

    /**
     * Compares the response with {@code openapi.json}. Interim responses have no request id; they are not compared. A
     * request whose first line is malformed has no place in the document, and its response must be a refusal.
     */
    private void compare(Response response, byte[] content) {
        if (response.header("X-Request-Id") == null) {
            return;
        }
        Sent request = sent.isEmpty() ? new Sent("GET", "/malformed") : sent.removeFirst();
        Map<String, List<String>> fields = new TreeMap<>();
        response.headers.forEach((name, value) -> fields.put(name, List.of(value)));
        AnswerCheck.check(request.method, request.target, new AnswerCheck.Received(response.status, fields, content));
    }

    /** Waits until the server closes the connection; false when it sends more or the wait times out. */
    boolean isClosedByServer() {
        try {
            return in.read() < 0;
        } catch (java.net.SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    /**
     * Discards what has arrived, and returns whether the server has closed the connection. Nothing is read after it.
     */
    boolean hasEnded() {
        try {
            socket.setSoTimeout(1);
            int read;
            do {
                read = in.read();
            } while (read >= 0);
            return true;
        } catch (java.net.SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    private byte[] body(Map<String, String> headers) throws IOException {
        if ("chunked".equals(headers.get("transfer-encoding"))) {
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            while (true) {
                int size = Integer.parseInt(line().strip(), 16);
                all.write(exactly(size));
                line();
                if (size == 0) {
                    return all.toByteArray();
                }
            }
        }
        String length = headers.get("content-length");
        return exactly(length == null ? 0 : Integer.parseInt(length));
    }

    private byte[] exactly(int size) throws IOException {
        byte[] bytes = in.readNBytes(size);
        if (bytes.length < size) {
            throw new CutException("the body ended after " + bytes.length + " of " + size + " bytes");
        }
        return bytes;
    }

    private String line() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        while (true) {
            int b = in.read();
            if (b < 0) {
                throw new CutException("the connection ended within a line: " + line);
            }
            if (b == '\n') {
                return line.toString(StandardCharsets.UTF_8).stripTrailing();
            }
            line.write(b);
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
