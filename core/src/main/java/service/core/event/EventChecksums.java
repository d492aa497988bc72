package service.core.event;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.zip.CRC32C;
import org.agrona.DirectBuffer;

/** CRC32C and SHA-256 of stretches of a buffer, wherever it lies. One thread. */
final class EventChecksums {
    static final int CHUNK_BYTES = 16 << 10;

    private final CRC32C crc = new CRC32C();
    private final MessageDigest sha256 = newSha256();
    private final byte[] chunk = new byte[CHUNK_BYTES];

    int crc(DirectBuffer buffer, int length) {
        crc.reset();
        byte[] array = buffer.byteArray();
        if (array != null) {
            crc.update(array, arrayIndex(buffer), length);
        } else {
            for (int at = 0; at < length; at += CHUNK_BYTES) {
                int count = Math.min(CHUNK_BYTES, length - at);
                buffer.getBytes(at, chunk, 0, count);
                crc.update(chunk, 0, count);
            }
        }
        return (int) crc.getValue();
    }

    byte[] hash(DirectBuffer buffer, int length) {
        byte[] array = buffer.byteArray();
        if (array != null) {
            sha256.update(array, arrayIndex(buffer), length);
        } else {
            for (int at = 0; at < length; at += CHUNK_BYTES) {
                int count = Math.min(CHUNK_BYTES, length - at);
                buffer.getBytes(at, chunk, 0, count);
                sha256.update(chunk, 0, count);
            }
        }
        return sha256.digest();
    }

    private static int arrayIndex(DirectBuffer buffer) {
        return buffer.wrapAdjustment();
    }

    private static MessageDigest newSha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
