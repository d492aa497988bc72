package service.cli.boot;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import service.core.port.RootAddress;
import service.core.value.Sha256;
import service.log.files.FileTrees;
import service.log.lmdb.FileMask;

/**
 * The directories of this machine that hold copies of graphs in buckets:
 *
 * <pre>
 *  &lt;cache&gt;/&lt;bucket&gt;-&lt;digest of the URI&gt;/lock         held by the process that uses it
 *  &lt;cache&gt;/&lt;bucket&gt;-&lt;digest of the URI&gt;/graphs/&lt;id&gt;/
 *  &lt;cache&gt;/&lt;bucket&gt;-&lt;digest of the URI&gt;.1/...        of a second process at the same time
 * </pre>
 *
 * <p>A process takes the first directory that no other process holds, so copies are found again after a restart. POSIX
 * drops the locks of a process on a file when any of its handles is closed, so a directory that this process holds is
 * found in a table and its file is not opened again. Any thread.
 */
final class CacheDirectories {
    private static final String LOCK = "lock";
    private static final String GRAPHS = "graphs";
    private static final int DIGEST_CHARS = 16;

    /** The directories that this process holds. */
    private static final Map<Path, Held> HELD = new HashMap<>();

    private CacheDirectories() {}

    /** A directory that this process holds, and the graphs that are open in it. */
    private static final class Held {
        private final FileChannel channel;

        /**
         * Whether it was taken because others hold the directories before it. Its copies are deleted when it is
         * released, so that commands that run at the same time leave no copies; the first directory keeps its copies
         * for the next process.
         */
        private final boolean isSpare;

        private final Set<String> graphs = new HashSet<>();

        Held(FileChannel channel, boolean isSpare) {
            this.channel = channel;
            this.isSpare = isSpare;
        }
    }

    /** The directory of one graph; closing it makes it free. A second close does nothing. */
    static final class Place implements AutoCloseable {
        private final Path directory;
        private final String graphId;
        private boolean closed;

        private Place(Path directory, String graphId) {
            this.directory = directory;
            this.graphId = graphId;
        }

        /** The directory of the graph, which may be missing; its parent exists. */
        Path graph() {
            return directory.resolve(GRAPHS).resolve(graphId);
        }

        @Override
        public void close() {
            synchronized (HELD) {
                if (!closed) {
                    closed = true;
                    release(directory, graphId);
                }
            }
        }
    }

    /** Takes a directory for one graph of a root. */
    static Place take(Path cache, RootAddress.Bucket root, String graphId) {
        String name = root.bucket() + "-" + digest(root.uri());
        synchronized (HELD) {
            try {
                for (int number = 0; ; number++) {
                    Path directory = cache.resolve(number == 0 ? name : name + "." + number)
                            .toAbsolutePath()
                            .normalize();
                    Held held = HELD.get(directory);
                    if (held == null) {
                        held = lock(directory, number > 0);
                    }
                    if (held != null && held.graphs.add(graphId)) {
                        return new Place(directory, graphId);
                    }
                }
            } catch (IOException e) {
                throw new UncheckedIOException(
                        cache + ": the cache cannot be used (" + e.getMessage()
                                + "); set SERVICE_CACHE_DIR to a directory that can be written",
                        e);
            }
        }
    }

    /** Takes the lock of a directory; null when another process has it. */
    private static @org.jspecify.annotations.Nullable Held lock(Path directory, boolean isSpare) throws IOException {
        FileMask.restrict();
        Files.createDirectories(directory);
        FileChannel channel =
                FileChannel.open(directory.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock lock = null;
        try {
            lock = channel.tryLock();
        } finally {
            if (lock == null) {
                channel.close();
            }
        }
        if (lock == null) {
            return null;
        }
        Files.createDirectories(directory.resolve(GRAPHS));
        Held held = new Held(channel, isSpare);
        HELD.put(directory, held);
        return held;
    }

    private static void release(Path directory, String graphId) {
        Held held = HELD.get(directory);
        if (held != null && held.graphs.remove(graphId) && held.graphs.isEmpty()) {
            HELD.remove(directory);
            try {
                if (held.isSpare) {
                    FileTrees.delete(directory.resolve(GRAPHS));
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } finally {
                unlock(held);
            }
        }
    }

    private static void unlock(Held held) {
        try {
            held.channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String digest(String text) {
        return Sha256.hex(text.getBytes(StandardCharsets.UTF_8)).substring(0, DIGEST_CHARS);
    }
}
