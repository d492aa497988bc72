package service.log.format;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.Cursor;
import org.lmdbjava.GetOp;
import org.lmdbjava.LmdbException;
import service.core.event.EventCodec;
import service.log.lmdb.KeyBuffer;
import service.log.lmdb.ReadTransaction;
import service.log.lmdb.StorageFailure;
import service.log.lmdb.WriteTransaction;
import service.log.retain.Retention;

/**
 * Cleanup of a log: removes the changes of events and deletes blobs. Deletions run on the writer thread with no group
 * open, in slices of bounded time, one synced transaction each.
 */
public final class LogCleanup {
    private static final int STRIPPED_BYTES = 4 << 10;

    private final EventLog log;
    private final EventCodec codec = new EventCodec();
    private final KeyBuffer key = new KeyBuffer();
    private UnsafeBuffer stripped = new UnsafeBuffer(ByteBuffer.allocateDirect(STRIPPED_BYTES));

    public LogCleanup(EventLog log) {
        this.log = log;
    }

    /** A managed blob that the log holds. */
    public record Blob(byte[] sha256, long size) {}

    /**
     * Removes the changes of events permanently.
     *
     * @param offsets of events whose images are {@link Retention#isReclaimed reclaimed}
     * @param from index in {@code offsets} to begin at
     * @param nanosMax time after which the slice ends; the current event is finished
     * @return index in {@code offsets} after the last one done
     */
    public int strip(long[] offsets, int from, long nanosMax) {
        long end = System.nanoTime() + nanosMax;
        try (WriteTransaction write = log.environment().write()) {
            int at = from;
            while (at < offsets.length && (at == from || System.nanoTime() < end)) {
                strip(write, offsets[at++]);
            }
            write.commit();
            return at;
        } catch (LmdbException e) {
            throw StorageFailure.of(e, log.directory());
        }
    }

    private void strip(WriteTransaction write, long offset) {
        DirectBuffer place = key.clear().putLong(offset).key();
        DirectBuffer bytes = log.events().get(write.txn(), place);
        if (bytes == null || EventCodec.changeCountOf(bytes) == 0 || EventCodec.isStripped(bytes)) {
            return;
        }
        int length = EventCodec.strippedLengthOf(bytes);
        if (length > stripped.capacity()) {
            stripped = new UnsafeBuffer(ByteBuffer.allocateDirect(2 * length));
        }
        codec.strip(bytes, offset, stripped);
        log.events().put(write.txn(), place, new UnsafeBuffer(stripped, 0, length));
    }

    /**
     * Blobs in the order of their digests; any thread.
     *
     * @param after the digest after which to begin; null for the first blob
     */
    public static List<Blob> blobs(EventLog log, byte @Nullable [] after, int most) {
        List<Blob> found = new ArrayList<>();
        KeyBuffer key = new KeyBuffer();
        try (ReadTransaction read = log.environment().read();
                Cursor<DirectBuffer> cursor = log.blobs().openCursor(read.txn())) {
            boolean standing =
                    after == null ? cursor.first() : cursor.get(BlobTable.after(key, after), GetOp.MDB_SET_RANGE);
            while (standing && found.size() < most) {
                byte[] digest = new byte[BlobTable.DIGEST_BYTES];
                cursor.key().getBytes(0, digest);
                found.add(new Blob(digest, BlobTable.head(cursor.val(), digest).size()));
                standing = cursor.get(BlobTable.after(key, digest), GetOp.MDB_SET_RANGE);
            }
            return found;
        } catch (LmdbException e) {
            throw StorageFailure.of(e, log.directory());
        }
    }

    /**
     * Deletes blobs permanently.
     *
     * @param digests of blobs that no readable state refers to
     * @param stillLost checked for each blob just before it is deleted
     * @param from index in {@code digests} to begin at
     * @param nanosMax time after which the slice ends; the current blob is finished
     * @return index in {@code digests} after the last one done
     */
    public int forget(List<byte[]> digests, Predicate<byte[]> stillLost, int from, long nanosMax) {
        long end = System.nanoTime() + nanosMax;
        try (WriteTransaction write = log.environment().write()) {
            int at = from;
            while (at < digests.size() && (at == from || System.nanoTime() < end)) {
                byte[] digest = digests.get(at++);
                if (stillLost.test(digest)) {
                    BlobTable.delete(write.txn(), log.blobs(), key, digest);
                }
            }
            write.commit();
            return at;
        } catch (LmdbException e) {
            throw StorageFailure.of(e, log.directory());
        }
    }
}
