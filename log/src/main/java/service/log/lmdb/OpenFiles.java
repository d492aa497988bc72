package service.log.lmdb;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;

/**
 * The files of one open environment, and whether they are still those at its path. Other programs can move, delete,
 * replace, cut or write them while they are open; nothing in LMDB notices it, and what a process then acknowledges is
 * lost. {@link #check} compares them; an environment is not written any more once they differ.
 *
 * <p>A check costs some system calls of microseconds. One loop of the process makes it every other second, and a write
 * does when the last one is older than {@link #CHECK_NANOS}.
 *
 * <p>Thread rule: any thread; {@link #begun} and {@link #committed} on the thread that writes.
 */
public final class OpenFiles implements AutoCloseable {
    /** A write checks when the last check is older than this, in nanoseconds. */
    static final long CHECK_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** What other programs did with the files, and whether it can be undone while they are open. */
    private enum Change {
        MOVED(false),
        REPLACED(false),
        HIDDEN(false),
        /** They must not be read either: a mapped page that is gone ends the process. */
        CUT(true),
        WRITTEN(true);

        private final boolean lasts;

        Change(boolean lasts) {
            this.lasts = lasts;
        }
    }

    /** What was found, and the one exception that all refused writes throw. */
    private record Finding(Change change, String words, ServiceException refusal) {
        boolean isSame(@Nullable Finding other) {
            return other != null && change == other.change && words.equals(other.words);
        }
    }

    private Finding found(Change change, String what) {
        return found(DataFile.NAME, change, what);
    }

    private Finding found(String name, Change change, String what) {
        String words = directory.getFileName() + "/" + name + " " + what;
        String remedy = name.equals(LockFile.NAME)
                ? "; an operator has to restart it, which makes the file again"
                : "; an operator has to look at it";
        return new Finding(
                change,
                words,
                new ServiceException(
                        ErrorCode.GRAPH_QUARANTINED,
                        "this server does not write the graph any more: " + words + remedy));
    }

    private final Path directory;
    private final DataFile data;
    private final @Nullable Object dataKey;
    private final @Nullable Object lockKey;
    private volatile @Nullable Finding finding;
    private volatile long checkedNanos = System.nanoTime();

    /** The newest transaction that is known to be in the file; −1 when it is not known. */
    private volatile long newest = -1;

    private OpenFiles(Path directory, DataFile data) {
        this.directory = directory;
        this.data = data;
        this.dataKey = key(DataFile.NAME);
        this.lockKey = key(LockFile.NAME);
    }

    /** The files of an environment that has just been opened. */
    static OpenFiles of(Path directory, DataFile data) {
        return new OpenFiles(directory, data);
    }

    /** What identifies the data file of a directory; null when there is none. */
    static @Nullable Object dataKey(Path directory) {
        return key(directory.resolve(DataFile.NAME));
    }

    private @Nullable Object key(String name) {
        return key(directory.resolve(name));
    }

    static @Nullable Object key(Path file) {
        try {
            return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
        } catch (IOException e) {
            return null;
        }
    }

    @Nullable
    Object dataKey() {
        return dataKey;
    }

    /** Compares the files with those at the path, and remembers what it finds. */
    public synchronized void check() {
        Finding before = finding;
        if (before == null || !before.change().lasts) {
            Finding now = compare();
            finding = now != null && now.isSame(before) ? before : now;
        }
        checkedNanos = System.nanoTime();
    }

    private @Nullable Finding compare() {
        try {
            String shortage = data.shortage();
            if (shortage != null) {
                return found(Change.CUT, "was cut while it was open: " + shortage);
            }
            if (isWrittenByOthers()) {
                return found(Change.WRITTEN, "was written by another program while it was open");
            }
            Finding moved = compare(DataFile.NAME, dataKey);
            return moved == null ? compare(LockFile.NAME, lockKey) : moved;
        } catch (IOException e) {
            return found(Change.HIDDEN, "cannot be read any more");
        }
    }

