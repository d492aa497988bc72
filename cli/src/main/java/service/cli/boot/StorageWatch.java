package service.cli.boot;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import service.core.lifecycle.BackgroundLoop;

/**
 * Compares every two seconds, on one thread, whether what the process has open of each graph is still what is stored at
 * its place ({@link service.core.port.GraphStorage#compareStored}), and logs what changed. A graph whose files other
 * programs moved, deleted, replaced or cut refuses writes by itself; this makes sure that it is noticed without a
 * write.
 */
final class StorageWatch implements AutoCloseable {
    /** With the time of a round less than the five seconds within which a change is noticed. */
    static final Duration EVERY = Duration.ofSeconds(2);

    private static final Logger LOG = LoggerFactory.getLogger(StorageWatch.class);

    private final List<OpenedGraph> graphs;
    private final BackgroundLoop loop;
    private final Set<String> detached = new HashSet<>();

    private StorageWatch(List<OpenedGraph> graphs) {
        this.graphs = List.copyOf(graphs);
        this.loop = BackgroundLoop.start(
                Thread.ofPlatform().daemon().name("storage-watch"),
                this::round,
                (failure, inARow) -> LOG.warn("the stored files cannot be compared", failure));
    }

    static StorageWatch start(List<OpenedGraph> graphs) {
        return new StorageWatch(graphs);
    }

    private Duration round() {
        graphs.forEach(this::compare);
        return EVERY;
    }

    private void compare(OpenedGraph graph) {
        String id = graph.graph().id();
        try {
            graph.compareStored();
        } catch (Throwable e) {
            // The other graphs are compared.
            LOG.atWarn().addKeyValue("graph", id).setCause(e).log("its stored files cannot be looked at");
        }
        // Why a closed graph cannot be opened was logged by the use that tried it.
        String finding = graph.detachedWhileOpen();
        if (finding != null && detached.add(id)) {
            LOG.atError()
                    .addKeyValue("graph", id)
                    .addKeyValue("place", graph.place())
                    .log(
                            "quarantined while it is open: {}. Writes are refused, and what is open is still read as"
                                    + " far as it can be. Put back what was there and restart this server, or stop it"
                                    + " and restore the graph from a backup",
                            finding);
        } else if (graph.graph().detached() == null && detached.remove(id)) {
            LOG.atInfo().addKeyValue("graph", id).log("its stored files are those that are open again: it is written");
        }
    }

    /** Waits for the round that runs. */
    @Override
    public void close() {
        loop.close();
        loop.await(BackgroundLoop.UNTIL_WOKEN);
    }
}
