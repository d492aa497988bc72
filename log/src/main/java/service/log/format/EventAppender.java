package service.log.format;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.lmdbjava.LmdbException;
import org.lmdbjava.PutFlags;
import service.core.blob.StagedBlobs;
import service.core.event.ChangeReader;
import service.core.event.Event;
import service.core.event.EventCodec;
import service.core.event.Image;
import service.core.value.Ulid;
import service.core.value.Value;
import service.log.lmdb.KeyBuffer;
import service.log.lmdb.StorageFailure;
import service.log.lmdb.WriteTransaction;

/**
 * Appends one group of events: {@link #commit} makes all of them durable, or none. Writer thread only. After a
 * {@link StorageFailure} the group can only be closed; closing without a commit drops it.
 */
public final class EventAppender implements AutoCloseable {
    private final EventLog log;
    private final WriteTransaction write;
    private final EventCodec codec;
    private final KeyBuffer key;
    private long offset;
    private byte[] hash;
    private long timeMicros;
    private Ulid lastCommit;
    private int nextIncarnation;

    EventAppender(EventLog log, WriteTransaction write, LogTail tail, EventLog.Tools tools) {
        this.log = log;
        this.write = write;
        this.codec = tools.codec();
        this.key = tools.key();
        this.offset = tail.offset();
        this.hash = tail.hash();
        this.timeMicros = tail.timeMicros();
        this.lastCommit = tail.lastCommit();
        this.nextIncarnation = tail.nextIncarnation();
    }

    /** The offset that the next event must have. */
    public long nextOffset() {
        return offset + 1;
    }

    /** The number that the next new branch must have. */
    public int nextIncarnation() {
        return nextIncarnation;
    }

    /** The end of the log after this group. */
    public LogTail tail() {
        return new LogTail(offset, hash, timeMicros, lastCommit, nextIncarnation);
    }

    /**
     * Appends an event; {@link EventLog#readInside} can read it from then on.
     *
     * @throws StorageFailure MAP_FULL and others
     * @throws service.core.error.ServiceException RESOURCE_LIMIT when it is too long; then nothing happened
     */
    public void append(Event event) {
        if (event.offset() != offset + 1 || event.timeMicros() < timeMicros) {
            throw new IllegalArgumentException("event " + event.offset() + " does not follow " + offset);
        }
        if (event instanceof Event.BranchCreated created && created.incarnation() != nextIncarnation) {
            throw new IllegalArgumentException("incarnation " + created.incarnation() + ", not " + nextIncarnation);
        }
        int length = codec.encode(event, hash);
        try {
            DirectBuffer place = log.events()
                    .reserve(write.txn(), key.clear().putLong(event.offset()).key(), length, PutFlags.MDB_APPEND);
            codec.copyTo((MutableDirectBuffer) place);
            if (event instanceof Event.BranchCreated) {
                nextIncarnation++;
                log.putMeta(write.txn(), LogTables.INCARNATIONS, EventLog.intBytes(nextIncarnation));
            }
        } catch (LmdbException e) {
            throw StorageFailure.of(e, log.directory());
        }
        offset = event.offset();
        hash = codec.encodedHash();
        timeMicros = event.timeMicros();
        if (event instanceof Event.Commit commit) {
            lastCommit = commit.header().id();
        }
    }

    /**
     * Like {@link #append}, on a thread that the writer has started; the writer must not use this appender until that
     * thread has ended.
     */
    public void appendBeside(Event event) {
        write.borrow(() -> append(event));
    }

    /**
     * Puts the managed blobs that the last appended event refers to and the log does not have. After an exception the
     * group can only be closed.
     *
     * @param staged the bytes that came with its command
     * @throws StorageFailure MAP_FULL and others
     */
    public void putBlobs(Event event, StagedBlobs staged) {
        if (staged.isEmpty() || !(event instanceof Event.Commit commit)) {
            return;
        }
        try {
            ChangeReader changes = commit.changes().reader();
            while (changes.next()) {
                Image after = changes.after();
                if (after != null) {
                    after.properties().blobs(blob -> putBlob(blob, staged));
                }
            }
        } catch (LmdbException e) {
            throw StorageFailure.of(e, log.directory());
        }
    }

    private void putBlob(Value.ManagedBlob blob, StagedBlobs staged) {
        BlobTable.put(write.txn(), log.blobs(), key, blob, staged, offset);
    }

    /**
     * Returns when every event is on stable storage.
     *
     * @throws StorageFailure whether the group is durable is then unknown: {@link EventLog#reloadTail}
     */
    public void commit() {
        write.commit();
        log.committed(tail());
    }

    @Override
    public void close() {
        write.close();
        log.appenderClosed(this);
    }

    WriteTransaction write() {
        return write;
    }
}
