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
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import service.core.budget.NoWaiting;
import service.core.cluster.Quarantine;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.port.CommitFollower;
import service.core.port.FollowLag;
import service.core.port.StorageGauges;
import service.projection.storage.ServedStorage;

/**
 * A graph that this process serves. It is <em>known</em> from {@link #know} on, and <em>open</em> from its first use
 * until {@link OpenGraphs} closes it; the next use opens it again.
 *
 * <p>What must keep it open is a <em>use</em>: a session, a write until its future completes, a held state, a stream of
 * a feed, a file of staged blobs, work that the process lends the storage for. {@link #uses} counts them. A graph is
 * closed only without a use, and nothing can begin one while it is closed. A consumer that waits for a commit is no
 * use: its follower is kept here and added to each opened storage. But where other processes write the graph, too, it
 * stays open while somebody waits, because what is closed does not follow them. The same holds where this process only
 * reads.
 *
 * <p>Thread rule: any thread. A use that has to open the graph waits for it, but not on a thread that must not
 * ({@link NoWaiting}).
 *
 * @param <S> its open storage
 */
final class KnownGraph<S extends ServedStorage> implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(KnownGraph.class);
    private static final int CLOSED = -1;

    /** A graph that could not be opened is tried again by the first use after this time. */
    private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** Why the graph could not be opened, and when. */
    private record Refused(Quarantine quarantine, long atNanos) {}

    private final GraphOpening<S> opening;
    private final OpenGraphs places;
    private final List<CommitFollower> followers = new CopyOnWriteArrayList<>();
    private final ReentrantLock lock = new ReentrantLock();
    private final AtomicInteger uses = new AtomicInteger(CLOSED);
    private GraphOpening.@Nullable Place<S> place;
    private boolean ended;
    private volatile @Nullable S open;
    private volatile @Nullable Refused refused;
    private final GraphRenewal renewal;
    private volatile @Nullable Duration followEvery;
    private volatile byte @Nullable [] secret;

    /** Of the last event when the graph was closed; −1 before. */
    private long closedAt = -1;

    private volatile long usedNanos = System.nanoTime();

    KnownGraph(GraphOpening<S> opening, OpenGraphs places) {
        this.opening = opening;
        this.places = places;
        this.renewal = new GraphRenewal(opening.id(), () -> ifOpen(ServedStorage::isLeftBehind, false), this::reopen);
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
                place = opening.know().get();
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

    /** {@link service.core.port.GraphStorage#isShared}. */
    boolean isShared() {
        return opening.writers().isShared();
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
    S acquire() {
        S storage = acquireOpen();
        while (storage == null) {
            if (renewal.isRunning()) {
                Refused why = refused;
                throw why == null ? GraphRenewal.notYetHere() : why.quarantine().refusal(opening.id());
            }
            NoWaiting.giveUp();
            openNow();
            storage = acquireOpen();
        }
        return storage;
    }

    /** Begins a use of an open graph; null when it is closed or made again. */
    private @Nullable S acquireOpen() {
        int now = uses.get();
        while (now != CLOSED) {
            if (uses.compareAndSet(now, now + 1)) {
                S storage = open;
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
    <R> R with(Function<S, R> work) {
        S storage = acquire();
        try {
            return work.apply(storage);
        } finally {
            release();
        }
    }

    /** Runs work over the storage if it is open, and else returns a value. The graph does not stay open for it. */
    <R> R ifOpen(Function<S, R> work, R closed) {
        R result = ofOpen(work);
        return result == null ? closed : result;
    }

    /** What work over the storage returns if it is open; else null. The graph does not stay open for it. */
    private <R> @Nullable R ofOpen(Function<S, @Nullable R> work) {
        S storage = acquireOpen();
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
    void lend(Consumer<S> work) {
        S storage = acquire();
        try {
            work.accept(storage);
        } finally {
            uses.decrementAndGet();
        }
    }

    /** Lends the storage for work of the process if the graph is open. */
    void lendOpen(Consumer<S> work) {
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
                throw before.quarantine().refusal(opening.id());
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

    private S opened() {
        know();
        S storage = Objects.requireNonNull(place).opening().get();
        try {
            requireSame(storage);
            opening.check().accept(storage);
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
    private void requireSame(S storage) {
        byte[] known = secret;
        if (known != null && !Arrays.equals(known, storage.secret())) {
            throw ServiceException.conflict(
                    "another graph was put in its place while this server runs; restart the server to serve it");
        }
        if (storage.shownOffset() < closedAt) {
            throw ServiceException.conflict(
                    "its log lacks events that this server has shown; restart the server to serve it so");
        }
    }

    /** An operator who mends the graph needs what this holds of it. */
    private RuntimeException refuse(RuntimeException failure) {
        if (failure instanceof ServiceException refusal
                && (refusal.code() == ErrorCode.OVERLOADED || refusal.code() == ErrorCode.SHUTTING_DOWN)) {
            return refusal;
        }
        forget();
        Quarantine quarantine = opening.reason().apply(failure);
        refused = new Refused(quarantine, System.nanoTime());
        return quarantine.refusal(opening.id());
    }

    private void forget() {
        GraphOpening.Place<S> held = place;
        place = null;
        if (held != null) {
            held.held().run();
        }
    }

    /** Closes the graph unless something uses it, or closing it would interrupt or hide something. */
    boolean closeIfUnused() {
        if (!lock.tryLock()) {
            return false;
        }
        try {
            S storage = open;
            if (storage == null || !uses.compareAndSet(0, CLOSED)) {
                return false;
            }
            long applied = storage.shownOffset();
            boolean isAwaited = opening.writers() != GraphOpening.Writers.THIS
                    && followers.stream().anyMatch(each -> each.isInterested(applied));
            if (isAwaited || !storage.isQuiet() || storage.detached() != null || storage.damage() != null) {
                uses.set(0);
                return false;
            }
            open = null;
            closedAt = applied;
            try {
                storage.close();
            } catch (RuntimeException e) {
                LOG.atError().addKeyValue("graph", opening.id()).setCause(e).log("it was not closed cleanly");
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
        final S storage = acquire();
        private final AtomicBoolean over = new AtomicBoolean();

        void end() {
            if (over.compareAndSet(false, true)) {
                release();
            }
        }
    }

    byte[] secret() {
        byte[] known = secret;
        return known != null ? known : with(ServedStorage::secret);
    }

    /** Closes the storage whatever uses it, and opens it again; its uses go on or end as those of a closed one. */
    private void reopen() {
        lock.lock();
        try {
            if (ended) {
                return;
            }
            S behind = open;
            open = null;
            if (behind != null) {
                closedAt = behind.shownOffset();
                behind.close();
            }
            open = opened();
            refused = null;
        } catch (RuntimeException e) {
            boolean isUnreachable = e instanceof UncheckedIOException;
            refused = isUnreachable ? null : new Refused(opening.reason().apply(e), System.nanoTime());
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

    /** What {@link ServedStorage#detached} says, or why the graph could not be opened when it was last tried. */
    @Nullable
    String detached() {
        Refused why = refused;
        return why != null ? why.quarantine().shown() : detachedWhileOpen();
    }

    /** {@link ServedStorage#detached} of the open storage; null while it is closed. */
    @Nullable
    String detachedWhileOpen() {
        return ofOpen(ServedStorage::detached);
    }

    /** {@link ServedStorage#compareStored}; begins to make a graph again that was left behind. */
    void compareStored() {
        lendOpen(ServedStorage::compareStored);
        renewal.check();
    }

    /** The damage of the open storage; null while it is closed. */
    @Nullable
    String damage() {
        return ofOpen(ServedStorage::damage);
    }

    /** The numbers of the open storage; null while it is closed. */
    @Nullable
    StorageGauges gauges() {
        return ofOpen(ServedStorage::gauges);
    }

    /** How far the open storage is behind; null while it is closed. */
    @Nullable
    FollowLag lag() {
        return ofOpen(ServedStorage::lag);
    }

    /** Closes the graph whatever uses it, as a stopping process does, and gives back what is held of it. */
    @Override
    public void close() {
        renewal.interrupt();
        lock.lock();
        try {
            ended = true;
            S storage = open;
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
