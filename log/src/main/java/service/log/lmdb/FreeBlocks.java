package service.log.lmdb;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.BitSet;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import service.log.files.SparseFile;

/**
 * Gives the blocks of free pages back to the file system, when an environment has been closed. The file keeps its
 * length, and a later commit that uses such a page gets a new block for it.
 *
 * <p>A page that the newest commit lists as free may still be used by a reader of an earlier one, and by the commit
 * before it, to which LMDB returns when the head of the newest one did not reach the disk. So no process may have the
 * environment open, which an exclusive lock on LMDB's lock file says and ensures, and the file is synced first.
 * Whenever the process or the machine stops, each free page is as it was or zeros.
 *
 * <p>One thread.
 */
final class FreeBlocks {
    private static final Logger LOG = LoggerFactory.getLogger(FreeBlocks.class);

    /** Less in all is not worth the calls. */
    private static final long FREE_BYTES_MIN = 1L << 20;

    /** A single page keeps its block: they are half of the calls, and a twelfth of what is free. */
    static final int RUN_PAGES_MIN = 2;

    private static final long NANOS_MAX = TimeUnit.SECONDS.toNanos(2);

    private FreeBlocks() {}

    /**
     * Does nothing where another process has the environment open, or the file system has no holes, or there is little
     * to give back. Ends after two seconds; the next time does the rest. The caller knows that the newest commit was
     * written without a failure, and holds no lock on the data file that it still needs.
     */
    static void release(Path directory, DataFile data) {
        Path lockFile = directory.resolve(LockFile.NAME);
        try (FileChannel channel = FileChannel.open(lockFile, StandardOpenOption.READ, StandardOpenOption.WRITE);
                FileLock alone = channel.tryLock(0, 1, false)) {
            DataFile.Meta meta = alone == null ? null : data.meta();
            if (meta == null) {
                return;
            }
            BitSet free = FreePages.from(0, data, meta);
            if ((long) free.cardinality() * meta.pageBytes() >= FREE_BYTES_MIN) {
                punch(directory.resolve(DataFile.NAME), free, meta.pageBytes());
            }
        } catch (IOException | OverlappingFileLockException e) {
            LOG.debug("{}: its free pages keep their blocks", directory, e);
        }
    }

    private static void punch(Path file, BitSet free, long pageBytes) {
        long start = System.nanoTime();
        try (SparseFile sparse = SparseFile.open(file)) {
            if (sparse == null || !sparse.sync()) {
                return;
            }
            int end;
            for (int from = free.nextSetBit(0); from >= 0; from = free.nextSetBit(end)) {
                end = free.nextClearBit(from);
                boolean isRun = end - from >= RUN_PAGES_MIN;
                if (isRun
                        && (System.nanoTime() - start > NANOS_MAX
                                || !sparse.punch(from * pageBytes, (end - from) * pageBytes))) {
                    return;
                }
            }
        }
    }
}
