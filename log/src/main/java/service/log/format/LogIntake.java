package service.log.format;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.MessageDigest;
import java.util.Arrays;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.LmdbException;
import org.lmdbjava.PutFlags;
import service.core.error.DamagedDataException;
import service.core.event.ChangeReader;
import service.core.event.Event;
import service.core.event.EventCodec;
import service.core.event.EventFormatException;
import service.core.event.Image;
import service.core.value.Sha256;
import service.core.value.Ulid;
import service.core.value.Value;
import service.log.group.LogTail;
import service.log.lmdb.KeyBuffer;
import service.log.lmdb.StorageFailure;
import service.log.lmdb.WriteTransaction;
import service.log.retain.Retention;

/**
 * Appends events that another store has made durable, in one transaction. Each event is checked and must continue the
 * chain. Writer thread, with no group open.
 */
public final class LogIntake implements AutoCloseable {
    /** Gives the bytes of blobs that the events bring. */
    @FunctionalInterface
    public interface Blobs {
        /**
         * Begins to read a blob; the intake closes the stream.
         *
         * @param generation of the end before the event ({@link LogTail#generation})
         */
        InputStream open(Value.ManagedBlob blob, long generation);
    }

    private final EventLog log;
    private final Blobs blobs;
    private final EventCodec codec = new EventCodec();
    private final ChangeReader changes = new ChangeReader();
    private final KeyBuffer key = new KeyBuffer();
    private final WriteTransaction write;
    private LogTail tail;
    private @Nullable Retention reclaimed;

    @SuppressWarnings("MustBeClosedChecker") // closed by this
    private LogIntake(EventLog log, Blobs blobs, LogTail tail) {
        this.log = log;
        this.blobs = blobs;
        this.tail = tail;
        this.write = log.environment().write();
    }

    /** Continues a log. */
    public static LogIntake after(EventLog log, Blobs blobs) {
        return new LogIntake(log, blobs, log.tail());
    }

    /** Begins an empty log. */
    public static LogIntake into(EventLog log, Blobs blobs, Ulid graph, byte[] secret) {
        LogTail start = new LogTail(
                -1, EventCodec.hashBeforeFirst(), Long.MIN_VALUE, new Ulid(0, 0), 1, LogTail.FIRST_GENERATION);
        LogIntake intake = new LogIntake(log, blobs, start);
        LogMarks marks = log.marks();
        marks.put(intake.write.txn(), LogTables.FORMAT, LogMarks.intBytes(LogTables.FORMAT_VERSION));
        marks.put(
                intake.write.txn(),
                LogTables.GRAPH,
                ByteBuffer.allocate(2 * Long.BYTES)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putLong(graph.high())
                        .putLong(graph.low())
                        .array());
        marks.put(intake.write.txn(), LogTables.SECRET, secret);
        marks.put(intake.write.txn(), LogTables.INCARNATIONS, LogMarks.intBytes(1));
        return intake;
    }

    /** The end of the log with the events that were added. */
    public LogTail tail() {
        return tail;
    }

    /**
     * Adds the next event and the blobs that it brings.
     *
     * @param bytes used during the call only
     * @throws EventFormatException when it is damaged or does not continue the chain
     * @throws StorageFailure MAP_FULL when the map must grow; the intake can only be closed then
     */
    public void add(DirectBuffer bytes) {
        long offset = tail.offset() + 1;
        byte[] hash = codec.verify(bytes, offset, tail.hash());
        Event event = codec.decodeHeader(bytes, offset);
        if (event.timeMicros() < tail.timeMicros()) {
            throw EventFormatException.damaged(offset, "its time is before that of the previous event");
        }
        if (event instanceof Event.BranchCreated created && created.incarnation() != tail.nextIncarnation()) {
            throw EventFormatException.damaged(offset, "incarnation " + created.incarnation());
        }
        LogTail after = tail.after(event, hash);
        try {
            DirectBuffer place = log.events()
                    .reserve(write.txn(), key.clear().putLong(offset).key(), bytes.capacity(), PutFlags.MDB_APPEND);
            ((MutableDirectBuffer) place).putBytes(0, bytes, 0, bytes.capacity());
            if (offset == 0) {
                log.marks().put(write.txn(), LogTables.GENESIS, hash);
            }
            if (event instanceof Event.BranchCreated) {
                log.marks().put(write.txn(), LogTables.INCARNATIONS, LogMarks.intBytes(after.nextIncarnation()));
            }
            if (event instanceof Event.HistoryReclaimed marks) {
                reclaimed = log.marks().reclaim(write.txn(), reclaimed == null ? log.retention() : reclaimed, marks);
            }
            putBlobs(bytes, offset);
        } catch (LmdbException e) {
            throw StorageFailure.of(e, log.directory());
        }
        tail = after;
    }

    private void putBlobs(DirectBuffer bytes, long offset) {
        if (EventCodec.isStripped(bytes)) {
            return;
        }
        codec.changes(bytes, offset, changes);
        while (changes.next()) {
            Image after = changes.after();
            if (after != null) {
                after.properties().blobs(blob -> putBlob(blob, offset));
            }
        }
    }

    private void putBlob(Value.ManagedBlob blob, long offset) {
        if (BlobTable.head(write.txn(), log.blobs(), key, blob.sha256()) != null) {
            return;
        }
        MessageDigest digest = Sha256.begin();
        try (InputStream content = blobs.open(blob, tail.generation())) {
            BlobTable.put(
                    write.txn(),
                    log.blobs(),
                    key,
                    blob,
                    (at, into, count) -> {
                        read(content, blob, into, count);
                        digest.update(into, 0, count);
                    },
                    offset);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        if (!Arrays.equals(digest.digest(), blob.sha256())) {
            throw DamagedDataException.blob(blob.hex(), "digest of its bytes");
        }
    }

    private static void read(InputStream content, Value.ManagedBlob blob, byte[] into, int count) {
        try {
            if (content.readNBytes(into, 0, count) < count) {
                throw DamagedDataException.blob(blob.hex(), "it ends before its length");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Makes the events visible to new reads of the log. */
    public void commit() {
        try {
            write.commit();
        } catch (LmdbException e) {
            throw StorageFailure.of(e, log.directory());
        }
        log.committed(tail, reclaimed);
    }

    /** Drops what was not committed. */
    @Override
    public void close() {
        write.close();
    }
}
