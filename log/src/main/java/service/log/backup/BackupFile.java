package service.log.backup;

import com.github.luben.zstd.ZstdInputStream;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Arrays;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.value.Sha256;

/** Reads a backup from its beginning, after checking its digest. One thread. */
public final class BackupFile implements AutoCloseable {
    private static final int BUFFER_BYTES = 256 << 10;
    private static final int MANIFEST_BYTES_MAX = 1 << 20;
    private static final int KEY_BYTES_MAX = 511;

    /** One piece of the payload. */
    public sealed interface Piece {
        /** The entries that follow belong to this table of the log. */
        record Table(String name) implements Piece {}

        /** One entry; the arrays are the receiver's. */
        record Entry(byte[] key, byte[] value) implements Piece {}

        /** The next bytes of the base image's file. */
        record Image(byte[] bytes) implements Piece {}

        /** Nothing follows. */
        record End(long entries) implements Piece {}
    }

    private final Path file;
    private final DataInputStream payload;
    private final BackupManifest manifest;
    private final ByteBuffer numbers = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);

    private BackupFile(Path file, InputStream raw) throws IOException {
        this.file = file;
        raw.skipNBytes(BackupFormat.HEADER_BYTES);
        this.payload = new DataInputStream(new BufferedInputStream(new ZstdInputStream(raw), BUFFER_BYTES));
        this.manifest = BackupManifest.decode(bytes(MANIFEST_BYTES_MAX));
    }

    /**
     * Opens a backup and checks its digest, which reads the file once.
     *
     * @throws ServiceException BAD_REQUEST when it is no backup, truncated, damaged, or of a newer version; NOT_FOUND
     *     when there is no such file
     */
    public static BackupFile open(Path file) throws IOException {
        if (!Files.isRegularFile(file)) {
            throw ServiceException.notFound("there is no file " + file);
        }
        check(file);
        InputStream raw = new BufferedInputStream(Files.newInputStream(file), BUFFER_BYTES);
        try {
            return new BackupFile(file, raw);
        } catch (IOException | RuntimeException e) {
            raw.close();
            throw e;
        }
    }

    private static void check(Path file) throws IOException {
        long length = Files.size(file);
        try (InputStream bytes = new BufferedInputStream(Files.newInputStream(file), BUFFER_BYTES)) {
            byte[] head = bytes.readNBytes(BackupFormat.HEADER_BYTES);
            checkHeader(file, head);
            long left = length - BackupFormat.HEADER_BYTES - BackupFormat.TRAILER_BYTES;
            if (left < 0) {
                throw truncated(file);
            }
            MessageDigest sha256 = Sha256.begin();
            sha256.update(head);
            byte[] buffer = new byte[BUFFER_BYTES];
            while (left > 0) {
                int count = bytes.read(buffer, 0, (int) Math.min(left, buffer.length));
                if (count < 0) {
                    throw truncated(file);
                }
                sha256.update(buffer, 0, count);
                left -= count;
            }
            byte[] tail = bytes.readNBytes(BackupFormat.TRAILER_BYTES);
            ByteBuffer trailer = ByteBuffer.wrap(tail).order(ByteOrder.LITTLE_ENDIAN);
            if (trailer.getInt() != BackupFormat.FRAME_LAST || trailer.getInt() != BackupFormat.DIGEST_BYTES) {
                throw truncated(file);
            }
            if (!Arrays.equals(sha256.digest(), Arrays.copyOfRange(tail, 8, tail.length))) {
                throw refused(
                        file, "is damaged: its bytes do not have the digest that it ends with; take another copy");
            }
        }
    }

    private static void checkHeader(Path file, byte[] head) {
        ByteBuffer header = ByteBuffer.wrap(head).order(ByteOrder.LITTLE_ENDIAN);
        int magicEnd = 8 + BackupFormat.MAGIC.length;
        if (head.length >= magicEnd && !Arrays.equals(BackupFormat.MAGIC, Arrays.copyOfRange(head, 8, magicEnd))) {
            throw refused(file, "is no backup: `service backup --out FILE` makes one");
        }
        if (head.length < BackupFormat.HEADER_BYTES) {
            throw truncated(file);
        }
        int version = header.getInt(magicEnd);
        if (version > BackupFormat.VERSION) {
            throw refused(
                    file,
                    "is too new: it has format version "
                            + version
                            + ", this program reads up to "
                            + BackupFormat.VERSION
                            + "; use the version that wrote it");
        }
        if (version < 1) {
            throw refused(file, "is damaged: it has format version " + version);
        }
    }

    private static ServiceException truncated(Path file) {
        return refused(file, "is truncated: it does not end as a backup does; copy it again");
    }

    private static ServiceException refused(Path file, String why) {
        return new ServiceException(ErrorCode.BAD_REQUEST, file + " " + why);
    }

    /** An error of a backup with a valid digest and invalid content: its writer had a fault. */
    ServiceException wrong(String why) {
        return refused(file, "cannot be restored: " + why);
    }

    public BackupManifest manifest() {
        return manifest;
    }

    /** The next piece. Must not be called after {@link Piece.End}. */
    Piece next() throws IOException {
        try {
            int kind = payload.readUnsignedByte();
            return switch (kind) {
                case BackupFormat.TABLE ->
                    new Piece.Table(
                            new String(payload.readNBytes(payload.readUnsignedByte()), StandardCharsets.US_ASCII));
                case BackupFormat.ENTRY -> {
                    int key = length(KEY_BYTES_MAX);
                    int value = length(Integer.MAX_VALUE);
                    yield new Piece.Entry(exactly(key), exactly(value));
                }
                case BackupFormat.IMAGE -> new Piece.Image(bytes(BUFFER_BYTES));
                case BackupFormat.END -> {
                    payload.readFully(numbers.array(), 0, Long.BYTES);
                    yield new Piece.End(numbers.getLong(0));
                }
                default -> throw wrong("it holds a piece of the unknown kind " + kind);
            };
        } catch (EOFException e) {
            throw wrong("its payload ends too early");
        }
    }

    private byte[] bytes(int most) throws IOException {
        return exactly(length(most));
    }

    private int length(int most) throws IOException {
        payload.readFully(numbers.array(), 0, Integer.BYTES);
        int length = numbers.getInt(0);
        if (length < 0 || length > most) {
            throw wrong("it holds a piece of " + length + " bytes");
        }
        return length;
    }

    private byte[] exactly(int length) throws IOException {
        byte[] bytes = payload.readNBytes(length);
        if (bytes.length != length) {
            throw new EOFException();
        }
        return bytes;
    }

    @Override
    public void close() throws IOException {
        payload.close();
    }
}
