package service.log.format;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.zip.CRC32C;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.Dbi;
import org.lmdbjava.Txn;
import service.core.blob.StagedBlobs;
import service.core.error.DamagedDataException;
import service.core.port.BlobStore;
import service.core.value.Value;
import service.log.lmdb.KeyBuffer;

/**
 * Managed blobs in the environment of the log, each content once.
 *
 * <pre>
 * blobs    SHA-256 (32)                  → 0 i64 size · 8 i64 offset of the event that brought it · 16 u32 checksum
 *          SHA-256 (32) | u32 number     → a chunk: 65,514 bytes, the last one the rest; then u32 checksum
 * </pre>
 *
 * Key parts are big-endian, so the head sorts before its chunks and the chunks in order; values are little-endian. A
 * chunk, its checksum and LMDB's 16 bytes before it fill sixteen pages, so that every chunk that cleanup frees fits the
 * next one. A blob of zero bytes has only a head. Entries are never changed: a reader that finds a head finds all of
 * its chunks.
 *
 * <p>A checksum is CRC32C of the key and the bytes before it. With the key it also finds an entry that a damaged page
 * of the tree gives for another key. It is compared on each read, before a byte is used.
 */
final class BlobTable {
    /** Bytes of content in a chunk. */
    static final int CHUNK_BYTES = BlobStore.PIECE_BYTES;

    static final int DIGEST_BYTES = 32;
    static final int CRC_BYTES = Integer.BYTES;
    static final int HEAD_BYTES = 2 * Long.BYTES + CRC_BYTES;
    private static final int HEAD_NUMBER = -1;

    private BlobTable() {}

    /** A blob's head. */
    record Head(long size, long eventOffset) {}

    static @Nullable Head head(Txn<DirectBuffer> txn, Dbi<DirectBuffer> table, KeyBuffer key, byte[] sha256) {
        DirectBuffer head = table.get(txn, key.clear().putBytes(sha256).key());
        return head == null ? null : head(head, sha256);
    }

    /** Decodes a head. */
    static Head head(DirectBuffer value, byte[] sha256) {
        if (value.capacity() != HEAD_BYTES) {
            throw damaged(sha256, "length of its head");
        }
        byte[] bytes = new byte[HEAD_BYTES - CRC_BYTES];
        value.getBytes(0, bytes);
        if (value.getInt(bytes.length) != checksum(sha256, HEAD_NUMBER, bytes, bytes.length)) {
            throw damaged(sha256, "checksum of its head");
        }
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
        put(txn, table, key, blob, (at, into, count) -> staged.read(blob, at, into, count), eventOffset);
    }

    /** Gives the bytes of a blob, from its beginning to its end. */
    interface Content {
        void read(long at, byte[] into, int count);
    }

    /** Puts a blob that the table does not have. */
    static void put(
            Txn<DirectBuffer> txn,
            Dbi<DirectBuffer> table,
            KeyBuffer key,
            Value.ManagedBlob blob,
            Content content,
            long eventOffset) {
        table.put(txn, key.clear().putBytes(blob.sha256()).key(), head(blob, eventOffset));
        byte[] chunk = new byte[(int) Math.min(CHUNK_BYTES, blob.size())];
        int number = 0;
        for (long at = 0; at < blob.size(); at += CHUNK_BYTES) {
            int count = (int) Math.min(CHUNK_BYTES, blob.size() - at);
            content.read(at, chunk, count);
            MutableDirectBuffer place = (MutableDirectBuffer) table.reserve(
                    txn, key.clear().putBytes(blob.sha256()).putInt(number).key(), count + CRC_BYTES);
            place.putBytes(0, chunk, 0, count);
            place.putInt(count, checksum(blob.sha256(), number, chunk, count));
            number++;
        }
    }

    private static UnsafeBuffer head(Value.ManagedBlob blob, long eventOffset) {
        UnsafeBuffer head = new UnsafeBuffer(ByteBuffer.allocateDirect(HEAD_BYTES));
        head.putLong(0, blob.size());
        head.putLong(Long.BYTES, eventOffset);
        byte[] bytes = new byte[HEAD_BYTES - CRC_BYTES];
        head.getBytes(0, bytes);
        head.putInt(bytes.length, checksum(blob.sha256(), HEAD_NUMBER, bytes, bytes.length));
        return head;
    }

    /** CRC32C of a digest, a number in big-endian order, as in the key, and bytes. */
    private static int checksum(byte[] sha256, int number, byte[] bytes, int length) {
        CRC32C crc = new CRC32C();
        crc.update(sha256);
        crc.update(number >>> 24);
        crc.update(number >>> 16);
        crc.update(number >>> 8);
        crc.update(number);
        crc.update(bytes, 0, length);
        return (int) crc.getValue();
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
     * @throws DamagedDataException when the chunk differs from what was written, or only a part of the blob is stored
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
            throw damaged(blob.sha256(), "chunk " + number + " is missing");
        }
        int length = (int) Math.min(CHUNK_BYTES, blob.size() - (long) number * CHUNK_BYTES);
        if (chunk.capacity() != length + CRC_BYTES) {
            throw damaged(blob.sha256(), "length of chunk " + number);
        }
        if (within == 0 && into.length >= length) {
            return copyChunk(chunk, blob.sha256(), number, into);
        }
        byte[] whole = new byte[length];
        copyChunk(chunk, blob.sha256(), number, whole);
        int count = Math.min(into.length, length - within);
        System.arraycopy(whole, within, into, 0, count);
        return count;
    }

    /**
     * Copies the content of a chunk.
     *
     * @param into at least as long as the content
     * @return the length of the content
     * @throws DamagedDataException when the checksum differs
     */
    static int copyChunk(DirectBuffer chunk, byte[] sha256, int number, byte[] into) {
        int length = chunk.capacity() - CRC_BYTES;
        if (length < 0 || length > CHUNK_BYTES) {
            throw damaged(sha256, "length of chunk " + number);
        }
        chunk.getBytes(0, into, 0, length);
        if (chunk.getInt(length) != checksum(sha256, number, into, length)) {
            throw damaged(sha256, "checksum of chunk " + number);
        }
        return length;
    }

    private static DamagedDataException damaged(byte[] sha256, String finding) {
        return DamagedDataException.blob(HexFormat.of().formatHex(sha256), finding);
    }
}
