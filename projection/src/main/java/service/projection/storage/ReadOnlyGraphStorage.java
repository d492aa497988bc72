package service.projection.storage;

import com.google.errorprone.annotations.MustBeClosed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.port.BlobStore;
import service.core.port.CommitFollower;
import service.core.port.CommitLog;
import service.core.port.GraphSession;
import service.core.port.GraphStorage;
import service.log.follow.LogFollowers;
import service.log.format.EventLog;
import service.log.format.GraphLock;
import service.log.format.StoredBlobs;
import service.log.lmdb.StorageFailure;
import service.projection.table.ProjectionEnvironment;
import service.projection.view.Sessions;
import service.projection.view.ViewSource;

/**
 * The directory of one graph, open for reading only. Another process may write it before, during and after that. A
 * session sees what any process had committed when the session was opened.
 *
 * <p>Opening takes no lock when the tables are complete. When the tables are missing, of another version or have not
 * applied the whole log, and no other process holds the writer lock, opening takes the lock, replays the log, and
 * releases the lock before it returns. A writer that starts meanwhile waits for the lock (see
 * {@link GraphLock.Purpose#CATCHING_UP}).
 *
 * <p>When another process has replaced the tables, for example by a rebuild, the next session that begins while no
 * other session is open opens the new ones. Until the new tables are complete, sessions read the old ones.
 *
 * <p>Thread rule: any thread.
 */
public final class ReadOnlyGraphStorage implements GraphStorage {
    private static final Logger LOG = LoggerFactory.getLogger(ReadOnlyGraphStorage.class);
    private static final Duration TABLES_WAIT = Duration.ofSeconds(10);
    private static final long LOOK_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final StorageOptions options;
    private final EventLog log;
    private final StoredBlobs blobs;
    private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
    private final LogFollowers followers;
    private final AtomicBoolean watching = new AtomicBoolean();
    private volatile Tables tables;
    private volatile boolean closed;

    /** Open tables and the identity of the file that they were opened from. */
    private record Tables(
            ProjectionEnvironment environment,
            Sessions sessions,
            @Nullable Object file) {}

    private ReadOnlyGraphStorage(StorageOptions options, EventLog log, Tables tables) {
        this.options = options;
        this.log = log;
        this.blobs = new StoredBlobs(log);
        this.followers = new LogFollowers("follow-" + log.directory().getFileName());
        this.tables = tables;
    }

    /**
     * Opens a graph for reading. Waits at most ten seconds while another process brings the tables up to date.
     *
     * @throws ServiceException NOT_FOUND when there is no such graph; CONFLICT when its tables are not complete in time
     * @throws service.core.event.EventFormatException when the end of the log is damaged
     */
    public static ReadOnlyGraphStorage open(Path directory, StorageOptions options) {
        long began = System.nanoTime();
        while (true) {
            EventLog log = EventLog.openReadOnly(directory);
            Tables tables = null;
            try {
                tables = openTables(log, options);
                if (tables != null) {
                    return new ReadOnlyGraphStorage(options, log, tables);
                }
            } finally {
                if (tables == null) {
                    log.close();
                }
            }
            catchUpOrWait(directory, options, System.nanoTime() - began);
        }
    }

    private static @Nullable Tables openTables(EventLog log, StorageOptions options) {
        // Read before the tables are opened, so that a file that replaces it later is noticed.
        Object file = tablesFile(log.directory());
        ProjectionEnvironment environment = GraphTables.openForReading(log, options);
        return environment == null
                ? null
                : new Tables(environment, new Sessions(environment, log, options.catalogs(), ViewSource.TABLES), file);
    }

    /**
     * Brings the tables up to date under the writer lock; if another process holds the lock, waits some milliseconds.
     */
    private static void catchUpOrWait(Path directory, StorageOptions options, long waitedNanos) {
        try (EventLog log = EventLog.open(directory, GraphLock.Purpose.CATCHING_UP, options.log(), options.hook())) {
            var replayed = new GraphTables(log, options).catchUp(offset -> {});
            LOG.debug("{}: replayed {} events for reading", directory, replayed.events());
        } catch (ServiceException e) {
            if (e.code() != ErrorCode.CONFLICT) {
                throw e;
            }
            if (waitedNanos > TABLES_WAIT.toNanos()) {
                throw ServiceException.conflict(
                        "the tables are not up to date yet, and this process must not touch them: " + e.getMessage());
            }
            LockSupport.parkNanos(LOOK_AGAIN_NANOS);
        }
    }

    private static @Nullable Object tablesFile(Path graphDirectory) {
        try {
            Path data = graphDirectory.resolve(GraphTables.DIRECTORY).resolve("data.mdb");
            return Files.readAttributes(data, BasicFileAttributes.class).fileKey();
        } catch (IOException e) {
            return null;
        }
    }

    @MustBeClosed
    @Override
    public GraphSession session() {
        reopenReplacedTables();
        lock.readLock().lock();
        try {
            return tables.sessions().readingBeside();
        } finally {
            lock.readLock().unlock();
        }
    }

    /** Does not wait for open sessions: while there are any, they and the new session read the old tables. */
    private void reopenReplacedTables() {
        if (closed || !isReplaced() || !lock.writeLock().tryLock()) {
            return;
        }
        try {
            Tables old = tables;
            if (!closed && isReplaced() && old.environment().environment().openReads() == 0) {
                old.environment().close();
                tables = reopened();
            }
        } finally {
            lock.writeLock().unlock();
        }
    }

    private boolean isReplaced() {
        if (tables.environment().environment().isClosed()) {
            return true;
        }
        Object now = tablesFile(log.directory());
        return now != null
                && !Objects.equals(now, tables.file())
                && TrustFile.of(log, options).isComplete();
    }

    private Tables reopened() {
        long began = System.nanoTime();
        while (true) {
            log.reloadTail();
            Tables fresh = openTables(log, options);
            if (fresh != null) {
                LOG.info("{}: another process has replaced the tables; the new ones are open", log.directory());
                return fresh;
            }
            if (System.nanoTime() - began > TABLES_WAIT.toNanos()) {
                throw ServiceException.conflict(
                        log.directory() + ": its tables are being replaced by another process: try again");
            }
            LockSupport.parkNanos(LOOK_AGAIN_NANOS);
        }
    }

    /**
     * Throws, because this process does not write.
     *
     * @throws ServiceException CONFLICT, always
     */
    @Override
    public CommitLog log() {
        throw ServiceException.conflict(log.directory() + " is open for reading only");
    }

    @Override
    public BlobStore blobs() {
        return blobs;
    }

    @Override
    public byte[] secret() {
        return log.secret();
    }

    /** The first follower starts the thread that checks for commits of other processes, ten times a second. */
    @Override
    public void follow(CommitFollower follower) {
        try (GraphSession session = session()) {
            followers.add(follower, session.appliedOffset());
        }
        if (watching.compareAndSet(false, true)) {
            Thread.ofVirtual().name("watch-" + log.directory().getFileName()).start(this::watch);
        }
    }

    /** Opening a session also checks whether the tables were replaced. */
    private void watch() {
        while (!closed) {
            LockSupport.parkNanos(LOOK_AGAIN_NANOS);
            try (GraphSession session = session()) {
                followers.advance(session.appliedOffset());
            } catch (ServiceException | StorageFailure e) {
                LOG.debug("{}: the check for new commits failed and is repeated", log.directory(), e);
            }
        }
    }

    @Override
    public void close() {
        closed = true;
        followers.close();
        lock.writeLock().lock();
        try {
            tables.environment().close();
            log.close();
        } finally {
            lock.writeLock().unlock();
        }
    }
}
