package service.log.format;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.Cursor;
import org.lmdbjava.Dbi;
import org.lmdbjava.LmdbException;
import org.lmdbjava.Txn;
import service.core.event.ChangeReader;
import service.core.event.CommitHeader;
import service.core.event.CommitReader;
import service.core.event.Event;
import service.core.event.EventCodec;
import service.core.event.EventFormatException;
import service.log.lmdb.KeyBuffer;
import service.log.lmdb.MappedBytes;
import service.log.lmdb.PageCursor;
import service.log.lmdb.ReadTransaction;
import service.log.lmdb.StorageFailure;

/**
 * The events of a log as of one moment. Belongs to one thread. Close it soon, because an open read keeps freed pages
 * from being reused. A missing event below the last offset is damage, thrown as {@link EventFormatException}.
 */
public final class EventReader implements AutoCloseable {
    /** Takes events in their order. */
    @FunctionalInterface
    public interface Visitor {
        /**
         * Takes one event.
         *
         * @param bytes valid during the call only
         * @return whether to continue
         */
        boolean event(long offset, DirectBuffer bytes);
    }

    private final EventLog log;
    private final @Nullable ReadTransaction read;
    private final Txn<DirectBuffer> txn;
    private final Dbi<DirectBuffer> events;
    private final KeyBuffer key;
    private final EventCodec codec;
    private final ChangeReader changes = new ChangeReader();
    private final CommitReader commit;
    private final UnsafeBuffer held = new UnsafeBuffer(0, 0);
    private long heldOffset = -1;

    /** Stands on the event that was read last; null before the first, and inside a write transaction. */
    private @Nullable PageCursor walk;

    private boolean closed;

    EventReader(EventLog log, @Nullable ReadTransaction read, Txn<DirectBuffer> txn, EventLog.Tools tools) {
        this.log = log;
        this.read = read;
        this.txn = txn;
        this.events = log.events();
        this.key = tools.key();
        this.codec = tools.codec();
        this.commit = new CommitReader(codec);
    }

    /** The last offset at this moment; −1 when there is none. */
    public long lastOffset() {
        try (Cursor<DirectBuffer> cursor = events.openCursor(current())) {
            return cursor.last() ? EventLog.offsetOf(cursor.key()) : -1;
        } catch (LmdbException e) {
            throw failure(e);
        }
    }

    /** The codec of this reader, for the bytes it gives. */
    public EventCodec codec() {
        return codec;
    }

    /** The bytes of an event in place; unchecked, valid until the next call on this reader. */
    public DirectBuffer bytes(long offset) {
        Txn<DirectBuffer> current = current();
        if (offset == heldOffset) {
            return held;
        }
        DirectBuffer bytes = find(current, offset);
        if (bytes == null) {
            long last = lastOffset();
            if (offset < 0 || offset > last) {
                throw new IllegalArgumentException("no event " + offset + ": the log ends with " + last);
            }
            throw EventFormatException.damaged(offset, "missing");
        }
        return bytes;
    }

    private @Nullable DirectBuffer find(Txn<DirectBuffer> current, long offset) {
        try {
            return read == null
                    ? events.get(current, key.clear().putLong(offset).key())
                    : held(read, offset);
        } catch (LmdbException e) {
            throw failure(e);
        }
    }

    /**
     * The event in place, or null. Outside of a write transaction its address stays valid while the read is open, and a
     * walk saves the descent in the tree for an event that follows the last one.
     */
    private @Nullable DirectBuffer held(ReadTransaction from, long offset) {
        PageCursor at = walk;
        if (at == null) {
            at = new PageCursor(from.cursor(events), log.environment().pageBytes());
            walk = at;
        }
        boolean follows = heldOffset >= 0 && offset == heldOffset + 1;
        heldOffset = -1;
        boolean found = follows ? at.next() : at.seek(key.clear().putLong(offset));
        if (!found || MappedBytes.keyLongAt(at.keyAddress()) != offset) {
            return null;
        }
        held.wrap(at.valueAddress(), at.valueLength());
        heldOffset = offset;
        return held;
    }

    /** The whole event as an object. */
    public Event event(long offset) {
        return codec.decode(bytes(offset), offset);
    }

    /** The event with an empty list of changes; costs the same however many there are. */
    public Event header(long offset) {
        return codec.decodeHeader(bytes(offset), offset);
    }

    /** The header of a commit; the event at the offset must be one. */
    public CommitHeader commitHeader(long offset) {
        return codec.decodeCommitHeader(bytes(offset), offset);
    }

    /** Whether cleanup has removed the changes of the event. */
    public boolean isStripped(long offset) {
        return EventCodec.isStripped(bytes(offset));
    }

    /** The changes of an event, in place; valid until the next call on this reader. */
    public ChangeReader changes(long offset) {
        codec.changes(bytes(offset), offset, changes);
        return changes;
    }

    /**
     * The commit at an offset, in place; valid until the next call on this reader.
     *
     * @param mark the change at which to continue, from {@link ChangeReader#mark}; 0 for the first
     */
    public CommitReader commit(long offset, long mark) {
        DirectBuffer bytes = bytes(offset);
        codec.commit(bytes, offset, mark, commit);
        if (mark != 0 && !log.hasChecked(offset)) {
            codec.checkChanges(bytes, offset);
            log.checked(offset);
        }
        return commit;
    }

    /**
     * Passes the events from an offset on, without gaps, to the visitor, to the end of the log or until it returns
     * false.
     */
    public void scan(long from, Visitor visitor) {
        try (Cursor<DirectBuffer> cursor = events.openCursor(current())) {
            PageCursor at =
                    new PageCursor(cursor, read == null ? 0 : log.environment().pageBytes());
            UnsafeBuffer bytes = new UnsafeBuffer(0, 0);
            long expected = from;
            boolean found = at.seek(key.clear().putLong(from));
            while (found) {
                long offset = MappedBytes.keyLongAt(at.keyAddress());
                if (offset != expected) {
                    throw EventFormatException.damaged(expected, "missing");
                }
                bytes.wrap(at.valueAddress(), at.valueLength());
                if (!visitor.event(offset, bytes)) {
                    return;
                }
                expected++;
                found = at.next();
            }
        } catch (LmdbException e) {
            throw failure(e);
        }
    }

    private Txn<DirectBuffer> current() {
        return read == null ? txn : read.txn();
    }

    private StorageFailure failure(LmdbException e) {
        return StorageFailure.of(e, log.directory());
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        if (read != null) {
            try {
                if (walk != null) {
                    read.release(events, walk.cursor());
                    walk = null;
                }
            } finally {
                read.close();
            }
        }
        log.giveBack(new EventLog.Tools(key, codec));
    }
}
