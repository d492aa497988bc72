package service.log.format;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import service.core.error.ServiceException;
import service.log.lmdb.StorageFailure;

/**
 * The right to write one graph: a lock of the operating system on {@code writer.lock} in the graph's directory, which
 * ends with its process however that dies, and a line of JSON in the file that tells others who holds it.
 *
 * <p>POSIX drops a process's locks on a file when <em>any</em> of its handles on that file is closed, so a second taker
 * in this process is refused before it touches the file.
 */
public final class GraphLock implements AutoCloseable {
    /** The file in the graph's directory. */
    public static final String FILE = "writer.lock";

    private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int HOLDER_BYTES_MAX = 4 << 10;

    private final Path directory;
    private final FileChannel channel;
    private final FileLock lock;

    private GraphLock(Path directory, FileChannel channel, FileLock lock) {
        this.directory = directory;
        this.channel = channel;
        this.lock = lock;
    }

    /**
     * Takes the lock of a graph whose directory exists.
     *
     * @throws ServiceException CONFLICT, naming the holder
     */
    public static GraphLock take(Path graphDirectory) {
        try {
            Path directory = graphDirectory.toRealPath();
            if (!HELD.add(directory)) {
                throw heldBy(directory, thisProcess());
            }
            try {
                return takeFile(directory);
            } catch (IOException | RuntimeException e) {
                HELD.remove(directory);
                throw e;
            }
        } catch (IOException e) {
            throw new StorageFailure(
                    StorageFailure.Kind.IO,
                    graphDirectory + ": the writer lock cannot be taken (" + e.getMessage() + ")",
                    e);
        }
    }

    /**
     * Who holds the lock of a graph, in words, or null when nobody does. Takes it for a moment, so that a writer which
     * starts just now may be refused.
     */
    public static @Nullable String holderOf(Path graphDirectory) {
        try {
            Path directory = graphDirectory.toRealPath();
            if (!HELD.add(directory)) {
                return thisProcess();
            }
            try (FileChannel channel = FileChannel.open(
                            directory.resolve(FILE), StandardOpenOption.READ, StandardOpenOption.WRITE);
                    FileLock lock = channel.tryLock()) {
                return lock == null ? holder(channel) : null;
            } finally {
                HELD.remove(directory);
            }
        } catch (NoSuchFileException e) {
            return null;
        } catch (IOException e) {
            throw new StorageFailure(
                    StorageFailure.Kind.IO,
                    graphDirectory + ": the writer lock cannot be read (" + e.getMessage() + ")",
                    e);
        }
    }

    private static String thisProcess() {
        return "this process (pid " + ProcessHandle.current().pid() + ")";
    }

    @SuppressWarnings("resource") // the channel lives as long as the lock
    private static GraphLock takeFile(Path directory) throws IOException {
        FileChannel channel = FileChannel.open(
                directory.resolve(FILE), StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        try {
            FileLock lock = channel.tryLock();
            if (lock == null) {
                throw heldBy(directory, holder(channel));
            }
            ObjectNode holder = JSON.createObjectNode();
            holder.put("pid", ProcessHandle.current().pid());
            holder.put("host", host());
            holder.put("since", Instant.now().toString());
            channel.truncate(0);
            channel.write(ByteBuffer.wrap((holder + "\n").getBytes(StandardCharsets.UTF_8)), 0);
            return new GraphLock(directory, channel, lock);
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    /** The directory of the graph. */
    public Path directory() {
        return directory;
    }

    private static ServiceException heldBy(Path directory, String holder) {
        return ServiceException.conflict(
                directory + " is being written by " + holder + ": stop it or send the write to it");
    }

    private static String holder(FileChannel channel) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(HOLDER_BYTES_MAX);
        channel.read(bytes, 0);
        String text = new String(bytes.array(), 0, bytes.position(), StandardCharsets.UTF_8).strip();
        if (JSON.reader().readTree(text) instanceof ObjectNode holder && holder.has("pid")) {
            return "process %s on %s since %s"
                    .formatted(
                            holder.path("pid").asText(),
                            holder.path("host").asText(),
                            holder.path("since").asText());
        }
        return "another process that has just started";
    }

    private static String host() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "localhost";
        }
    }

    @Override
    public void close() {
        try {
            if (channel.isOpen()) {
                lock.release();
                channel.close();
                HELD.remove(directory);
            }
        } catch (IOException e) {
            throw new StorageFailure(
                    StorageFailure.Kind.IO,
                    directory + ": the writer lock cannot be given back (" + e.getMessage() + ")",
                    e);
        }
    }
}
