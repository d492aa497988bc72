package service.cli.boot;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.lifecycle.BackgroundLoop;
import service.core.port.RetentionPolicy;
import service.projection.storage.LmdbGraphStorage;

/**
 * Runs the declared retention of served graphs on one thread, one graph after the other. After each slice on a graph's
 * writer it pauses at least as long as the slice took, so that commits have half of the writer's time. Each round also
 * finishes a cleanup that a crash interrupted, whether a retention is declared or not, and frees the reader slots of
 * dead processes.
 *
 * <p>A graph that is closed has a round every six hours, for which it is opened; these are spread over the time.
 */
final class RetentionSchedule implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RetentionSchedule.class);
    private static final Duration PAUSE = Duration.ofMillis(5);
    private static final Duration FIRST_AFTER_MAX = Duration.ofSeconds(10);
    private static final Duration STOP_MAX = Duration.ofSeconds(60);

    /** In this time every closed graph is opened once for its retention. */
    private static final Duration CLOSED_EVERY = Duration.ofHours(6);

    /** A graph and its declared retention. */
    record Graph(
            String id,
            KnownGraph<LmdbGraphStorage> known,
            @Nullable RetentionPolicy policy) {}

    /** A graph and when its next round is due if it is closed then. */
    private static final class Scheduled {
        private final Graph graph;
        private long dueNanos;

        Scheduled(Graph graph, long dueNanos) {
            this.graph = graph;
            this.dueNanos = dueNanos;
        }
    }

    private final List<Scheduled> graphs;
    private final Duration interval;
    private final BackgroundLoop loop;
    private boolean begun;
    private volatile boolean stopped;

    private RetentionSchedule(List<Graph> graphs, Duration interval) {
        long now = System.nanoTime();
        long apart = CLOSED_EVERY.toNanos() / Math.max(1, graphs.size());
        this.graphs = IntStream.range(0, graphs.size())
                .mapToObj(i -> new Scheduled(graphs.get(i), now + i * apart))
                .toList();
        this.interval = interval;
        this.loop = BackgroundLoop.start(
                Thread.ofPlatform().daemon().name("retention"),
                this::round,
                (failure, inARow) -> LOG.error("the retention failed and is repeated", failure));
    }

    static RetentionSchedule start(List<Graph> graphs, Duration interval) {
        return new RetentionSchedule(graphs, interval);
    }

    private Duration round() {
        if (!begun) {
            begun = true;
            return interval.compareTo(FIRST_AFTER_MAX) < 0 ? interval : FIRST_AFTER_MAX;
        }
        graphs.forEach(this::clean);
        return interval;
    }

    /** A failure of one graph is not one of the others. */
    private void clean(Scheduled scheduled) {
        if (stopped) {
            return;
        }
        Graph graph = scheduled.graph;
        try {
            if (graph.known().isOpen()) {
                graph.known().lendOpen(storage -> clean(storage, graph.policy()));
            } else if (System.nanoTime() - scheduled.dueNanos >= 0) {
                graph.known().lend(storage -> clean(storage, graph.policy()));
                graph.known().closeIfUnused();
            } else {
                return;
            }
            scheduled.dueNanos = System.nanoTime() + CLOSED_EVERY.toNanos();
        } catch (ServiceException e) {
            if (e.code() != ErrorCode.SHUTTING_DOWN) {
                LOG.atWarn().addKeyValue("graph", graph.id()).setCause(e).log("cleanup failed");
            }
        } catch (Throwable e) {
            LOG.atError().addKeyValue("graph", graph.id()).setCause(e).log("cleanup failed");
        }
    }

    private static void clean(LmdbGraphStorage storage, @Nullable RetentionPolicy policy) {
        int slots = storage.freeDeadReaders();
        if (slots > 0) {
            LOG.info("{} reader slots of dead processes freed", slots);
        }
        if (policy == null) {
            storage.cleanup().resume(PAUSE);
        } else {
            storage.cleanup().runIfWorthwhile(policy, PAUSE);
        }
    }

    /** Stops a running cleanup; the next start of the server continues it. */
    @Override
    public void close() {
        stopped = true;
        loop.close();
        graphs.forEach(
                each -> each.graph.known().lendOpen(storage -> storage.cleanup().stop()));
        if (!loop.await(STOP_MAX)) {
            LOG.warn("a cleanup did not stop within {} s", STOP_MAX.toSeconds());
        }
    }
}
