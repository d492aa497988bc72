package service.log.lmdb;

import java.nio.file.FileSystems;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import jnr.ffi.LibraryLoader;

/**
 * The permissions of the files that this process makes: at most 0640, and 0750 for directories, because they hold data
 * of graphs. The mask of the process is used, and not the attributes of each file, because LMDB makes files as well. A
 * stricter mask stays. Any thread.
 */
public final class FileMask {
    private static final int OTHERS_AND_WRITING_GROUP = 027;

    /** The function of the C library. */
    public interface Umask {
        /** Sets the mask of the process and returns the one before. */
        int umask(int mask);
    }

    /** Initialized once; the class is not loaded before it is needed, because the library takes a part of a start. */
    private static final class Set {
        static final boolean DONE = set();

        private static boolean set() {
            try {
                Umask library = LibraryLoader.create(Umask.class).load("c");
                int before = library.umask(OTHERS_AND_WRITING_GROUP);
                library.umask(before | OTHERS_AND_WRITING_GROUP);
                return true;
            } catch (RuntimeException | LinkageError e) {
                // A system without the function has no such permissions.
                return false;
            }
        }
    }

    private static final boolean IS_POSIX =
            FileSystems.getDefault().supportedFileAttributeViews().contains("posix");

    private FileMask() {}

    /** The permissions of one new file: 0640. For files that are made without the mask. */
    public static FileAttribute<?>[] file() {
        return permissions("rw-r-----");
    }

    /** The permissions of one new folder: 0750. */
    public static FileAttribute<?>[] folder() {
        return permissions("rwxr-x---");
    }

    private static FileAttribute<?>[] permissions(String permissions) {
        return IS_POSIX
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
                }
                : new FileAttribute<?>[0];
    }

    /** Call it before the first file of a graph or a root is made. Later calls cost nothing. */
    public static void restrict() {
        boolean unused = Set.DONE;
    }
}
