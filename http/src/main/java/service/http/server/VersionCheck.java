package service.http.server;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.xnio.conduits.AbstractStreamSourceConduit;
import org.xnio.conduits.StreamSourceConduit;

/**
 * Makes Undertow refuse a request line whose major version is not 1, and hides empty lines before a request line, which
 * some clients send after a body and RFC 9112 §2.2 wants ignored. Undertow serves an unknown version as HTTP/1.1, and
 * passes on no trace of it. So this conduit follows the bytes of a request line on their way to the parser, and
 * replaces another major version by a byte that the parser refuses. A request line of which a part was read together
 * with the previous request is not checked.
 *
 * <p>Thread rule: one thread at a time, as the connection.
 */
final class VersionCheck extends AbstractStreamSourceConduit<StreamSourceConduit> {
    /** Precedes the major version. A valid target contains no space. */
    private static final byte[] PREFIX = " HTTP/".getBytes(StandardCharsets.US_ASCII);

    /** Empty lines before a request line that are ignored; the next one is malformed. */
    static final int EMPTY_LINES_MAX = 4;

    private static final byte[] EMPTY_LINE = {'\r', '\n'};

    /** Whether the next bytes belong to a request line or to empty lines before it. */
    private boolean following = true;

    /** Bytes of empty lines before the request line; -1 when the line has begun. */
    private int ofEmptyLines;

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
        ofEmptyLines = 0;
    }

    /**
     * Ignores the empty lines at the beginning of bytes that were read together with the previous request. Call it
     * after {@link #start}.
     *
     * @param bytes from its position; the bytes that are ignored are skipped
     */
    void skipEmptyLines(ByteBuffer bytes) {
        while (bytes.hasRemaining() && ofEmptyLines >= 0) {
            if (bytes.get(bytes.position()) == EMPTY_LINE[ofEmptyLines % 2] && ofEmptyLines < 2 * EMPTY_LINES_MAX) {
                bytes.get();
                ofEmptyLines++;
            } else {
                if (ofEmptyLines % 2 == 1) {
                    // CR alone: the parser refuses the byte.
                    bytes.put(bytes.position(), (byte) 0);
                }
                ofEmptyLines = -1;
            }
        }
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
        if (!following) {
            return read;
        }
        deadline.awaitHeaders();
        int kept = ofEmptyLines < 0 ? read : withoutEmptyLines(into, start);
        for (int at = start; following && at < start + kept; at++) {
            follow(into, at);
        }
        return kept;
    }

    /** Removes empty lines from the bytes that were read, and returns the number of the others. */
    private int withoutEmptyLines(ByteBuffer into, int start) {
        ByteBuffer read = into.duplicate().flip().position(start);
        skipEmptyLines(read);
        int kept = read.remaining();
        if (read.position() > start) {
            into.put(start, read, read.position(), kept).position(start + kept);
        }
        return kept;
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
