package service.projection.storage;

import com.google.errorprone.annotations.MustBeClosed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import service.core.budget.NoWaiting;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.port.BlobStore;
import service.core.port.CommitFollower;
import service.core.port.FollowLag;
import service.core.port.GraphSession;
import service.core.port.ReadPoint;
import service.core.port.RetentionPolicy;
import service.core.port.SearchIndex;
import service.core.port.StateHold;
import service.core.port.StorageGauges;
import service.log.follow.FollowLoop;
import service.log.follow.NewEvents;
import service.log.format.EventLog;
import service.log.format.EventReader;
import service.log.format.GraphLock;
import service.log.format.StoredBlobs;
import service.log.lmdb.ReadTransaction;
import service.log.retain.Retention;
import service.projection.retain.ReadNeeds;
import service.projection.search.index.GraphSearch;
import service.projection.table.CatalogSource;
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
 * <p>A server that only reads opens with {@link #follow(Path, StorageOptions, Duration, Duration)}: that takes no lock
 * and writes no file, and shows tables that lack the newest events of the log, as they are after the death of a writer.
 * The only bytes that it changes are its reader slots in LMDB's lock files.
 *
 * <p>When another process has replaced the tables, for example by a rebuild, the next session that begins while no
 * other session is open opens the new ones. Until the new tables are complete, sessions read the old ones.
 *
 * <p>Thread rule: any thread.
 */
public final class ReadOnlyGraphStorage implements ServedStorage {
    private static final Logger LOG = LoggerFactory.getLogger(ReadOnlyGraphStorage.class);
    private static final Duration TABLES_WAIT = Duration.ofSeconds(10);
    private static final Duration POLL_EVERY = Duration.ofMillis(100);

    private final StorageOptions options;
    private final EventLog log;
    private final StoredBlobs blobs;
    private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
    private final FollowLoop loop;

    /** Whether tables may be read that have not applied the whole log. */
    private final boolean following;

    private volatile Tables tables;
    private volatile boolean closed;

    /** Open tables and the identity of the file that they were opened from. */
    private record Tables(
            ProjectionEnvironment environment,
            Sessions sessions,
            @Nullable Object file) {}

    private ReadOnlyGraphStorage(
            StorageOptions options, EventLog log, Tables tables, Duration every, boolean following) {
        this.options = options;
        this.log = log;
        this.blobs = new StoredBlobs(log);
        this.tables = tables;
        this.following = following;
        this.loop = new FollowLoop(
                String.valueOf(log.directory().getFileName()),
                shown -> poll(),
                log.tail().offset(),
                every,
                options.machine().clockMicros());
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
                tables = openTables(log, options, false);
                if (tables != null) {
                    return new ReadOnlyGraphStorage(options, log, tables, POLL_EVERY, false);
                }
            } finally {
                if (tables == null) {
                    log.close();
                }
            }
            catchUpOrWait(directory, options, System.nanoTime() - began);
        }
    }

    /**
     * Opens a graph to follow the process that writes it, without its lock.
     *
     * @param every how often to poll for new commits
     * @param patience how long to wait while that process makes the tables
     * @throws ServiceException NOT_FOUND when there is no such graph; GRAPH_QUARANTINED when there are no tables of
     *     this version that may be read
     * @throws service.core.event.EventFormatException when the end of the log is damaged
     */
    public static ReadOnlyGraphStorage follow(
            Path directory, StorageOptions options, Duration every, Duration patience) {
        EventLog log = EventLog.openReadOnly(directory);
        try {
            Tables tables = awaitTables(log, options, patience, true);
            if (tables == null) {
                throw new ServiceException(
                        ErrorCode.GRAPH_QUARANTINED,
                        "it has no tables that this server may read: start the server that writes it, with the same"
                                + " version, and then this one again");
            }
            ReadOnlyGraphStorage storage = new ReadOnlyGraphStorage(options, log, tables, every, true);
            storage.loop.start();
            return storage;
        } catch (RuntimeException e) {
            log.close();
            throw e;
        }
    }

    /** Tries to open the tables repeatedly; null when the time is used up. */
    private static @Nullable Tables awaitTables(
            EventLog log, StorageOptions options, Duration patience, boolean following) {
        long began = System.nanoTime();
        while (true) {
            log.reloadTail();
            Tables found = openTables(log, options, following);
            if (found != null || System.nanoTime() - began > patience.toNanos()) {
                return found;
            }
            LockSupport.parkNanos(POLL_EVERY.toNanos());
        }
    }

    private static @Nullable Tables openTables(EventLog log, StorageOptions options, boolean following) {
        // Read before the tables are opened, so that a file that replaces it later is noticed.
        Object file = tablesFile(log.directory());
        ProjectionEnvironment environment = GraphTables.openForReading(
                log, options, following ? 0 : log.tail().offset());
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
            LockSupport.parkNanos(POLL_EVERY.toNanos());
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
    public GraphSession session(Runnable ended) {
        reopenReplacedTables();
        if (!lock.readLock().tryLock()) {
            NoWaiting.giveUp();
            lock.readLock().lock();
        }
        try {
            return tables.sessions().readingBeside(ended);
        } finally {
            lock.readLock().unlock();
        }
    }

    @Override
    public StateHold hold(ReadPoint point) {
        return new TransactionHold(point, this::session, options.machine().readHold());
    }

    /**
     * Does not wait for open sessions: while there are any, they and the new session read the old tables. It may wait
     * for the process that writes the new ones, so a thread that must not wait gives up.
     */
    private void reopenReplacedTables() {
        if (closed || !isReplaced()) {
            return;
        }
        NoWaiting.giveUp();
        if (!lock.writeLock().tryLock()) {
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
        Tables fresh = awaitTables(log, options, TABLES_WAIT, following);
        if (fresh == null) {
            throw ServiceException.conflict(
                    log.directory() + ": its tables are being replaced by another process: try again");
        }
        LOG.info("{}: another process has replaced the tables; the new ones are open", log.directory());
        return fresh;
    }

    @Override
    public BlobStore blobs() {
        return blobs;
    }

    @Override
    public byte[] secret() {
        return log.secret();
    }

    @Override
    public boolean isQuiet() {
        return loop.isQuiet();
    }

    /** The first follower starts the thread that polls for commits of other processes. */
    @Override
    public void follow(CommitFollower follower) {
        loop.follow(follower, shownOffset());
    }

    /**
     * The writer commits to the log first, so the end of the log is read first: a commit between the two reads is not
     * counted as missing. Opening a session also checks whether the tables were replaced.
     */
    private NewEvents.Seen poll() {
        long end;
        try (ReadTransaction read = log.environment().read()) {
            end = log.lastOffsetOf(read);
        }
        long shown = shownOffset();
        if (shown >= end) {
            return new NewEvents.Seen(shown, end, 0);
        }
        try (EventReader reader = log.read()) {
            return new NewEvents.Seen(shown, end, reader.header(shown + 1).timeMicros());
        }
    }

    @Override
    public @Nullable FollowLag lag() {
        return following ? loop.lag() : null;
    }

    /** Only the log: another process may replace the tables, and this opens the new ones. */
    @Override
    public void compareStored() {
        log.environment().files().check();
    }

    @Override
    public @Nullable String detached() {
        return log.environment().files().finding();
    }

    /**
     * Where the bytes of the log and of the tables are.
     *
     * @param progress called with the bytes that were read since the last call; null to read no entries, without the
     *     kinds of bytes
     */
    public List<EnvironmentBytes> bytes(@Nullable LongConsumer progress) {
        lock.readLock().lock();
        try {
            return List.of(
                    EnvironmentBytes.of("log", log.environment(), progress),
                    EnvironmentBytes.of("projection", tables.environment().environment(), progress));
        } finally {
            lock.readLock().unlock();
        }
    }

    /** What a cleanup would reclaim, as far as this process sees the log. Changes nothing. */
    public Cleanup.Report previewCleanup(RetentionPolicy policy) {
        lock.readLock().lock();
        try {
            CatalogSource catalogs = options.catalogs();
            LongSupplier clock = options.machine().clockMicros();
            return new CleanupSearch(new CleanedGraph(log, tables.environment(), catalogs, clock))
                    .preview(policy, ReadNeeds.NOTHING);
        } finally {
            lock.readLock().unlock();
        }
    }

    /** What the last commit of the search index on disk and the records have of a branch. Reads both as a whole. */
    public SearchIndex.Comparison compareSearch(String branch) {
        lock.readLock().lock();
        try {
            return GraphSearch.compareCommitted(
                    tables.environment(),
                    log,
                    options.catalogs(),
                    options.machine().search(),
                    branch);
        } finally {
            lock.readLock().unlock();
        }
    }

    @Override
    public StorageGauges gauges() {
        return gauges(log, tables.environment(), lag());
    }

    /** The state of a storage without a writer. */
    static StorageGauges gauges(EventLog log, ProjectionEnvironment tables, @Nullable FollowLag lag) {
        Retention retention = log.retention();
        long last;
        try (ReadTransaction read = log.environment().read()) {
            last = log.lastOffsetOf(read);
        }
        return new StorageGauges(
                last + 1,
                null,
                List.of(
                        log.environment().gauges(EventLog.DIRECTORY),
                        tables.environment().gauges(GraphTables.DIRECTORY)),
                null,
                new StorageGauges.Retention(
                        retention.mark(0), retention.pinCount(), retention.phase() != Retention.Phase.DONE),
                log.directory().toFile().getUsableSpace(),
                log.directory().toFile().getTotalSpace(),
                lag);
    }

    @Override
    public void close() {
        closed = true;
        loop.close();
        lock.writeLock().lock();
        try {
            tables.environment().close();
            log.close();
        } finally {
            lock.writeLock().unlock();
        }
    }
}