    private @Nullable Finding compare(String name, @Nullable Object opened) {
        if (opened == null) {
            return null;
        }
        try {
            Object now = Files.readAttributes(directory.resolve(name), BasicFileAttributes.class)
                    .fileKey();
            return Objects.equals(now, opened)
                    ? null
                    : found(name, Change.REPLACED, "was replaced while it was open: another file lies in its place");
        } catch (NoSuchFileException | NotDirectoryException e) {
            return found(name, Change.MOVED, "was moved or deleted while it was open");
        } catch (IOException e) {
            return found(name, Change.HIDDEN, "cannot be looked at any more");
        }
    }

    /** The transactions of the file are those of this process: one more than the newest known one while it commits. */
    private boolean isWrittenByOthers() throws IOException {
        long known = newest;
        DataFile.Meta meta = data.meta();
        long after = newest;
        if (meta == null) {
            return true;
        }
        return known >= 0 && after >= 0 && (meta.transaction() < known || meta.transaction() > after + 1);
    }

    /** What other programs did with the files, without a path; null while they are those that were opened. */
    public @Nullable String finding() {
        Finding found = finding;
        return found == null ? null : found.words();
    }

    /** The path of the files. */
    public Path directory() {
        return directory;
    }

    /** Whether the mapped file has the pages that reads follow. */
    boolean isReadable() {
        Finding found = finding;
        return found == null || found.change() != Change.CUT;
    }

    /** @throws ServiceException GRAPH_QUARANTINED when the mapped file was cut, so that a read would end the process */
    void requireReadable() {
        Finding found = finding;
        if (found != null && found.change() == Change.CUT) {
            throw found.refusal();
        }
    }

    /**
     * Checks if the last check is old.
     *
     * @throws ServiceException GRAPH_QUARANTINED when the files are not those that were opened
     */
    void requireOwn() {
        if (System.nanoTime() - checkedNanos > CHECK_NANOS) {
            check();
        }
        Finding found = finding;
        if (found != null) {
            throw found.refusal();
        }
    }

    /**
     * Compares the newest transaction in the file, when a write has begun, with the one that this process made. The
     * number of the write itself would not do: LMDB takes it from its lock file.
     *
     * @throws ServiceException GRAPH_QUARANTINED when another process has written in between
     */
    void begun(long transaction) {
        long known = newest;
        if (known >= 0 && transaction != known) {
            Finding written = found(Change.WRITTEN, "was written by another program while it was open");
            finding = written;
            throw written.refusal();
        }
        newest = transaction;
    }

    /** @param transaction the newest one in the file, after a write has ended; −1 when its outcome is unknown */
    void committed(long transaction) {
        newest = transaction;
    }

    /**
     * Locks the data file for this process until it is closed. It is the lock that decides who writes, and it cannot be
     * deleted as a file beside it can.
     *
     * @return false when another process has it
     */
    public boolean tryLock() {
        try {
            return data.tryLock();
        } catch (IOException e) {
            throw new StorageFailure(
                    StorageFailure.Kind.IO, directory + ": cannot be locked (" + e.getMessage() + ")", e);
        }
    }

    /** Call it after the environment was closed; see {@link FreeBlocks}. The lock of {@link #tryLock} ends with it. */
    void punchFreePages() {
        FreeBlocks.release(directory, data);
    }

    /**
     * The other process that has locked the data file of a directory, in words; null when there is none, or the system
     * does not tell.
     */
    public static @Nullable String lockOwner(Path directory) {
        Long owner = DataFile.lockOwner(directory);
        return owner == null || owner == ProcessHandle.current().pid() ? null : "process " + owner;
    }

    @Override
    public void close() {
        try {
            data.close();
        } catch (IOException e) {
            throw new StorageFailure(
                    StorageFailure.Kind.IO, directory + ": cannot be closed (" + e.getMessage() + ")", e);
        }
    }
}
