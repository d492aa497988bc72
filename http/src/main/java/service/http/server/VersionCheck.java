package service.http.server;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.xnio.conduits.AbstractStreamSourceConduit;
import org.xnio.conduits.StreamSourceConduit;

/**
 * Makes Undertow refuse a request line whose major version is not 1. Undertow serves an unknown version as HTTP/1.1,
 * and passes on no trace of it. So this conduit follows the bytes of a request line on their way to the parser, and
 * replaces another major version by a byte that the parser refuses. A request line of which a part was read together
 * with the previous request is not checked.
 *
 * <p>Thread rule: one thread at a time, as the connection.
 */
final class VersionCheck extends AbstractStreamSourceConduit<StreamSourceConduit> {
    /** Precedes the major version. A valid target contains no space. */
    private static final byte[] PREFIX = " HTTP/".getBytes(StandardCharsets.US_ASCII);

    /** Whether the next bytes belong to a request line. */
    private boolean following = true;

    private final ConnectionDeadline deadline;

    /** Number of bytes of {@link #PREFIX} that were read last. */
    private int matched;

    /** Bytes read since {@link #forget}. */
    private long count;

    VersionCheck(StreamSourceConduit next, ConnectionDeadline deadline) {
        super(next);
        this.deadline = deadline;
    }

    /** The next byte is the first one of a request. */
    void start() {
        following = true;
        matched = 0;
    }

    /** Bytes read since the last call of {@link #forget}. */
    long count() {
        return count;
    }

    void forget() {
        count = 0;
    }

    /** The next bytes belong to no request line. */
    void stop() {
        following = false;
    }

    @Override
    public int read(ByteBuffer into) throws IOException {
        int start = into.position();
        int read = super.read(into);
        if (read <= 0) {
            return read;
        }
        count += read;
        if (following) {
            deadline.awaitHeaders();
        }
        for (int at = start; following && at < start + read; at++) {
            follow(into, at);
        }
        return read;
    }

    private void follow(ByteBuffer bytes, int at) {
        byte next = bytes.get(at);
        if (matched == PREFIX.length) {
            following = false;
            if (next != '1') {
                bytes.put(at, (byte) 0);
            }
        } else if (next == '\n') {
            following = false;
        } else {
            // The first byte of the prefix occurs only once in it.
            matched = next == PREFIX[matched] ? matched + 1 : next == PREFIX[0] ? 1 : 0;
        }
    }
}
