package service.cli.boot;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
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
    private static final long STOP_SECONDS = 60;

    /** A graph and its declared retention. */
    record Graph(
            String id, LmdbGraphStorage storage, @Nullable RetentionPolicy policy) {}

    private final List<Graph> graphs;
    private final Duration interval;
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final Thread thread = new Thread(this::run, "retention");

    private RetentionSchedule(List<Graph> graphs, Duration interval) {
        this.graphs = List.copyOf(graphs);
        this.interval = interval;
    }

    static RetentionSchedule start(List<Graph> graphs, Duration interval) {
        RetentionSchedule schedule = new RetentionSchedule(graphs, interval);
        schedule.thread.setDaemon(true);
        schedule.thread.start();
        return schedule;
    }

    private void run() {
        Duration wait = interval.compareTo(FIRST_AFTER_MAX) < 0 ? interval : FIRST_AFTER_MAX;
        try {
            while (!stopped.await(wait.toNanos(), TimeUnit.NANOSECONDS)) {
                graphs.forEach(this::clean);
                wait = interval;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void clean(Graph graph) {
        if (stopped.getCount() == 0) {
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
        } catch (RuntimeException e) {
            LOG.atError().addKeyValue("graph", graph.id()).setCause(e).log("cleanup failed");
        }
    }

    /** Stops a running cleanup; the next start of the server continues it. */
    @Override
    public void close() {
        stopped.countDown();
        graphs.forEach(graph -> graph.storage().cleanup().stop());
        try {
            if (!thread.join(Duration.ofSeconds(STOP_SECONDS))) {
                LOG.warn("a cleanup did not stop within {} s", STOP_SECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
