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
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import service.core.error.ServiceException;
import service.log.lmdb.StorageFailure;

/**
 * The right to write one graph: an operating-system lock on {@code writer.lock} in the directory of the graph, which
 * ends with its process. The file holds a line of JSON that names the holder.
 *
 * <p>POSIX drops a process's locks on a file when <em>any</em> of its handles on that file is closed. So a second
 * attempt in the same process is refused before it opens the file.
 */
public final class GraphLock implements AutoCloseable {
    /** The file in the graph's directory. */
    public static final String FILE = "writer.lock";

    private static final Map<Path, Purpose> HELD = new ConcurrentHashMap<>();
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int HOLDER_BYTES_MAX = 4 << 10;
    private static final long LOOK_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** {@link #holderOf} takes the lock for some microseconds, so a writer repeats its attempt for this long. */
    private static final Duration GLANCE_WAIT = Duration.ofMillis(200);

    /** The purpose for which a process holds the lock. */
    public enum Purpose {
        /** To commit, or to replace files. Other writers are refused. */
        WRITING("is being written by %s: stop it or send the write to it", GLANCE_WAIT),
        /** To bring the tables up to date for readers, and then to release the lock. Writers wait for that. */
        CATCHING_UP(
                "has its tables brought up to date by %s: try again when it has finished, or stop it",
                Duration.ofSeconds(10));

        private final String refusal;
        private final Duration wait;

        Purpose(String refusal, Duration wait) {
            this.refusal = refusal;
            this.wait = wait;
        }

        private static Purpose of(String name) {
            return name.equals(CATCHING_UP.name()) ? CATCHING_UP : WRITING;
        }
    }

    /** The process that holds the lock, read from the file. */
    private record Holder(Purpose purpose, String words) {
        ServiceException refusal(Path directory) {
            return ServiceException.conflict(directory + " " + purpose.refusal.formatted(words));
        }
    }

    private final Path directory;
    private final FileChannel channel;
    private final FileLock lock;

    private GraphLock(Path directory, FileChannel channel, FileLock lock) {
        this.directory = directory;
        this.channel = channel;
        this.lock = lock;
    }

    /**
     * Takes the lock of a graph whose directory exists. A caller that takes it for writing waits on its thread, for at
     * most ten seconds, while the holder only brings the tables up to date.
     *
     * @throws ServiceException CONFLICT, naming the holder
     */
    public static GraphLock take(Path graphDirectory, Purpose purpose) {
        try {
            Path directory = graphDirectory.toRealPath();
            long began = System.nanoTime();
            while (true) {
                Attempt attempt = attempt(directory, purpose);
                if (attempt.lock != null) {
                    return attempt.lock;
                }
                Holder holder = Objects.requireNonNull(attempt.holder);
                boolean waits = purpose == Purpose.WRITING
                        && System.nanoTime() - began < holder.purpose().wait.toNanos();
                if (!waits || Thread.currentThread().isInterrupted()) {
                    throw holder.refusal(directory);
                }
                LockSupport.parkNanos(LOOK_AGAIN_NANOS);
            }
        } catch (IOException e) {
            throw new StorageFailure(
                    StorageFailure.Kind.IO,
                    graphDirectory + ": the writer lock cannot be taken (" + e.getMessage() + ")",
                    e);
        }
    }

    /** The result of one attempt: the lock, or its holder. */
    private record Attempt(
            @Nullable GraphLock lock, @Nullable Holder holder) {}

    private static Attempt attempt(Path directory, Purpose purpose) throws IOException {
        Purpose held = HELD.putIfAbsent(directory, purpose);
        if (held != null) {
            return new Attempt(null, new Holder(held, thisProcess()));
        }
        Attempt attempt = null;
        try {
            attempt = takeFile(directory, purpose);
            return attempt;
        } finally {
            if (attempt == null || attempt.lock == null) {
                HELD.remove(directory);
            }
        }
    }

    /**
     * Describes the process that holds the lock of a graph; null when there is none. Takes the lock for some
     * microseconds, during which a starting writer waits.
     */
    public static @Nullable String holderOf(Path graphDirectory) {
        try {
            Path directory = graphDirectory.toRealPath();
            if (HELD.putIfAbsent(directory, Purpose.CATCHING_UP) != null) {
                return thisProcess();
            }
            try (FileChannel channel = FileChannel.open(
                            directory.resolve(FILE), StandardOpenOption.READ, StandardOpenOption.WRITE);
                    FileLock lock = channel.tryLock()) {
                return lock == null ? holder(channel).words() : null;
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
    private static Attempt takeFile(Path directory, Purpose purpose) throws IOException {
        FileChannel channel = FileChannel.open(
                directory.resolve(FILE), StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        try {
            FileLock lock = channel.tryLock();
            if (lock == null) {
                Holder holder = holder(channel);
                channel.close();
                return new Attempt(null, holder);
            }
            ObjectNode holder = JSON.createObjectNode();
            holder.put("pid", ProcessHandle.current().pid());
            holder.put("host", host());
            holder.put("since", Instant.now().toString());
            holder.put("purpose", purpose.name());
            channel.truncate(0);
            channel.write(ByteBuffer.wrap((holder + "\n").getBytes(StandardCharsets.UTF_8)), 0);
            return new Attempt(new GraphLock(directory, channel, lock), null);
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    /** The directory of the graph. */
    public Path directory() {
        return directory;
    }

    private static Holder holder(FileChannel channel) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(HOLDER_BYTES_MAX);
        channel.read(bytes, 0);
        String text = new String(bytes.array(), 0, bytes.position(), StandardCharsets.UTF_8).strip();
        if (JSON.reader().readTree(text) instanceof ObjectNode holder && holder.has("pid")) {
            String words = "process %s on %s since %s"
                    .formatted(
                            holder.path("pid").asText(),
                            holder.path("host").asText(),
                            holder.path("since").asText());
            return new Holder(Purpose.of(holder.path("purpose").asText()), words);
        }
        return new Holder(Purpose.WRITING, "another process that has just started");
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
                    directory + ": the writer lock cannot be released (" + e.getMessage() + ")",
                    e);
        }
    }
}
