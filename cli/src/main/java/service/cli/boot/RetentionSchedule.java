package service.cli.boot;

import java.time.Duration;
import java.util.List;
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
 */
final class RetentionSchedule implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RetentionSchedule.class);
    private static final Duration PAUSE = Duration.ofMillis(5);
    private static final Duration FIRST_AFTER_MAX = Duration.ofSeconds(10);
    private static final Duration STOP_MAX = Duration.ofSeconds(60);

    /** A graph and its declared retention. */
    record Graph(
            String id, LmdbGraphStorage storage, @Nullable RetentionPolicy policy) {}

    private final List<Graph> graphs;
    private final Duration interval;
    private final BackgroundLoop loop;
    private boolean begun;
    private volatile boolean stopped;

    private RetentionSchedule(List<Graph> graphs, Duration interval) {
        this.graphs = List.copyOf(graphs);
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
    private void clean(Graph graph) {
        if (stopped) {
            return;
        }
        try {
            int slots = graph.storage().freeDeadReaders();
            if (slots > 0) {
                LOG.info("{} reader slots of dead processes freed", slots);
            }
            RetentionPolicy policy = graph.policy();
            if (policy == null) {
                graph.storage().cleanup().resume(PAUSE);
            } else {
                graph.storage().cleanup().runIfWorthwhile(policy, PAUSE);
            }
        } catch (ServiceException e) {
            if (e.code() != ErrorCode.SHUTTING_DOWN) {
                LOG.atWarn().addKeyValue("graph", graph.id()).setCause(e).log("cleanup failed");
            }
        } catch (Throwable e) {
            LOG.atError().addKeyValue("graph", graph.id()).setCause(e).log("cleanup failed");
        }
    }

    /** Stops a running cleanup; the next start of the server continues it. */
    @Override
    public void close() {
        stopped = true;
        loop.close();
        graphs.forEach(graph -> graph.storage().cleanup().stop());
        if (!loop.await(STOP_MAX)) {
            LOG.warn("a cleanup did not stop within {} s", STOP_MAX.toSeconds());
        }
    }
}
