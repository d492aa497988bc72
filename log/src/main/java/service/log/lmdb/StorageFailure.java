package service.log.lmdb;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.Dbi;
import org.lmdbjava.Env;
import org.lmdbjava.LmdbException;
import org.lmdbjava.LmdbNativeException;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.error.StoredDamage;

/** A failure of an environment. The only place that maps native codes. */
public final class StorageFailure extends RuntimeException implements StoredDamage {
    private static final int ENOSPC = 28;
    private static final int EIO = 5;

    private static final String DATA = "data.mdb";
    private static final String PROBE = "room.probe";

    /** Bytes to write as a test; if they cannot be written, a short write was caused by a full disk. */
    private static final int PROBE_BYTES = 1 << 20;

    private static final int EDQUOT = 122;
    private static final int EFBIG = 27;
    private static final int MDB_INVALID = -30793;
    private static final int MDB_VERSION_MISMATCH = -30794;
    private static final int MDB_CORRUPTED = -30796;
    private static final int MDB_PAGE_NOTFOUND = -30797;
    private static final int MDB_CURSOR_FULL = -30787;
    private static final int MDB_PAGE_FULL = -30786;
    private static final int MDB_INCOMPATIBLE = -30784;
    private static final int MDB_BAD_TXN = -30782;

    /** The kinds of failure, each with its own remedy. */
    public enum Kind {
        /** The map is full: abort, grow, and run the transaction again. */
        MAP_FULL(ErrorCode.STORAGE_FULL),
        /** The disk or the quota is full; nothing was written: free space. */
        DISK_FULL(ErrorCode.STORAGE_FULL),
        /** A page or the file is damaged: restore or rebuild. */
        DAMAGED(ErrorCode.GRAPH_QUARANTINED),
        /** Written by a newer version: use that version. */
        TOO_NEW(ErrorCode.GRAPH_QUARANTINED),
        /** Written by a version that is no longer supported: upgrade step by step. */
        TOO_OLD(ErrorCode.GRAPH_QUARANTINED),
        /** More simultaneous reads than reader slots: try again. */
        READERS_FULL(ErrorCode.OVERLOADED),
        /** Another process enlarged the map: handled by the environment. */
        MAP_RESIZED(ErrorCode.RECOVERY_REQUIRED),
        /** Open reads did not end in time. */
        READERS_BUSY(ErrorCode.RECOVERY_REQUIRED),
        /**
         * LMDB begins no further transactions in this process: writing the meta page failed, and its content is
         * unknown. Acknowledged commits are stored; a restart reads the file again.
         */
        STOPPED(ErrorCode.RECOVERY_REQUIRED),
        /** The operating system refused a read, a write or a sync: the outcome is unknown. */
        IO(ErrorCode.RECOVERY_REQUIRED);

        private final ErrorCode code;

        Kind(ErrorCode code) {
            this.code = code;
        }

        /** The error code for the caller. */
        public ErrorCode code() {
            return code;
        }
    }

    private final Kind kind;

    public StorageFailure(Kind kind, String message) {
        this(kind, message, null);
    }

    public StorageFailure(Kind kind, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.kind = kind;
    }

    /** The reason of a failure in words, without the path that many messages consist of. */
    public static String why(IOException failure) {
        return switch (failure) {
            case AccessDeniedException denied -> "permission denied";
            case NoSuchFileException missing -> "there is no such file or directory";
            case FileSystemException file when file.getReason() != null -> file.getReason();
            default -> String.valueOf(failure.getMessage());
        };
    }

    /** Maps an exception of lmdbjava to a failure. */
    public static StorageFailure of(LmdbException exception, Path directory) {
        Kind kind = kindOf(exception);
        boolean mayBeShort = exception instanceof LmdbNativeException coded && coded.getResultCode() == EIO;
        if (mayBeShort && isOutOfRoom(directory)) {
            kind = Kind.DISK_FULL;
        }
        return new StorageFailure(kind, directory + ": " + sentence(kind) + " (" + words(exception) + ")", exception);
    }

    /** What LMDB says, without what lmdbjava puts before the words of the operating system. */
    private static String words(LmdbException exception) {
        return String.valueOf(exception.getMessage()).replaceFirst("^Platform constant error code: (E[A-Z0-9]+ )?", "");
    }

