package service.core.event;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The bytes of one event, in two pieces: the header on the heap and the changes where their {@link ChangeBlock} has
 * them, so that the changes are not copied before they reach storage. Valid until that block is closed. Any thread.
 */
public final class EncodedEvent {
    /** Receives the bytes of an event piece by piece, in their order. */
    @FunctionalInterface
    public interface Pieces {
        /** Takes the bytes from {@code index}; they must not be used after the call. */
        void take(DirectBuffer bytes, int index, int length);
    }

    private final Event event;
    private final DirectBuffer header;
    private final ChangeBlock changes;
    private final byte[] hash;

    EncodedEvent(Event event, byte[] header, ChangeBlock changes, byte[] hash) {
        this.event = event;
        this.header = new UnsafeBuffer(header);
        this.changes = changes;
        this.hash = hash;
    }

    public Event event() {
        return event;
    }

    /** The hash of the event, which the next event repeats. The array is not a copy. */
    public byte[] hash() {
        return hash;
    }

    /** The changes of the event; empty for an event without. */
    public ChangeBlock changes() {
        return changes;
    }

    /** The number of bytes, at most {@link EventCodec#EVENT_BYTES_MAX}. */
    public int length() {
        return header.capacity() + changes.length();
    }

    /** Writes {@link #length} bytes from 0. */
    public void copyTo(MutableDirectBuffer into) {
        into.putBytes(0, header, 0, header.capacity());
        into.putBytes(header.capacity(), changes.bytes(), 0, changes.length());
    }

    /** Passes the bytes on without a copy. */
    public void forEachPiece(Pieces pieces) {
        pieces.take(header, 0, header.capacity());
        if (!changes.isEmpty()) {
            pieces.take(changes.bytes(), 0, changes.length());
        }
    }
}
