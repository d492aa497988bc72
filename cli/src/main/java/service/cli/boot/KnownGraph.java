package service.cli.boot;

import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import service.core.budget.NoWaiting;
import service.core.cluster.Quarantine;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.port.CommitFollower;
import service.core.port.StorageGauges;
import service.projection.storage.LmdbGraphStorage;

/**
 * A graph that this process writes. It is <em>known</em> from {@link #know} on, and <em>open</em> from its first use
 * until {@link OpenGraphs} closes it; the next use opens it again.
 *
 * <p>What must keep it open is a <em>use</em>: a session, a write until its future completes, a held state, a stream of
 * a feed, a file of staged blobs, work that the process lends the storage for. {@link #uses} counts them. A graph is
 * closed only without a use, and nothing can begin one while it is closed. A consumer that waits for a commit is no
 * use: its follower is kept here and added to each opened storage. But where other processes write the graph, too, it
 * stays open while somebody waits, because what is closed does not follow them.
 *
 * <p>Thread rule: any thread. A use that has to open the graph waits for it, but not on a thread that must not
 * ({@link NoWaiting}).
 */
final class KnownGraph implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(KnownGraph.class);
    private static final int CLOSED = -1;

    /** A graph that could not be opened is tried again by the first use after this time. */
    private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** What a process holds of a graph that it serves and has not open. Closing it gives that back. */
    interface Place extends AutoCloseable {
        /** Opens the graph for writing. */
        LmdbGraphStorage open();

        @Override
        void close();
    }

    /**
     * How a graph becomes known and open.
     *
     * @param id of the graph
     * @param shared whether other processes may write the graph, too
     * @param know checks what can be checked of a graph without opening it, and takes what must be held
     * @param check throws when an opened graph must not be served
     * @param reason logs and says why a failure keeps the graph from being served
     */
    record Means(
            String id,
            boolean shared,
            Supplier<Place> know,
            Consumer<LmdbGraphStorage> check,
            Function<RuntimeException, Quarantine> reason) {}

    /** Why the graph could not be opened, and when. */
    private record Refused(Quarantine quarantine, long atNanos) {}

    private final Means means;
    private final OpenGraphs places;
    private final List<CommitFollower> followers = new CopyOnWriteArrayList<>();
    private final ReentrantLock lock = new ReentrantLock();
    private final AtomicInteger uses = new AtomicInteger(CLOSED);
    private @Nullable Place place;
    private boolean ended;
    private volatile @Nullable LmdbGraphStorage open;
    private volatile @Nullable Refused refused;
    private final GraphRenewal renewal;
    private volatile @Nullable Duration followEvery;
    private volatile byte @Nullable [] secret;

    /** Of the last event when the graph was closed; −1 before. */
    private long closedAt = -1;

    private volatile long usedNanos = System.nanoTime();

    KnownGraph(Means means, OpenGraphs places) {
        this.means = means;
        this.places = places;
        this.renewal = new GraphRenewal(means.id(), () -> ifOpen(LmdbGraphStorage::isLeftBehind, false), this::reopen);
    }

    /**
     * Makes the graph known.
     *
     * @throws RuntimeException when it cannot be served
     */
    void know() {
        lock.lock();
        try {
            if (place == null) {
                place = means.know().get();
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Opens the graph.
     *
     * @throws RuntimeException when it cannot be served; it is not known any more then
     */
    void open() {
        with(storage -> storage);
    }

    /** Whether other processes may write it, too. */
    boolean isShared() {
        return means.shared();
    }

    /** When the last use ended, by {@link System#nanoTime}. */
    long usedNanos() {
        return usedNanos;
    }

    /** Whether it is open without a use. */
    boolean isUnused() {
        return uses.get() == 0;
    }

    boolean isOpen() {
        return uses.get() != CLOSED;
    }

    /** Begins a use, and opens the graph for it. */
    LmdbGraphStorage acquire() {
        LmdbGraphStorage storage = acquireOpen();
        while (storage == null) {
            if (renewal.isRunning()) {
                Refused why = refused;
                throw why == null ? GraphRenewal.notYetHere() : why.quarantine().refusal(means.id());
            }
            NoWaiting.giveUp();
            openNow();
            storage = acquireOpen();
        }
        return storage;
    }

    /** Begins a use of an open graph; null when it is closed or made again. */
    private @Nullable LmdbGraphStorage acquireOpen() {
        int now = uses.get();
        while (now != CLOSED) {
            if (uses.compareAndSet(now, now + 1)) {
                LmdbGraphStorage storage = open;
                if (storage == null) {
                    uses.decrementAndGet();
                }
                return storage;
            }
            now = uses.get();
        }
        return null;
    }

    /** Ends a use. */
    void release() {
        usedNanos = System.nanoTime();
        uses.decrementAndGet();
    }

    /** Runs work in a use. */
    <R> R with(Function<LmdbGraphStorage, R> work) {
        LmdbGraphStorage storage = acquire();
        try {
            return work.apply(storage);
        } finally {
            release();
        }
    }

    /** Runs work over the storage if it is open, and else returns a value. The graph does not stay open for it. */
    <R> R ifOpen(Function<LmdbGraphStorage, R> work, R closed) {
        R result = ofOpen(work);
        return result == null ? closed : result;
    }

    /** What work over the storage returns if it is open; else null. The graph does not stay open for it. */
    private <R> @Nullable R ofOpen(Function<LmdbGraphStorage, @Nullable R> work) {
        LmdbGraphStorage storage = acquireOpen();
        if (storage == null) {
            return null;
        }
        try {
            return work.apply(storage);
        } finally {
            uses.decrementAndGet();
        }
    }

    /** Lends the storage for work of the process. Opens the graph for it, but does not keep it open after it. */
    void lend(Consumer<LmdbGraphStorage> work) {
        LmdbGraphStorage storage = acquire();
        try {
            work.accept(storage);
        } finally {
            uses.decrementAndGet();
        }
    }

    /** Lends the storage for work of the process if the graph is open. */
    void lendOpen(Consumer<LmdbGraphStorage> work) {
        Object unused = ofOpen(storage -> {
            work.accept(storage);
            return null;
        });
    }

    private void openNow() {
        lock.lock();
        try {
            if (isOpen()) {
                return;
            }
            if (ended) {
                throw new ServiceException(ErrorCode.SHUTTING_DOWN, "the graph is being closed: send it again later");
            }
            Refused before = refused;
            if (before != null && System.nanoTime() - before.atNanos() < RETRY_NANOS) {
                throw before.quarantine().refusal(means.id());
            }
            places.take();
            boolean opened = false;
            try {
                open = opened();
                opened = true;
            } catch (RuntimeException e) {
                throw refuse(e);
            } finally {
                if (opened) {
                    places.opened(this);
                    refused = null;
                    usedNanos = System.nanoTime();
                    uses.set(0);
                } else {
                    places.giveBack(this);
                }
            }
        } finally {
            lock.unlock();
        }
    }

    private LmdbGraphStorage opened() {
        know();
        LmdbGraphStorage storage = Objects.requireNonNull(place).open();
        try {
            requireSame(storage);
            means.check().accept(storage);
            followers.forEach(storage::follow);
            Duration every = followEvery;
            if (every != null) {
                storage.followOthers(every);
            }
        } catch (RuntimeException | Error e) {
            storage.close();
            throw e;
        }
        secret = storage.secret();
        return storage;
    }

    /** While it was closed another program may have put something else in its place. */
    private void requireSame(LmdbGraphStorage storage) {
        byte[] known = secret;
        if (known != null && !Arrays.equals(known, storage.secret())) {
            throw ServiceException.conflict(
                    "another graph was put in its place while this server runs; restart the server to serve it");
        }
        if (storage.events().tail().offset() < closedAt) {
            throw ServiceException.conflict(
                    "its log lacks events that this server has acknowledged; restart the server to serve it so");
        }
    }

    /** An operator who mends the graph needs what this holds of it. */
    private RuntimeException refuse(RuntimeException failure) {
        if (failure instanceof ServiceException refusal
                && (refusal.code() == ErrorCode.OVERLOADED || refusal.code() == ErrorCode.SHUTTING_DOWN)) {
            return refusal;
        }
        forget();
        Quarantine quarantine = means.reason().apply(failure);
        refused = new Refused(quarantine, System.nanoTime());
        return quarantine.refusal(means.id());
    }

    private void forget() {
        Place held = place;
        place = null;
        if (held != null) {
            held.close();
        }
    }

    /** Closes the graph unless something uses it, or closing it would interrupt or hide something. */
    boolean closeIfUnused() {
        if (!lock.tryLock()) {
            return false;
        }
        try {
            LmdbGraphStorage storage = open;
            if (storage == null || !uses.compareAndSet(0, CLOSED)) {
                return false;
            }
            long applied = storage.events().tail().offset();
            boolean isAwaited = means.shared() && followers.stream().anyMatch(each -> each.isInterested(applied));
            if (isAwaited || !storage.isQuiet() || storage.detached() != null || storage.damage() != null) {
                uses.set(0);
                return false;
            }
            open = null;
            closedAt = applied;
            try {
                storage.close();
            } catch (RuntimeException e) {
                LOG.atError().addKeyValue("graph", means.id()).setCause(e).log("it was not closed cleanly");
            } finally {
                places.giveBack(this);
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** A use that an object ends when it is closed, which may be more than once. */
    final class Use {
        final LmdbGraphStorage storage = acquire();
        private final AtomicBoolean over = new AtomicBoolean();

        void end() {
            if (over.compareAndSet(false, true)) {
                release();
            }
        }
    }

    byte[] secret() {
        byte[] known = secret;
        return known != null ? known : with(LmdbGraphStorage::secret);
    }

    /** Closes the storage whatever uses it, and opens it again; its uses go on or end as those of a closed one. */
    private void reopen() {
        lock.lock();
        try {
            if (ended) {
                return;
            }
            LmdbGraphStorage behind = open;
            open = null;
            if (behind != null) {
                closedAt = behind.events().tail().offset();
                behind.close();
            }
            open = opened();
            refused = null;
        } catch (RuntimeException e) {
            boolean isUnreachable = e instanceof UncheckedIOException;
            refused = isUnreachable ? null : new Refused(means.reason().apply(e), System.nanoTime());
            throw e;
        } finally {
            lock.unlock();
        }
    }

    /** Takes in from now on what other processes commit, if they may; also after the graph was opened again. */
    void followOthers(Duration every) {
        followEvery = every;
        lendOpen(storage -> storage.followOthers(every));
    }

    /** Passes the commits of each opened storage to a follower. */
    void follow(CommitFollower follower) {
        lock.lock();
        try {
            followers.add(follower);
            lendOpen(storage -> storage.follow(follower));
        } finally {
            lock.unlock();
        }
    }

    /** What {@link LmdbGraphStorage#detached} says, or why the graph could not be opened when it was last tried. */
    @Nullable
    String detached() {
        Refused why = refused;
        if (why != null) {
            return why.quarantine().shown();
        }
        return ofOpen(LmdbGraphStorage::detached);
    }

    /** {@link LmdbGraphStorage#compareStored}; begins to make a graph again that was left behind. */
    void compareStored() {
        lendOpen(LmdbGraphStorage::compareStored);
        renewal.check();
    }

    /** The damage of the open storage; null while it is closed. */
    @Nullable
    String damage() {
        return ofOpen(LmdbGraphStorage::damage);
    }

    /** The numbers of the open storage; null while it is closed. */
    @Nullable
    StorageGauges gauges() {
        return ofOpen(LmdbGraphStorage::gauges);
    }

    /** Closes the graph whatever uses it, as a stopping process does, and gives back what is held of it. */
    @Override
    public void close() {
        renewal.interrupt();
        lock.lock();
        try {
            ended = true;
            LmdbGraphStorage storage = open;
            try {
                if (storage != null) {
                    storage.close();
                }
            } finally {
                forget();
            }
        } finally {
            lock.unlock();
        }
    }
}
