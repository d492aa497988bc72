package service.log.lmdb;

import java.io.EOFException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The file {@code data.mdb} of an environment, read with system calls. A mapped page that the file does not have ends
 * the process when it is touched, so the length is compared with the pages before the file is mapped.
 *
 * <pre>
 *  page 0, page 1: one of the two last commits each               little-endian throughout
 *    10  u16  flags, 08
 *    16  u32  BEEFC0DE
 *    20  u32  version, 1
 *    40  u32  size of a page
 *    80  i64  root page of the list of free pages, −1 without one
 *   136  i64  number of the last page
 *   144  i64  number of the transaction
 * </pre>
 *
 * <p>It keeps one descriptor until it is closed: POSIX drops all locks of a process on a file when the process closes
 * any descriptor of it, so nothing else of this process may open and close the file while {@link #tryLock} holds it.
 *
 * <p>Thread rule: any thread.
 */
final class DataFile implements AutoCloseable {
    static final String NAME = "data.mdb";

    /** A byte that no file has. Locks on it do not concern the bytes of the file. */
    static final long LOCKED_BYTE = 1L << 62;

    private static final int META_BYTES = 152;
    private static final int META_FLAG = 0x08;
    private static final int MAGIC = 0xBEEFC0DE;
    private static final int PAGE_BYTES_MIN = 256;
    private static final int PAGE_BYTES_MAX = 1 << 16;
    private static final int ATTEMPTS = 10;

    /** The newest commit of a file. */
    record Meta(int pageBytes, long freeRoot, long lastPage, long transaction) {
        long bytes() {
            return (lastPage + 1) * pageBytes;
        }
    }

    private final Path path;
    private final RandomAccessFile file;
    private @Nullable FileChannel locked;

    private DataFile(Path path, RandomAccessFile file) {
        this.path = path;
        this.file = file;
    }

    /**
     * Opens the file of an environment for reading.
     *
     * @throws java.io.FileNotFoundException when it is missing or cannot be opened
     */
    static DataFile open(Path environment) throws IOException {
        Path path = environment.resolve(NAME);
        return new DataFile(path, new RandomAccessFile(path.toFile(), "r"));
    }

    /** Bytes of the file, from {@code at} on. Throws EOFException when it ends before. */
    synchronized ByteBuffer read(long at, int length) throws IOException {
        // No FileChannel: the interruption of a thread would close it, and drop the lock.
        if (at < 0 || at + length > file.length()) {
            throw new EOFException("it ends before byte " + (at + length));
        }
        byte[] bytes = new byte[length];
        file.seek(at);
        file.readFully(bytes);
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    synchronized long length() throws IOException {
        return file.length();
    }

    /** The newest commit; null when the file is no environment of LMDB. */
    @Nullable
    Meta meta() throws IOException {
        Meta first = meta(0);
        if (first == null) {
            return null;
        }
        Meta second = meta(first.pageBytes());
        return second == null || second.transaction() < first.transaction() ? first : second;
    }

    private @Nullable Meta meta(long at) throws IOException {
        ByteBuffer bytes = read(at, META_BYTES);
        int pageBytes = bytes.getInt(40);
        boolean isMeta = (bytes.getShort(10) & META_FLAG) != 0 && bytes.getInt(16) == MAGIC;
        return isMeta && pageBytes >= PAGE_BYTES_MIN && pageBytes <= PAGE_BYTES_MAX
                ? new Meta(pageBytes, bytes.getLong(80), bytes.getLong(136), bytes.getLong(144))
                : null;
    }

    /**
     * What the file lacks; null when it has all pages that are in use. Another process may commit meanwhile. A file
     * that is no environment at all is left to LMDB, which refuses it.
     */
    @Nullable
    String shortage() throws IOException {
        for (int attempt = 1; ; attempt++) {
            Meta meta;
            try {
                meta = meta();
            } catch (EOFException e) {
                return "it has " + length() + " bytes and not even its first two pages";
            }
            long length = length();
            if (meta == null || length >= meta.bytes() || areFree(meta, length)) {
                return null;
            }
            // The list of free pages may have changed while it was read.
            if (meta.equals(meta()) || attempt == ATTEMPTS) {
                return "it has " + length + " bytes, and its pages " + meta.bytes();
            }
        }
    }

    private boolean areFree(Meta meta, long length) {
        try {
            return FreePages.areAllFrom(length / meta.pageBytes(), this, meta);
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * Locks the file against other processes, until it is closed.
     *
     * @return false when another one has locked it, or this process by another object
     */
    synchronized boolean tryLock() throws IOException {
        if (locked != null) {
            return true;
        }
        FileChannel channel = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
        boolean isLocked = false;
        try {
            isLocked = channel.tryLock(LOCKED_BYTE, 1, false) != null;
        } catch (OverlappingFileLockException e) {
            return false;
        } finally {
            if (isLocked) {
                locked = channel;
            } else {
                channel.close();
            }
        }
        return isLocked;
    }

    /**
     * The process that has locked the file of an environment, as far as the system tells; null when it does not, or
     * there is none.
     */
    static @Nullable Long lockOwner(Path environment) {
        // The list of all locks of the machine is long where a server has thousands of graphs.
        try (FileChannel channel =
                        FileChannel.open(environment.resolve(NAME), StandardOpenOption.READ, StandardOpenOption.WRITE);
                FileLock lock = channel.tryLock(LOCKED_BYTE, 1, false)) {
            if (lock != null) {
                return null;
            }
        } catch (IOException | OverlappingFileLockException e) {
            // The list tells.
        }
        try {
            Map<String, Object> of = Files.readAttributes(environment.resolve(NAME), "unix:dev,ino");
            long device = Long.parseLong(String.valueOf(of.get("dev")));
            long major = ((device >>> 8) & 0xFFF) | ((device >>> 32) & ~0xFFFL);
            long minor = (device & 0xFF) | ((device >>> 12) & ~0xFFL);
            String file = "%02x:%02x:%s".formatted(major, minor, of.get("ino"));
            for (String line : Files.readAllLines(Path.of("/proc/locks"))) {
                // 1: POSIX  ADVISORY  WRITE 4711 fe:00:131 4611686018427387904 4611686018427387904
                String[] words = line.strip().split("\\s+", -1);
                if (words.length == 8 && words[5].equals(file) && words[6].equals(String.valueOf(LOCKED_BYTE))) {
                    long pid = Long.parseLong(words[4]);
                    return pid > 0 ? pid : null;
                }
            }
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
            return null;
        }
        return null;
    }

    @Override
    public synchronized void close() throws IOException {
        try {
            if (locked != null) {
                locked.close();
                locked = null;
            }
        } finally {
            file.close();
        }
    }
}
