package service.http.server;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

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

    private final Socket socket;
    private final InputStream in;

    RawConnection(InetSocketAddress address) throws IOException {
        this(address, 0);
    }

    RawConnection(InetSocketAddress address, int receiveBufferBytes) throws IOException {
        socket = new Socket();
        if (receiveBufferBytes > 0) {
            socket.setReceiveBufferSize(receiveBufferBytes);
        }
        socket.connect(address);
        socket.setSoTimeout(10_000);
        in = socket.getInputStream();
    }

    RawConnection send(String text) throws IOException {
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
        String status = line();
        Map<String, String> headers = new TreeMap<>();
        for (String line = line(); !line.isEmpty(); line = line()) {
            int colon = line.indexOf(':');
            headers.put(
                    line.substring(0, colon).toLowerCase(Locale.ROOT),
                    line.substring(colon + 1).strip());
        }
        byte[] content = body ? body(headers) : new byte[0];
        return new Response(
                Integer.parseInt(status.substring(9, 12)), headers, new String(content, StandardCharsets.UTF_8));
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
