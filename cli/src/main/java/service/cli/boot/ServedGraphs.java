package service.cli.boot;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import service.core.cluster.AppliedCluster;
import service.core.cluster.AppliedCluster.AppliedGraph;
import service.core.cluster.Quarantine;
import service.core.cluster.ServedCluster;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.error.StartRefusedException;
import service.core.graph.Graph;
import service.core.graph.request.ReadTarget;
import service.core.lifecycle.Closing;
import service.core.port.EmbeddingSource;
import service.http.metrics.ServedGraph;
import service.log.lmdb.StorageFailure;

/**
 * The graphs of an applied cluster, opened for serving. A graph that cannot be opened safely is quarantined. Closing
 * this closes all graphs.
 */
public final class ServedGraphs implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ServedGraphs.class);
    private static final int OPEN_AT_ONCE = 4;

    private final String canonicalRoot;
    private final ServedCluster cluster;
    private final List<OpenedGraph> opened;
    private final List<RetentionSchedule.Graph> retained;
    private @Nullable RetentionSchedule schedule;
    private @Nullable StorageWatch watch;

    private ServedGraphs(
            String canonicalRoot,
            ServedCluster cluster,
            List<OpenedGraph> opened,
            List<RetentionSchedule.Graph> retained) {
        this.canonicalRoot = canonicalRoot;
        this.cluster = cluster;
        this.opened = opened;
        this.retained = retained;
    }

    /**
     * Reads the applied state of a cluster, without opening a graph.
     *
     * @param root a cluster's directory, or its root as a URI, which needs no configuration
     * @throws StartRefusedException with a code of {@code docs/operations/deploy.md}
     */
    public static AppliedCluster applied(String root) {
        return Clusters.applied(root);
    }

    /** Reads the applied state and opens its graphs. */
    public static ServedGraphs open(String root, boolean requireAll, Engine engine) {
        return open(applied(root), requireAll, engine);
    }

    /** Opens the graphs of an applied cluster for writing. */
    public static ServedGraphs open(AppliedCluster applied, boolean requireAll, Engine engine) {
        return open(applied, requireAll, engine, null);
    }

    /**
     * Opens the graphs of an applied cluster, four at a time.
     *
     * @param requireAll refuses to start instead of quarantining a graph
     * @param engine shared by all graphs
     * @param follow how often to poll for commits of the server that writes; null to write the graphs
     * @throws StartRefusedException with a code of {@code docs/operations/deploy.md}
     */
    public static ServedGraphs open(
            AppliedCluster applied, boolean requireAll, Engine engine, @Nullable Duration follow) {
        requireKeys(applied, engine);
        Map<String, OpenedGraph> opened = new ConcurrentHashMap<>();
        NavigableMap<String, Quarantine> quarantined = new TreeMap<>(applied.quarantined());
        Set<String> locked = new HashSet<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(OPEN_AT_ONCE)) {
            Map<String, Future<@Nullable Refusal>> running = new TreeMap<>();
            applied.graphs()
                    .forEach((id, graph) ->
                            running.put(id, threads.submit(() -> openOne(graph, opened, engine, follow))));
            running.forEach((id, outcome) -> {
                Refusal refusal = result(outcome);
                if (refusal != null) {
                    quarantined.put(id, refusal.quarantine());
                    if (refusal.code() == ErrorCode.CONFLICT) {
                        locked.add(id);
                    }
                }
            });
        }
        ServedGraphs served = of(applied, opened, quarantined);
        refuseWhatMustNotServe(served, requireAll, locked);
        quarantined.forEach(
                (id, quarantine) -> LOG.atWarn().addKeyValue("graph", id).log("quarantined: {}", quarantine.reason()));
        return served;
    }

    /** Checks before a graph is opened that the keys of all embedding providers are there. */
    private static void requireKeys(AppliedCluster applied, Engine engine) {
        applied.graphs().forEach((id, graph) -> {
            EmbeddingSource source = graph.rules().embeddings();
            String missing = source == null ? null : engine.graphs().embedders().missingKey(source);
            if (source != null && missing != null) {
                throw new StartRefusedException(
                        "config_invalid",
                        "the variable %s is not set; graph `%s` needs it for its embedding provider `%s`: set it, or take embedding_provider out of cluster.yaml and apply"
                                .formatted(missing, id, source.name()));
            }
        });
    }

    private static ServedGraphs of(
            AppliedCluster applied, Map<String, OpenedGraph> opened, NavigableMap<String, Quarantine> quarantined) {
        NavigableMap<String, Graph> graphs = new TreeMap<>();
        opened.forEach((id, graph) -> graphs.put(id, graph.graph()));
        return new ServedGraphs(
                applied.cluster().canonicalRoot(),
                new ServedCluster(
                        Objects.requireNonNull(applied.ledger().appliedDigest()),
                        applied.ledger().revision(),
                        Objects.requireNonNull(applied.ledger().cas()),
                        graphs,
                        quarantined),
                new ArrayList<>(opened.values()),
                retained(applied, opened));
    }

    private static List<RetentionSchedule.Graph> retained(AppliedCluster applied, Map<String, OpenedGraph> opened) {
        List<RetentionSchedule.Graph> retained = new ArrayList<>();
        applied.graphs().forEach((id, graph) -> {
            OpenedGraph open = opened.get(id);
            if (open == null || open.graph().lag() != null) {
                return;
            }
            retained.add(new RetentionSchedule.Graph(id, open.storage(), graph.retention()));
        });
        return retained;
    }

    /** What metrics read of each served graph, by its id. */
    public Map<String, ServedGraph> observed() {
        Map<String, ServedGraph> graphs = new TreeMap<>();
        for (OpenedGraph graph : opened) {
            graphs.put(graph.graph().id(), new ServedGraph(graph::gauges, graph.graph()::feedLag, graph::searchGauges));
        }
        return graphs;
    }

    /** Starts the declared retention of every graph that this process writes; it runs until this is closed. */
    public void keepRetention(Duration interval) {
        schedule = RetentionSchedule.start(retained, interval);
    }

    /** Takes in from now on, until this is closed, what other servers commit to the graphs that this process writes. */
    public void followOthers(Duration every) {
        retained.forEach(graph -> graph.storage().followOthers(every));
    }

    /** Looks from now on, until this is closed, whether other programs change what is open. */
    public void watchStorage() {
        watch = StorageWatch.start(opened);
    }

    /** @param locked the graphs that another process has locked */
    private static void refuseWhatMustNotServe(ServedGraphs served, boolean requireAll, Set<String> locked) {
        NavigableMap<String, Quarantine> quarantined = new TreeMap<>(served.cluster.quarantined());
        boolean noneHealthy = served.cluster.served().isEmpty() && !quarantined.isEmpty();
        if (noneHealthy || (requireAll && !quarantined.isEmpty())) {
            served.close();
            Map.Entry<String, Quarantine> first = quarantined.firstEntry();
            throw new StartRefusedException(
                    locked.containsAll(quarantined.keySet()) ? "cluster_locked" : "cluster_no_healthy_graphs",
                    "%d of %d graphs cannot be served; `%s`: %s"
                            .formatted(
                                    quarantined.size(),
                                    quarantined.size() + served.cluster.served().size(),
                                    first.getKey(),
                                    first.getValue().reason()));
        }
    }

    /**
     * The reason why a graph cannot be served.
     *
     * @param code code of the exception; CONFLICT when another process has the graph locked
     */
    private record Refusal(ErrorCode code, Quarantine quarantine) {
        Refusal(ErrorCode code, String reason) {
            this(code, Quarantine.of(reason));
        }

        static Refusal of(RuntimeException thrown) {
            String message = String.valueOf(thrown.getMessage());
            return switch (thrown) {
                case ServiceException refusal
                when refusal.code() == ErrorCode.BAD_REQUEST ->
                    new Refusal(
                            refusal.code(),
                            new Quarantine(
                                    "a stored query no longer fits the schema: " + message,
                                    "a stored query no longer fits the schema; `service cluster status` names it"));
                case ServiceException refusal -> new Refusal(refusal.code(), message);
                case StorageFailure failure -> new Refusal(failure.kind().code(), message);
                default -> new Refusal(ErrorCode.GRAPH_QUARANTINED, message);
            };
        }
    }

    /** Opens one graph; returns null, or the reason why it cannot be served. */
    private static @Nullable Refusal openOne(
            AppliedGraph graph, Map<String, OpenedGraph> opened, Engine engine, @Nullable Duration follow) {
        OpenedGraph candidate = null;
        try {
            candidate = candidate(graph, engine, follow);
            String schema = candidate.unrestricted().schema(ReadTarget.MAIN).source();
            if (!schema.equals(graph.schemaSource())) {
                return new Refusal(
                        ErrorCode.GRAPH_QUARANTINED, "its schema is not the applied one; run `service cluster apply`");
            }
            candidate.unrestricted().storedQueries();
            opened.put(graph.graphId(), candidate);
            candidate = null;
            return null;
        } catch (RuntimeException e) {
            return Refusal.of(e);
        } finally {
            closeRefused(graph.graphId(), candidate);
        }
    }

    /** A graph that is not served must not stay open: its lock would keep the operator from mending it. */
    private static void closeRefused(String graphId, @Nullable OpenedGraph candidate) {
        try {
            if (candidate != null) {
                candidate.close();
            }
        } catch (RuntimeException e) {
            LOG.atWarn().addKeyValue("graph", graphId).setCause(e).log("a graph that is not served was not closed");
        }
    }

    private static OpenedGraph candidate(AppliedGraph graph, Engine engine, @Nullable Duration follow) {
        return follow == null
                ? OpenedGraph.writing(graph.place(), graph.graphId(), graph.queries(), graph.rules(), engine)
                : OpenedGraph.following(graph.place(), graph.graphId(), graph.queries(), graph.rules(), engine, follow);
    }

    private static @Nullable Refusal result(Future<@Nullable Refusal> outcome) {
        try {
            return outcome.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Refusal(ErrorCode.SHUTTING_DOWN, "interrupted while it was opened");
        } catch (java.util.concurrent.ExecutionException e) {
            LOG.error("a graph could not be opened", e.getCause());
            return new Refusal(ErrorCode.INTERNAL, "it cannot be opened: " + e.getCause());
        }
    }

    /** The root's URI. */
    public String canonicalRoot() {
        return canonicalRoot;
    }

    public ServedCluster cluster() {
        return cluster;
    }

    /** Also keeps images of what the graphs have in a bucket, so that another machine opens them without a replay. */
    @Override
    public void close() {
        List<AutoCloseable> all = new ArrayList<>();
        if (watch != null) {
            all.add(watch);
        }
        if (schedule != null) {
            all.add(schedule);
        }
        retained.forEach(graph -> all.add(graph.storage()::keepImage));
        all.addAll(opened);
        Closing.all(all);
    }
}
