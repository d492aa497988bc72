package service.log.segment;

import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * By the object {@code turn} a process that loses one group after the other tells the one that stores them, which
 * learns of no other process otherwise. That one deletes it and leaves turns. It protects nothing: without it, or when
 * it is there for nothing, writes are slower for a moment. Any thread.
 */
final class TurnRequest {
    private static final Logger LOG = LoggerFactory.getLogger(TurnRequest.class);
    private static final byte[] BYTES = "wanted\n".getBytes(StandardCharsets.US_ASCII);

    private final SegmentStore segments;

    TurnRequest(SegmentStore segments) {
        this.segments = segments;
    }

    /**
     * Asks for a turn, by one request. When another process has asked already, or the store fails, this is for later.
     */
    void make() {
        try {
            boolean unused = segments.createTurn(BYTES);
        } catch (UncheckedIOException e) {
            LOG.debug("{}: a turn is asked for later", segments.location(), e);
        }
    }

    /**
     * Whether a turn was asked for since the last call; for a process that does not wait for one itself.
     *
     * @throws UncheckedIOException when the store fails
     */
    boolean take() {
        if (!segments.isTurnWanted()) {
            return false;
        }
        segments.deleteTurn();
        return true;
    }
}
