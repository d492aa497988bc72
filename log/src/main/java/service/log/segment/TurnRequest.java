package service.log.segment;

import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import service.core.port.ObjectStore;
import service.core.value.Ulid;

/**
 * By the object {@code turn} a process that loses one group after the other tells the one that stores them, which
 * learns of no other process otherwise. It names the process that has made it; the other one deletes it and leaves
 * turns. It protects nothing: without it, or when it is there for nothing, writes are slower for a moment. Any thread.
 */
final class TurnRequest {
    private static final Logger LOG = LoggerFactory.getLogger(TurnRequest.class);

    private final SegmentStore segments;
    private final byte[] own = (Ulid.random() + "\n").getBytes(StandardCharsets.US_ASCII);

    TurnRequest(SegmentStore segments) {
        this.segments = segments;
    }

    /**
     * Asks for a turn, by one request. When another process has asked already, or the store fails, this is for later.
     */
    void make() {
        try {
            boolean unused = segments.createTurn(own);
        } catch (UncheckedIOException e) {
            LOG.debug("{}: a turn is asked for later", segments.location(), e);
        }
    }

    /**
     * Whether another process has asked for a turn since the last call.
     *
     * @throws UncheckedIOException when the store fails
     */
    boolean take() {
        ObjectStore.StoredObject stored = segments.turn();
        if (stored == null || Arrays.equals(stored.bytes(), own)) {
            return false;
        }
        segments.deleteTurn();
        return true;
    }
}