    /**
     * LMDB reports EIO after a short write, which happens when a disk, a quota or the maximum length of a file is
     * exhausted. Only the next write reports the real cause. So this method writes a test file next to the failed one,
     * at an offset after its length. A write to the page cache rarely fails for another cause than missing space. If
     * the file cannot be created, for example on a device that has become read-only, the cause stays unknown.
     */
    private static boolean isOutOfRoom(Path directory) {
        try {
            Path data = directory.resolve(DATA);
            long length = Files.exists(data) ? Files.size(data) : 0;
            Path probe = directory.resolve(PROBE);
            try (FileChannel channel = FileChannel.open(
                    probe,
                    StandardOpenOption.CREATE,
                    StandardOpenOption.TRUNCATE_EXISTING,
                    StandardOpenOption.WRITE,
                    StandardOpenOption.DELETE_ON_CLOSE)) {
                return !takes(channel, length);
            }
        } catch (IOException e) {
            return false;
        }
    }

    private static boolean takes(FileChannel channel, long position) {
        ByteBuffer bytes = ByteBuffer.allocate(PROBE_BYTES);
        try {
            while (bytes.hasRemaining()) {
                channel.write(bytes, position + bytes.position());
            }
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private static Kind kindOf(LmdbException exception) {
        if (exception instanceof Env.MapFullException) {
            return Kind.MAP_FULL;
        }
        if (exception instanceof Env.ReadersFullException) {
            return Kind.READERS_FULL;
        }
        if (exception instanceof Dbi.MapResizedException) {
            return Kind.MAP_RESIZED;
        }
        if (exception instanceof LmdbNativeException.PanicException) {
            return Kind.STOPPED;
        }
        if (exception instanceof LmdbNativeException coded) {
            return switch (coded.getResultCode()) {
                case ENOSPC, EDQUOT, EFBIG -> Kind.DISK_FULL;
                case MDB_CORRUPTED, MDB_PAGE_NOTFOUND, MDB_INVALID -> Kind.DAMAGED;
                case MDB_VERSION_MISMATCH -> Kind.TOO_NEW;
                default -> Kind.IO;
            };
        }
        return Kind.IO;
    }

    /** {@link StoredDamage#of}, also where a failure of LMDB itself has reached the caller. */
    public static @Nullable String damageIn(Throwable failure) {
        String reported = StoredDamage.of(failure);
        for (Throwable at = failure; reported == null && at != null; at = at.getCause()) {
            if (at instanceof LmdbNativeException coded && isDamage(coded)) {
                return sentence(Kind.DAMAGED) + " (" + words(coded) + ")";
            }
        }
        return reported;
    }

    /**
     * Whether LMDB met pages that it did not write. A tree that is too deep, a page of the wrong kind, and a
     * transaction in which an earlier step has met one, are such: no code of this program makes them.
     */
    public static boolean isDamage(LmdbNativeException coded) {
        return switch (coded.getResultCode()) {
            case MDB_CORRUPTED,
                    MDB_PAGE_NOTFOUND,
                    MDB_INVALID,
                    MDB_CURSOR_FULL,
                    MDB_PAGE_FULL,
                    MDB_INCOMPATIBLE,
                    MDB_BAD_TXN -> true;
            default -> false;
        };
    }

    private static String sentence(Kind kind) {
        return switch (kind) {
            case MAP_FULL -> "the memory map is full";
            case DISK_FULL -> "no space left on the device: free some, nothing was written";
            case DAMAGED -> "the environment is damaged: run verify, then rebuild or restore";
            case TOO_NEW -> "the environment was written by a newer version: open it with that version";
            case TOO_OLD -> "the environment was written by a version that is too old";
            case READERS_FULL -> "every reader slot is taken: try again";
            case MAP_RESIZED -> "another process enlarged the map: try again";
            case READERS_BUSY -> "open reads did not end in time: try again";
            case STOPPED ->
                "storage has stopped after a write that failed: restart the server, which reads from the disk what is"
                        + " durable";
            case IO -> "storage failed";
        };
    }

    @Override
    public @Nullable String damage() {
        return kind == Kind.DAMAGED ? getMessage() : null;
    }

    public Kind kind() {
        return kind;
    }

    /** The error for a remote caller, without paths. */
    public ServiceException asAnswer() {
        return new ServiceException(kind.code, "the write failed: " + sentence(kind), null, this);
    }

    /** The error for a local caller, with paths. */
    public ServiceException asServiceException() {
        return new ServiceException(kind.code, String.valueOf(getMessage()), null, this);
    }
}
