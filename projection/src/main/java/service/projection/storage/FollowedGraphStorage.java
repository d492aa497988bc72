package service.projection.storage;

import com.google.errorprone.annotations.MustBeClosed;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.error.StoredDamage;
import service.core.port.BlobStore;
import service.core.port.CommitFollower;
import service.core.port.CommitLog;
import service.core.port.FollowLag;
import service.core.port.GraphSession;
import service.core.port.GraphStorage;
import service.core.port.StorageGauges;
import service.log.follow.FollowLoop;
import service.log.follow.NewEvents;
import service.log.format.EventLog;
import service.log.format.FollowedLog;
import service.log.format.StoredBlobs;
import service.log.group.LogTail;
import service.projection.apply.CatchUp;
import service.projection.table.ProjectionEnvironment;
import service.projection.view.Sessions;
import service.projection.view.ViewSource;

/**
 * A graph that another process writes elsewhere, open for reading. The directory of the copy belongs to this process: a
 * loop appends the new events to its log, then to its tables, and a session that is opened after that sees them.
 *
 * <p>While the other place cannot be read, sessions see the last state. When its events are damaged, sessions see the
 * state before them, and {@link #damage} says what was found.
 *
 * <p>Thread rule: any thread.
 */
public final class FollowedGraphStorage implements GraphStorage {
    /** How long a look works before it shows what it has. */
    private static final Duration STEP = Duration.ofSeconds(1);

    private final FollowedLog home;
    private final EventLog log;
    private final ProjectionEnvironment environment;
    private final TrustFile trust;
    private final Sessions sessions;
    private final StoredBlobs blobs;
    private final CatchUp catchUp;
    private final FollowLoop loop;

    /** Whether this is a server's, which says how far it is behind. */
    private final boolean serving;

    /** Held during a look, so that nothing is closed under it. */
    private final ReentrantLock looking = new ReentrantLock();

    private volatile @Nullable Thread looker;
    private volatile boolean closed;
    private volatile @Nullable String damage;

    private FollowedGraphStorage(
            FollowedLog home, EventLog log, StorageOptions options, Duration every, boolean serving) {
        this.home = home;
        this.log = log;
        this.serving = serving;
        GraphTables tables = new GraphTables(log, options);
        this.environment = tables.open(offset -> {}).environment();
        this.trust = tables.trust();
        this.sessions = new Sessions(environment, log, options.catalogs(), ViewSource.TABLES);
        this.blobs = new StoredBlobs(log);
        this.catchUp = new CatchUp(log, environment, options.catalogs());
        this.loop = new FollowLoop(
                String.valueOf(log.directory().getFileName()),
                this::look,
                log.tail().offset(),
                every,
                options.machine().clockMicros(),
                Thread.ofPlatform().daemon(true));
    }

    /**
     * Opens a graph for a command. It looks for new events from the first {@link #follow(CommitFollower)} on.
     *
     * @throws ServiceException NOT_FOUND when there is no such graph
     * @throws service.core.event.EventFormatException when its log is damaged
     */
    public static FollowedGraphStorage open(FollowedLog home, StorageOptions options, Duration every) {
        return open(home, options, every, false);
    }

    /** Opens a graph for a server, and looks for new events from now on. Otherwise as {@link #open}. */
    public static FollowedGraphStorage serve(FollowedLog home, StorageOptions options, Duration every) {
        FollowedGraphStorage storage = open(home, options, every, true);
        storage.loop.start();
        return storage;
    }

    private static FollowedGraphStorage open(
            FollowedLog home, StorageOptions options, Duration every, boolean serving) {
        EventLog log = home.open();
        try {
            return new FollowedGraphStorage(home, log, options, every, serving);
        } catch (RuntimeException e) {
            log.close();
            throw e;
        }
    }

    @MustBeClosed
    @Override
    public GraphSession session() {
        return sessions.reading();
    }

    private NewEvents.Seen look(long shown) {
        looking.lock();
        try {
            looker = Thread.currentThread();
            if (closed) {
                throw new ServiceException(ErrorCode.SHUTTING_DOWN, log.directory() + " is closed");
            }
            RuntimeException failure = null;
            long end = shown;
            try {
                end = home.takeNew(log, STEP);
                damage = null;
            } catch (RuntimeException e) {
                damage = e instanceof StoredDamage found ? found.damage() : damage;
                failure = e;
            }
            LogTail tail = log.tail();
            catchUp.run(tail.offset(), offset -> {});
            if (failure != null && tail.offset() == shown) {
                throw failure;
            }
            // The first missing event is hardly older than the last one of a look that was cut short.
            return new NewEvents.Seen(tail.offset(), Math.max(end, tail.offset()), tail.timeMicros());
        } finally {
            looker = null;
            looking.unlock();
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

    @Override
    public void follow(CommitFollower follower) {
        try (GraphSession session = session()) {
            loop.follow(follower, session.appliedOffset());
        }
    }

    @Override
    public @Nullable FollowLag lag() {
        return serving ? loop.lag() : null;
    }

    @Override
    public @Nullable String damage() {
        return damage;
    }

    /** The state of the storage, for metrics. Waits while a map is moved. */
    public StorageGauges gauges() {
        return ReadOnlyGraphStorage.gauges(log, environment, lag());
    }

    /** A look that waits for the other place is interrupted. */
    @Override
    public void close() {
        closed = true;
        loop.close();
        Thread running = looker;
        if (running != null) {
            running.interrupt();
        }
        looking.lock();
        try {
            environment.environment().sync();
            environment.close();
            trust.markClean();
        } finally {
            try {
                home.close(log);
            } finally {
                looking.unlock();
            }
        }
    }
}
