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
import java.nio.file.Files;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import service.core.error.ServiceException;
import service.log.lmdb.FileMask;
import service.log.lmdb.LmdbEnvironment;
import service.log.lmdb.OpenFiles;
import service.log.lmdb.StorageFailure;

/**
 * The right to write one graph: operating-system locks on {@code writer.lock} in the directory of the graph and on the
 * data file of its log, which end with their process. {@code writer.lock} holds a line of JSON that names the holder,
 * and decides before anything is opened; the lock on the data file holds where that one was deleted.
 *
 * <p>A third file, {@code .<graph>.lock} beside the directory, is locked by the process that serves the graph
 * ({@link #takeBeside}): the directory can be moved away under a process that has it open, and that file stays.
 *
 * <p>POSIX drops a process's locks on a file when <em>any</em> of its handles on that file is closed. So a second
 * attempt in the same process is refused before it opens the file.
 */
public final class GraphLock implements AutoCloseable {
    /** The file in the graph's directory. */
    public static final String FILE = "writer.lock";

    private static final Logger LOG = LoggerFactory.getLogger(GraphLock.class);
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
                Duration.ofSeconds(10)),
        /** To have the graph open for writing, wherever its directory is moved. */
        SERVING("is served by %s: stop it first", GLANCE_WAIT),
        /** To make the graph from a backup. */
        RESTORING("is being restored by %s: wait for it, or stop it", Duration.ZERO);

        private final String refusal;
        private final Duration wait;

        Purpose(String refusal, Duration wait) {
            this.refusal = refusal;
            this.wait = wait;
        }

        private static Purpose of(String name) {
            for (Purpose purpose : values()) {
                if (purpose.name().equals(name)) {
                    return purpose;
                }
            }
            return WRITING;
        }
    }

    /** The process that holds the lock, read from the file. */
    private record Holder(Purpose purpose, String words) {
        /** Two servers of one graph would be two writers. A restore has no write to send to the holder. */
        ServiceException refusal(Path directory, Purpose refused) {
            Purpose shown = refused == Purpose.SERVING && purpose == Purpose.SERVING ? Purpose.WRITING : purpose;
            return ServiceException.conflict(directory + " " + shown.refusal.formatted(words));
        }
    }

    private final Path directory;
    private final Path file;
    private final FileChannel channel;
    private final FileLock lock;

    private GraphLock(Path directory, Path file, FileChannel channel, FileLock lock) {
        this.directory = directory;
        this.file = file;
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
            GraphLock lock = take(directory, directory.resolve(FILE), purpose);
            String owner = dataOwner(directory);
            if (owner != null) {
                lock.close();
                throw withoutFile(owner, directory);
            }
            return lock;
        } catch (IOException e) {
            throw new StorageFailure(
                    StorageFailure.Kind.IO, graphDirectory + ": the writer lock cannot be taken (" + why(e) + ")", e);
        }
    }

    private static String why(IOException e) {
        String reason = StorageFailure.why(e);
        return reason.contains("Read-only")
                ? reason + "; a server with --read-only and commands that read need no lock"
                : reason;
    }

    /**
     * Takes the lock of a graph that is beside its directory, which need not exist. It keeps a restore away from a
     * graph that a process has open.
     *
     * @param purpose SERVING or RESTORING
     * @throws ServiceException CONFLICT, naming the holder
     */
    public static GraphLock takeBeside(Path graphDirectory, Purpose purpose) {
        FileMask.restrict();
        Path directory = graphDirectory.toAbsolutePath().normalize();
        try {
            Path parent = Objects.requireNonNull(directory.getParent(), "a graph has a folder");
            if (!Files.isDirectory(parent)) {
                Files.createDirectories(parent);
            }
            Path name = Objects.requireNonNull(directory.getFileName(), "a graph has a name");
            Path real = parent.toRealPath().resolve(name);
            return take(real, real.resolveSibling("." + name + ".lock"), purpose);
        } catch (IOException e) {
            throw new StorageFailure(
                    StorageFailure.Kind.IO, directory + ": the lock beside it cannot be taken (" + why(e) + ")", e);
        }
    }

    /**
     * Locks the data file of a log that is open under this lock. It is kept until the log is closed.
     *
     * @throws ServiceException CONFLICT, naming the holder as far as the system tells
     */
    static void lockData(LmdbEnvironment log) {
        if (!log.files().tryLock()) {
            String owner = OpenFiles.lockOwner(log.directory());
            throw withoutFile(
                    owner == null ? "another process" : owner,
                    Objects.requireNonNull(log.directory().getParent()));
        }
    }

    private static ServiceException withoutFile(String owner, Path directory) {
        return new Holder(Purpose.WRITING, owner + ", whose " + FILE + " was deleted")
                .refusal(directory, Purpose.WRITING);
    }

    private static GraphLock take(Path directory, Path file, Purpose purpose) throws IOException {
        FileMask.restrict();
        long began = System.nanoTime();
        while (true) {
            Attempt attempt = attempt(directory, file, purpose);
            if (attempt.lock != null) {
                return attempt.lock;
            }
            Holder holder = Objects.requireNonNull(attempt.holder);
            boolean waits = purpose != Purpose.CATCHING_UP
                    && System.nanoTime() - began < holder.purpose().wait.toNanos();
            if (!waits || Thread.currentThread().isInterrupted()) {
                throw holder.refusal(directory, purpose);
            }
            LockSupport.parkNanos(LOOK_AGAIN_NANOS);
        }
    }

    /** The result of one attempt: the lock, or its holder. */
    private record Attempt(
            @Nullable GraphLock lock, @Nullable Holder holder) {}

    private static Attempt attempt(Path directory, Path file, Purpose purpose) throws IOException {
        Purpose held = HELD.putIfAbsent(file, purpose);
        if (held != null) {
            return new Attempt(null, new Holder(held, thisProcess()));
        }
        Attempt attempt = null;
        try {
            attempt = takeFile(directory, file, purpose);
            return attempt;
        } finally {
            if (attempt == null || attempt.lock == null) {
                HELD.remove(file);
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
            Path file = directory.resolve(FILE);
            if (HELD.putIfAbsent(file, Purpose.CATCHING_UP) != null) {
                return thisProcess();
            }
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
                    FileLock lock = channel.tryLock()) {
                return lock == null ? holder(channel).words() : dataOwner(directory);
            } catch (NoSuchFileException e) {
                return dataOwner(directory);
            } finally {
                HELD.remove(file);
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

    /** The other process that has locked the data file of the log; null when there is none, or it is not known. */
    private static @Nullable String dataOwner(Path graphDirectory) {
        return OpenFiles.lockOwner(graphDirectory.resolve(EventLog.DIRECTORY));
    }

    private static String thisProcess() {
        return "this process (pid " + ProcessHandle.current().pid() + ")";
    }

    @SuppressWarnings("resource") // the channel lives as long as the lock
    private static Attempt takeFile(Path directory, Path file, Purpose purpose) throws IOException {
        FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
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
            writeName(channel, (holder + "\n").getBytes(StandardCharsets.UTF_8), file);
            return new Attempt(new GraphLock(directory, file, channel, lock), null);
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    /** On a full disk the name is missing or stays that of an earlier holder; the lock holds. */
    private static void writeName(FileChannel channel, byte[] name, Path file) {
        try {
            // In place first: the block that the file has is enough.
            channel.write(ByteBuffer.wrap(name), 0);
            channel.truncate(name.length);
        } catch (IOException e) {
            LOG.warn("{}: the process that has locked it cannot be named: {}", file, e.getMessage());
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

    /** Releases the lock and deletes its file, which a process that takes the lock at this moment does not notice. */
    public void remove() {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            LOG.debug("{}: stays", file, e);
        }
        close();
    }

    @Override
    public void close() {
        try {
            if (channel.isOpen()) {
                lock.release();
                channel.close();
                HELD.remove(file);
            }
        } catch (IOException e) {
            throw new StorageFailure(
                    StorageFailure.Kind.IO,
                    directory + ": the writer lock cannot be released (" + e.getMessage() + ")",
                    e);
        }
    }
}
