package service.projection.storage;

import com.google.errorprone.annotations.MustBeClosed;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import service.core.blob.StagedBlobs;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.error.StoredDamage;
import service.core.port.BlobStore;
import service.core.port.CommitFollower;
import service.core.port.FollowLag;
import service.core.port.GraphSession;
import service.core.port.ReadPoint;
import service.core.port.StateHold;
import service.core.port.StorageGauges;
import service.core.value.Value;
import service.log.follow.FollowLoop;
import service.log.follow.NewEvents;
import service.log.format.FollowedLog;
import service.log.group.LogTail;

/**
 * A graph that another process writes elsewhere, open for reading. The directory of the copy belongs to this process: a
 * loop appends the new events to its log, then to its tables, and a session that is opened after that sees them.
 *
 * <p>While the other place cannot be read, sessions see the last state. When its events are damaged, sessions see the
 * state before them, and {@link #damage} says what was found.
 *
 * <p>When the other process has reclaimed history, the copy is made again beside the one in use. Sessions that begin
 * after that use the new copy; the one before is deleted when its sessions have ended.
 *
 * <p>Thread rule: any thread.
 */
public final class FollowedGraphStorage implements ServedStorage {
    private static final Logger LOG = LoggerFactory.getLogger(FollowedGraphStorage.class);

    /** How long a poll works before it shows what it has. */
    private static final Duration STEP = Duration.ofSeconds(1);

    private final CopyRenewal renewal;
    private final Duration readHold;
    private final FollowLoop loop;

    /** True in a server: only then {@link #lag} is reported. */
    private final boolean serving;

    /** Held during a poll, so that nothing is closed while it runs. */
    private final ReentrantLock polling = new ReentrantLock();

    /** Held for reading while a read begins, so that it does not begin on a copy that was replaced. */
    private final ReentrantReadWriteLock beginning = new ReentrantReadWriteLock();

    private volatile FollowedCopy copy;

    /** The copy before, while it is read. Under {@link #polling}. */
    private @Nullable FollowedCopy replaced;

    private volatile @Nullable Thread poller;
    private volatile boolean closed;
    private volatile @Nullable String damage;

    private FollowedGraphStorage(FollowedCopy copy, StorageOptions options, Duration every, boolean serving) {
        this.copy = copy;
        this.serving = serving;
        this.renewal = new CopyRenewal(options);
        this.readHold = options.machine().readHold();
        this.loop = new FollowLoop(
                String.valueOf(copy.log().directory().getFileName()),
                this::poll,
                copy.log().tail().offset(),
                every,
                options.machine().clockMicros(),
                Thread.ofPlatform().daemon(true));
    }

    /**
     * Opens a graph for a command. It polls for new events from the first {@link #follow(CommitFollower)} on.
     *
     * @throws ServiceException NOT_FOUND when there is no such graph
     * @throws service.core.event.EventFormatException when its log is damaged
     */
    public static FollowedGraphStorage open(FollowedLog home, StorageOptions options, Duration every) {
        return new FollowedGraphStorage(FollowedCopy.open(home, options), options, every, false);
    }

    /** Opens a graph for a server, and polls for new events from now on. Otherwise as {@link #open}. */
    public static FollowedGraphStorage serve(FollowedLog home, StorageOptions options, Duration every) {
        FollowedGraphStorage storage = new FollowedGraphStorage(FollowedCopy.open(home, options), options, every, true);
        storage.loop.start();
        return storage;
    }

    @MustBeClosed
    @Override
    public GraphSession session(Runnable ended) {
        beginning.readLock().lock();
        try {
            return copy.session(ended);
        } finally {
            beginning.readLock().unlock();
        }
    }

    /** The copy in use stays until its sessions are closed, also when it is replaced. */
    @Override
    public StateHold hold(ReadPoint point) {
        return new TransactionHold(point, this::session, readHold);
    }

