package service.core.event;

import java.security.MessageDigest;
import java.util.zip.CRC32C;
import org.agrona.DirectBuffer;
import service.core.value.Sha256;

/** Computes CRC32C and SHA-256 of ranges of a buffer, on the heap or off it. One thread. */
final class EventChecksums {
    static final int CHUNK_BYTES = 16 << 10;

    /** Cloned for each instance: looking up the provider costs more than a short digest. */
    private static final MessageDigest SHA256 = Sha256.begin();

    private final CRC32C crc = new CRC32C();
    private final MessageDigest sha256 = copy();

    /** A heap copy for bytes off the heap; allocated when it is needed. */
    private byte[] chunk = new byte[0];

    /** CRC32C of {@code length} bytes from an index. */
    int crc(DirectBuffer buffer, int index, int length) {
        crc.reset();
        forEachPart(buffer, index, length, crc::update);
        return (int) crc.getValue();
    }

    /** SHA-256 of {@code length} bytes from an index. */
    byte[] hash(DirectBuffer buffer, int index, int length) {
        forEachPart(buffer, index, length, sha256::update);
        return sha256.digest();
    }

    /** Adds bytes to both sums, for {@link #crc()} and {@link #hash()}. Not to be mixed with the methods above. */
    void add(DirectBuffer buffer, int index, int length) {
        forEachPart(buffer, index, length, (bytes, at, count) -> {
            crc.update(bytes, at, count);
            sha256.update(bytes, at, count);
        });
    }

    /** CRC32C of the added bytes. */
    int crc() {
        return (int) crc.getValue();
    }

    /** SHA-256 of the added bytes. */
    byte[] hash() {
        return sha256.digest();
    }

    @FunctionalInterface
    private interface Part {
        void take(byte[] bytes, int index, int length);
    }

    /** Bytes on the heap are one part; others are copied to the heap in pieces. */
    private void forEachPart(DirectBuffer buffer, int index, int length, Part part) {
        byte[] array = buffer.byteArray();
        if (array != null) {
            part.take(array, buffer.wrapAdjustment() + index, length);
            return;
        }
        for (int at = 0; at < length; at += CHUNK_BYTES) {
            int count = read(buffer, index + at, length - at);
            part.take(chunk, 0, count);
        }
    }

    private int read(DirectBuffer buffer, int index, int left) {
        if (chunk.length == 0) {
            chunk = new byte[CHUNK_BYTES];
        }
        int count = Math.min(CHUNK_BYTES, left);
        buffer.getBytes(index, chunk, 0, count);
        return count;
    }

    private static MessageDigest copy() {
        try {
            return (MessageDigest) SHA256.clone();
        } catch (CloneNotSupportedException e) {
            throw new IllegalStateException("the SHA-256 of the JDK can be cloned", e);
        }
    }
}
