package service.log.lmdb;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Gives the lock file of an environment all of its blocks before LMDB maps it. LMDB only sets its length, and on a full
 * disk the first write into a block that the file does not have ends the process. Call it before the environment is
 * opened: a descriptor of the file that is closed later would drop LMDB's lock on it.
 */
final class LockFile {
    static final String NAME = "lock.mdb";

    /** Bytes of the head, with the first reader slot, and of each further slot. */
    private static final int HEAD_BYTES = 192;

    private static final int SLOT_BYTES = 64;

    /** The first block has the header, so it exists. */
    private static final int BLOCK_BYTES = 4_096;

    /** Written as a whole: each opening of an environment writes them. */
    private static final ByteBuffer ZEROS = ByteBuffer.allocateDirect(64 << 10).asReadOnlyBuffer();

    private LockFile() {}

    /**
     * Makes the file if it is missing, and fills what it lacks while no process uses it. Does nothing where it may not.
     *
     * @throws StorageFailure DISK_FULL when there is no room for a new one
     */
    static void allocate(Path directory, int readersMax) {
        Path file = directory.resolve(NAME);
        long length = HEAD_BYTES + (long) (readersMax - 1) * SLOT_BYTES;
        try {
            if (Files.exists(file)) {
                fill(file, length);
            } else {
                create(file, length);
            }
        } catch (NoSuchFileException e) {
            // A compaction has just deleted it; LMDB makes it.
            return;
        } catch (IOException e) {
            if (!Files.exists(file) && isNoRoom(e)) {
                throw new StorageFailure(
                        StorageFailure.Kind.DISK_FULL, directory + ": no space left on the device for " + NAME, e);
            }
        }
    }

    static boolean isNoRoom(IOException e) {
        String reason = String.valueOf(e.getMessage());
        return reason.contains("No space left") || reason.contains("quota exceeded");
    }

    /** Two processes may do this at once: one file of both appears under the name, and both are empty. */
    private static void create(Path file, long length) throws IOException {
        Path draft =
                file.resolveSibling(NAME + "." + ThreadLocalRandom.current().nextLong(1L << 48));
        try {
            try (FileChannel channel =
                    FileChannel.open(draft, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
                zeros(channel, 0, length);
            }
            Files.setPosixFilePermissions(draft, PosixFilePermissions.fromString("rw-r-----"));
            Files.createLink(file, draft);
        } catch (FileAlreadyExistsException | UnsupportedOperationException e) {
            // Another process was faster, or the file system has no links and LMDB makes the file.
            return;
        } finally {
            Files.deleteIfExists(draft);
        }
    }

    /** The slots after the first block are free while no process uses the file, and so are zeros. */
    private static void fill(Path file, long length) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
                FileLock unused = channel.tryLock(0, 1, false)) {
            if (unused != null) {
                long size = channel.size();
                zeros(channel, Math.min(size, BLOCK_BYTES), Math.max(size, length));
            }
        } catch (OverlappingFileLockException e) {
            // This process opens it on another thread.
            return;
        }
    }

    private static void zeros(FileChannel channel, long from, long to) throws IOException {
        long at = from;
        while (at < to) {
            at += channel.write(ZEROS.slice(0, (int) Math.min(ZEROS.capacity(), to - at)), at);
        }
    }
}