    private NewEvents.Seen poll(long shown) {
        polling.lock();
        try {
            poller = Thread.currentThread();
            if (closed) {
                throw new ServiceException(ErrorCode.SHUTTING_DOWN, copy.log().directory() + " is closed");
            }
            RuntimeException failure = null;
            // The end is not known before it was read, and not in a copy that has just been made.
            long end = Long.MIN_VALUE;
            try {
                end = copy.takeNew(STEP);
            } catch (RuntimeException e) {
                failure = e;
            }
            LogTail tail = copy.show();
            try {
                if (renew(failure instanceof StoredDamage)) {
                    failure = null;
                    tail = copy.log().tail();
                    end = Long.MIN_VALUE;
                }
            } catch (RuntimeException e) {
                failure = failure == null ? e : failure;
            }
            note(failure);
            if (failure != null && tail.offset() == shown) {
                throw failure;
            }
            // The first missing event is hardly older than the last one of a poll that was cut short.
            long known = end == Long.MIN_VALUE ? tail.offset() + 1 : Math.max(end, tail.offset());
            return new NewEvents.Seen(tail.offset(), known, tail.timeMicros());
        } finally {
            poller = null;
            polling.unlock();
        }
    }

    /** Damage stays noted while the other place cannot be read. */
    private void note(@Nullable RuntimeException failure) {
        if (failure == null) {
            damage = renewal.damage(null);
        } else if (failure instanceof StoredDamage found) {
            damage = renewal.damage(found.damage());
        }
    }

    /** Uses a new copy when one is ready; true then. The copy before is deleted when its reads have ended. */
    private boolean renew(boolean isDamaged) {
        FollowedCopy before = replaced;
        if (before != null) {
            if (before.isRead()) {
                return false;
            }
            before.delete();
            replaced = null;
        }
        FollowedCopy used = copy;
        FollowedCopy fresh = renewal.poll(used, isDamaged, STEP);
        if (fresh == null) {
            return false;
        }
        beginning.writeLock().lock();
        try {
            copy = fresh;
        } finally {
            beginning.writeLock().unlock();
        }
        used.home().retire();
        replaced = used;
        LOG.info(
                "{}: history was reclaimed; the copy was made again",
                fresh.log().directory());
        return true;
    }

    @Override
    public BlobStore blobs() {
        return new BlobStore() {
            @Override
            public StagedBlobs stage() {
                return copy.blobs().stage();
            }

            @Override
            public int read(Value.ManagedBlob blob, long offset, byte[] into) {
                beginning.readLock().lock();
                try {
                    return copy.blobs().read(blob, offset, into);
                } finally {
                    beginning.readLock().unlock();
                }
            }
        };
    }

    @Override
    public byte[] secret() {
        return copy.log().secret();
    }

    /** A copy that is being made is not waited for: the next opening makes it. */
    @Override
    public boolean isQuiet() {
        return loop.isQuiet();
    }

    @Override
    public void follow(CommitFollower follower) {
        loop.follow(follower, shownOffset());
    }

    @Override
    public boolean isShared() {
        return true;
    }

    @Override
    public CompletableFuture<Long> awaitTail(long sinceNanos) {
        return loop.awaitTail(sinceNanos).exceptionally(failure -> {
            throw new ServiceException(
                    ErrorCode.NOT_YET_HERE,
                    "this server cannot tell whether it has the newest state; try again in a moment",
                    null,
                    failure);
        });
    }

    @Override
    public @Nullable FollowLag lag() {
        return serving ? loop.lag() : null;
    }

    /** Only the copy of this machine; the poll for new events finds what became of the log itself. */
    @Override
    public void compareStored() {
        beginning.readLock().lock();
        try {
            copy.files().check();
        } finally {
            beginning.readLock().unlock();
        }
    }

    @Override
    public @Nullable String detached() {
        return copy.files().finding();
    }

    @Override
    public @Nullable String damage() {
        return damage;
    }

    @Override
    public StorageGauges gauges() {
        beginning.readLock().lock();
        try {
            return ReadOnlyGraphStorage.gauges(copy.log(), copy.environment(), lag());
        } finally {
            beginning.readLock().unlock();
        }
    }

    /** A poll that waits for the other place is interrupted. */
    @Override
    public void close() {
        closed = true;
        loop.close();
        Thread running = poller;
        if (running != null) {
            running.interrupt();
        }
        polling.lock();
        try {
            renewal.close();
            FollowedCopy before = replaced;
            replaced = null;
            if (before != null) {
                before.delete();
            }
        } finally {
            try {
                copy.close();
            } finally {
                polling.unlock();
            }
        }
    }
}
