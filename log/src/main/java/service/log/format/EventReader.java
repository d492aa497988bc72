package service.log.format;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.Cursor;
import org.lmdbjava.Dbi;
import org.lmdbjava.GetOp;
import org.lmdbjava.LmdbException;
import org.lmdbjava.Txn;
import service.core.event.ChangeReader;
import service.core.event.CommitHeader;
import service.core.event.CommitReader;
import service.core.event.Event;
import service.core.event.EventCodec;
import service.core.event.EventFormatException;
import service.log.lmdb.KeyBuffer;
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

    /** The cursor, positioned on the current event. */
    private @Nullable Cursor<DirectBuffer> cursor;

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
        if (read != null) {
            // The address stays valid while the read is open, except inside a write transaction.
            held.wrap(bytes);
            heldOffset = offset;
        }
        return bytes;
    }

    /**
     * Inside a write transaction a cursor would become stale. Elsewhere it saves the descent in the tree for an event
     * that follows the last one or is on the same page.
     */
    private @Nullable DirectBuffer find(Txn<DirectBuffer> current, long offset) {
        try {
            if (read == null) {
                return events.get(current, key.clear().putLong(offset).key());
            }
            Cursor<DirectBuffer> at = cursor;
            if (at == null) {
                at = read.cursor(events);
                cursor = at;
            }
            boolean follows = heldOffset >= 0 && offset == heldOffset + 1;
            heldOffset = -1;
            boolean found = follows
                    ? at.next() && EventLog.offsetOf(at.key()) == offset
                    : at.get(key.clear().putLong(offset).key(), GetOp.MDB_SET_KEY);
            return found ? at.val() : null;
        } catch (LmdbException e) {
            throw failure(e);
        }
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
            long expected = from;
            boolean found = cursor.get(key.clear().putLong(from).key(), GetOp.MDB_SET_RANGE);
            while (found) {
                long offset = EventLog.offsetOf(cursor.key());
                if (offset != expected) {
                    throw EventFormatException.damaged(expected, "missing");
                }
                if (!visitor.event(offset, cursor.val())) {
                    return;
                }
                expected++;
                found = cursor.next();
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
                if (cursor != null) {
                    read.release(events, cursor);
                    cursor = null;
                }
            } finally {
                read.close();
            }
        }
        log.giveBack(new EventLog.Tools(key, codec));
    }
}
