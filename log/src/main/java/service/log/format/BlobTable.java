package service.log.format;

import java.nio.ByteBuffer;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.Dbi;
import org.lmdbjava.Txn;
import service.core.blob.StagedBlobs;
import service.core.event.EventFormatException;
import service.core.value.Value;
import service.log.lmdb.KeyBuffer;

/**
 * Managed blobs in the environment of the log, each content once.
 *
 * <pre>
 * blobs    SHA-256 (32)                  → 0 i64 size · 8 i64 offset of the event that brought it
 *          SHA-256 (32) | u32 number     → a chunk: 65,520 bytes, the last one the rest
 * </pre>
 *
 * Key parts are big-endian, so the head sorts before its chunks and the chunks in order; values are little-endian. A
 * chunk and LMDB's 16 bytes before it fill sixteen pages exactly, so that every chunk that cleanup frees fits the next
 * one. A blob of zero bytes has only a head. Entries are never changed: a reader that finds a head finds all of its
 * chunks.
 */
final class BlobTable {
    static final int CHUNK_BYTES = 65_520;
    static final int DIGEST_BYTES = 32;
    static final int HEAD_BYTES = 2 * Long.BYTES;

    private BlobTable() {}

    /** A blob's head. */
    record Head(long size, long eventOffset) {}

    static @Nullable Head head(Txn<DirectBuffer> txn, Dbi<DirectBuffer> table, KeyBuffer key, byte[] sha256) {
        DirectBuffer head = table.get(txn, key.clear().putBytes(sha256).key());
        return head == null ? null : head(head);
    }

    static Head head(DirectBuffer value) {
        return new Head(value.getLong(0), value.getLong(Long.BYTES));
    }

    /**
     * Puts the blobs that the changes refer to and the table does not have.
     *
     * @param staged where their bytes are
     * @throws IllegalStateException when neither the stage nor the table has them
     */
    static void put(
            Txn<DirectBuffer> txn,
            Dbi<DirectBuffer> table,
            KeyBuffer key,
            Value.ManagedBlob blob,
            StagedBlobs staged,
            long eventOffset) {
        if (head(txn, table, key, blob.sha256()) != null) {
            return;
        }
        if (!staged.contains(blob)) {
            throw new IllegalStateException(
                    "event " + eventOffset + " refers to a blob that is neither staged nor stored: " + blob.hex());
        }
        UnsafeBuffer head = new UnsafeBuffer(ByteBuffer.allocateDirect(HEAD_BYTES));
        head.putLong(0, blob.size());
        head.putLong(Long.BYTES, eventOffset);
        table.put(txn, key.clear().putBytes(blob.sha256()).key(), head);
        byte[] chunk = new byte[(int) Math.min(CHUNK_BYTES, blob.size())];
        int number = 0;
        for (long at = 0; at < blob.size(); at += CHUNK_BYTES) {
            int count = (int) Math.min(CHUNK_BYTES, blob.size() - at);
            staged.read(blob, at, chunk, count);
            DirectBuffer place = table.reserve(
                    txn, key.clear().putBytes(blob.sha256()).putInt(number).key(), count);
            ((MutableDirectBuffer) place).putBytes(0, chunk, 0, count);
            number++;
        }
    }

    /** The least key after the head and chunks of a blob. */
    static DirectBuffer after(KeyBuffer key, byte[] sha256) {
        return key.clear().putBytes(sha256).putInt(-1).putByte(0).key();
    }

    /** Deletes a blob's head and all of its chunks. */
    static void delete(Txn<DirectBuffer> txn, Dbi<DirectBuffer> table, KeyBuffer key, byte[] sha256) {
        Head head = head(txn, table, key, sha256);
        if (head == null) {
            return;
        }
        long chunks = (head.size() + CHUNK_BYTES - 1) / CHUNK_BYTES;
        for (int number = 0; number < chunks; number++) {
            table.delete(txn, key.clear().putBytes(sha256).putInt(number).key());
        }
        table.delete(txn, key.clear().putBytes(sha256).key());
    }

    /**
     * Copies bytes of the one chunk that holds the offset.
     *
     * @return the number of bytes; −1 when the blob is not stored
     * @throws EventFormatException when only a part of the blob is stored
     */
    static int read(
            Txn<DirectBuffer> txn,
            Dbi<DirectBuffer> table,
            KeyBuffer key,
            Value.ManagedBlob blob,
            long offset,
            byte[] into) {
        int number = (int) (offset / CHUNK_BYTES);
        int within = (int) (offset % CHUNK_BYTES);
        DirectBuffer chunk = table.get(
                txn, key.clear().putBytes(blob.sha256()).putInt(number).key());
        if (chunk == null) {
            Head head = head(txn, table, key, blob.sha256());
            if (head == null) {
                return -1;
            }
            throw damaged(head, blob);
        }
        int length = (int) Math.min(CHUNK_BYTES, blob.size() - (long) number * CHUNK_BYTES);
        if (chunk.capacity() != length) {
            throw damaged(new Head(blob.size(), 0), blob);
        }
        int count = Math.min(into.length, length - within);
        chunk.getBytes(within, into, 0, count);
        return count;
    }

    private static EventFormatException damaged(Head head, Value.ManagedBlob blob) {
        return EventFormatException.damaged(head.eventOffset(), "the bytes of blob " + blob.hex() + " are incomplete");
    }
}
