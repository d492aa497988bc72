package service.log.files;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import jnr.ffi.LibraryLoader;
import jnr.ffi.annotations.In;
import jnr.ffi.annotations.Out;
import org.jspecify.annotations.Nullable;

/**
 * A file whose parts can be given back to the file system: reads find zeros there, and the length stays. Linux only;
 * elsewhere, and on file systems without holes, nothing can be given back. One thread; the static method any.
 *
 * <p>POSIX drops the locks of this process on the file when this is closed.
 */
public final class SparseFile implements AutoCloseable {
    private static final int READ_WRITE = 2;
    private static final int CLOSE_ON_EXEC = 0x80000;

    /** Punch a hole, keep the length. */
    private static final int PUNCH = 0x02 | 0x01;

    private static final int WORKING_DIRECTORY = -100;
    private static final int STATX_BYTES = 256;
    private static final int STATX_BLOCKS = 0x400;
    private static final int BLOCKS_AT = 48;
    private static final int BLOCK_BYTES = 512;

    /** Functions of the C library. They return -1 after a failure. */
    public interface Library {
        int open(@In byte[] path, int flags);

        int close(int file);

        int fsync(int file);

        int fallocate(int file, int mode, long offset, long length);

        int statx(int directory, @In byte[] path, int flags, int mask, @Out byte[] into);
    }

    /** Loaded when it is needed first. */
    private static final class Loaded {
        static final @Nullable Library LIBRARY = load();

        private static @Nullable Library load() {
            if (!System.getProperty("os.name", "").equals("Linux")) {
                return null;
            }
            try {
                return LibraryLoader.create(Library.class).failImmediately().load("c");
            } catch (RuntimeException | LinkageError e) {
                // An old C library lacks a function.
                return null;
            }
        }
    }

    private final Library library;
    private final int file;

    private SparseFile(Library library, int file) {
        this.library = library;
        this.file = file;
    }

    /** Opens an existing file for writing; null where it has no holes or cannot be opened. */
    public static @Nullable SparseFile open(Path path) {
        Library library = Loaded.LIBRARY;
        int file = library == null ? -1 : library.open(name(path), READ_WRITE | CLOSE_ON_EXEC);
        return library == null || file < 0 ? null : new SparseFile(library, file);
    }

    private static byte[] name(Path path) {
        return (path.toAbsolutePath() + "\0").getBytes(StandardCharsets.UTF_8);
    }

    /** Makes what was written to the file durable; false when that failed. */
    public boolean sync() {
        return library.fsync(file) == 0;
    }

    /** Gives the blocks of a part back; false when the file system refuses. */
    public boolean punch(long offset, long length) {
        return library.fallocate(file, PUNCH, offset, length) == 0;
    }

    /**
     * Bytes of the blocks that a file has on the disk, or its length where the system does not tell.
     *
     * @param length bytes of the file
     */
    public static long blockBytes(Path path, long length) {
        Library library = Loaded.LIBRARY;
        byte[] answer = new byte[STATX_BYTES];
        if (library == null || library.statx(WORKING_DIRECTORY, name(path), 0, STATX_BLOCKS, answer) != 0) {
            return length;
        }
        // The fields have the order of bytes of the machine.
        return BLOCK_BYTES
                * ByteBuffer.wrap(answer).order(ByteOrder.nativeOrder()).getLong(BLOCKS_AT);
    }

    @Override
    public void close() {
        int unused = library.close(file);
    }
}
