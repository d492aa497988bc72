package service.cli.boot;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.lifecycle.BackgroundLoop;

/**
 * The places for the open graphs of a process. A graph takes one before it is opened and gives it back when it is
 * closed; where none is free, the graph that was unused for longest is closed. One thread closes graphs that are idle,
 * and keeps some places free, so that a request seldom has to wait until another graph is closed.
 *
 * <p>Thread rule: any thread.
 */
final class OpenGraphs implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(OpenGraphs.class);

    /** One place in this number is kept free. */
    private static final int FREE_SHARE = 16;

    /** How often an opening that waits for a place tries to close a graph. */
    private static final Duration LOOK_AGAIN = Duration.ofMillis(20);

    private static final Duration ROUND_MAX = Duration.ofSeconds(10);

    /**
     * How many graphs are open, and for how long.
     *
     * @param max graphs that are open at one time
     * @param idle how long a graph without a request stays open
     * @param patience how long an opening waits while all open graphs are in use
     */
    record Bounds(int max, Duration idle, Duration patience) {
        private static final Duration WAIT = Duration.ofSeconds(5);

        /** Those of a server without variables. */
        static final Bounds USUAL = of(1_000, Duration.ofMinutes(5));

        /**
         * Of the descriptors that are not those of known graphs, the part for open graphs; the rest is for connections.
         */
        private static final int PARTS = 4;

        /** Descriptors that an open graph has at most. */
        private static final int FILES = 10;

        /**
         * Bounds for a process that may open so many files.
         *
         * @param known the graphs of the process, each of which has a file, open or not
         */
        Bounds within(long files, int known) {
            long possible = Math.max(1, (files - known) / PARTS / FILES);
            if (possible >= max) {
                return this;
            }
            if (known > possible) {
                LOG.warn(
                        "at most {} of {} graphs are open at one time, not {}: this process may open {} files only; raise"
                                + " the limit of open files (ulimit -n, LimitNOFILE=)",
                        possible,
                        known,
                        max,
                        files);
            }
            return new Bounds((int) possible, idle, patience);
        }

        /** Bounds with the usual wait. */
        static Bounds of(int max, Duration idle) {
            return new Bounds(max, idle, WAIT);
        }
    }

    private final Bounds bounds;
    private final Semaphore places;
    private final Set<KnownGraph<?>> open = ConcurrentHashMap.newKeySet();
    private final BackgroundLoop loop;

    OpenGraphs(Bounds bounds) {
        this.bounds = bounds;
        this.places = new Semaphore(bounds.max());
        this.loop = BackgroundLoop.start(
                Thread.ofPlatform().daemon().name("idle-graphs"),
                this::round,
                (failure, inARow) -> LOG.error("idle graphs cannot be closed", failure));
    }

    /** The number of graphs that are open or being opened or closed. */
    int size() {
        return bounds.max() - places.availablePermits();
    }

    /**
     * Takes a place for a graph that is about to be opened. May wait for some seconds.
     *
     * @throws ServiceException OVERLOADED when all graphs that may be open are in use
     */
    void take() {
        boolean taken = places.tryAcquire();
        if (places.availablePermits() < bounds.max() / FREE_SHARE) {
            loop.wake();
        }
        long end = System.nanoTime() + bounds.patience().toNanos();
        while (!taken) {
            closeOldest();
            taken = await();
            if (!taken && System.nanoTime() - end > 0) {
                throw new ServiceException(
                        ErrorCode.OVERLOADED,
                        bounds.max() + " graphs are open and in use, as many as may be; try again in a second");
            }
        }
    }

    private boolean await() {
        try {
            return places.tryAcquire(LOOK_AGAIN.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ServiceException(ErrorCode.SHUTTING_DOWN, "interrupted while a graph was to be opened", null, e);
        }
    }

    /** Notes a graph that has a place and is open. */
    void opened(KnownGraph<?> graph) {
        open.add(graph);
    }

    /** Gives back the place of a graph that is closed, or that could not be opened. */
    void giveBack(KnownGraph<?> graph) {
        open.remove(graph);
        places.release();
    }

    private Duration round() {
        long now = System.nanoTime();
        for (KnownGraph<?> graph : open) {
            if (now - graph.usedNanos() >= bounds.idle().toNanos()) {
                graph.closeIfUnused();
            }
        }
        while (places.availablePermits() < bounds.max() / FREE_SHARE && !loop.isClosed()) {
            if (!closeOldest()) {
                break;
            }
        }
        Duration next = bounds.idle().dividedBy(4);
        return next.compareTo(ROUND_MAX) < 0 ? next : ROUND_MAX;
    }

    /** Closes the graph that was unused for longest; false when all are in use. */
    private boolean closeOldest() {
        List<KnownGraph<?>> unused = open.stream()
                .filter(KnownGraph::isUnused)
                .sorted(Comparator.comparingLong(KnownGraph::usedNanos))
                .toList();
        return unused.stream().anyMatch(KnownGraph::closeIfUnused);
    }

    /** Closes no further graph. */
    @Override
    public void close() {
        loop.close();
        loop.await(BackgroundLoop.UNTIL_WOKEN);
    }
}
