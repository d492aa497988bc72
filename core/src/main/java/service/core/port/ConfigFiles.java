package service.core.port;

import java.nio.file.Path;
import java.util.List;

/** The files of a cluster's directory, which an operator edits. Only read. One thread. */
public interface ConfigFiles {
    /** Maximum number of bytes of one file. */
    int FILE_BYTES_MAX = 1 << 20;

    /** The name of the directory itself, without its parents. */
    String name();

    /**
     * The file or folder at a path.
     *
     * @param path relative to the directory, as an operator wrote it
     */
    Found find(String path);

    /** What is at a path. */
    sealed interface Found {}

    /**
     * A file.
     *
     * @param path relative to the directory, normalised, as messages show it
     */
    record Text(String path, String text) implements Found {}

    /**
     * A folder.
     *
     * @param path relative to the directory, normalised, as messages show it
     * @param files the paths of the entries in it, sorted; relative to the directory of the cluster
     */
    record Folder(String path, List<String> files) implements Found {}

    /**
     * There is nothing that can be used.
     *
     * @param message the cause, naming the path
     */
    record Unusable(Fault fault, String message) implements Found {}

    /** Why a file cannot be used. */
    enum Fault {
        /** It is missing, is not UTF-8, or cannot be read. */
        UNREADABLE,
        /** The path, or a link in it, leads out of the directory. */
        OUTSIDE,
        /** It has more than {@link ConfigFiles#FILE_BYTES_MAX} bytes. */
        TOO_LARGE
    }

    /** Opens the files of a directory. The composition root implements it. Any thread. */
    @FunctionalInterface
    interface Directories {
        /** The files of a directory, which need not exist. */
        ConfigFiles open(Path directory);
    }
}
