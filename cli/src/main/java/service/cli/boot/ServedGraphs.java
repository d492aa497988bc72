package service.cli.boot;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import service.core.cluster.AppliedCluster;
import service.core.cluster.Quarantine;
import service.core.cluster.ServedCluster;
import service.core.error.StartRefusedException;
import service.core.graph.Graph;
import service.core.lifecycle.Closing;
import service.core.port.EmbeddingSource;
import service.http.metrics.ServedGraph;
import service.projection.storage.LmdbGraphStorage;

/**
 * The graphs of an applied cluster, known or open for serving. A graph that cannot be opened safely is quarantined.
 * Closing this closes all graphs.
 */
public final class ServedGraphs implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ServedGraphs.class);

    private final String canonicalRoot;
    private final ServedCluster cluster;
    private final List<OpenedGraph> opened;
    private final List<RetentionSchedule.Graph> retained;
    private final OpenGraphs places;
    private @Nullable RetentionSchedule schedule;
    private @Nullable StorageWatch watch;

    private ServedGraphs(
            String canonicalRoot,
            ServedCluster cluster,
            List<OpenedGraph> opened,
            List<RetentionSchedule.Graph> retained,
            OpenGraphs places) {
        this.canonicalRoot = canonicalRoot;
        this.cluster = cluster;
        this.opened = opened;
        this.retained = retained;
        this.places = places;
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

    /** Opens the graphs of an applied cluster, with the usual bounds. */
    public static ServedGraphs open(
            AppliedCluster applied, boolean requireAll, Engine engine, @Nullable Duration follow) {
        return open(applied, requireAll, engine, follow, OpenGraphs.Bounds.USUAL);
    }

    /**
     * Makes the graphs of an applied cluster known, and opens them or, where there are more than may be open, those
     * that were written last; four at a time.
     *
     * @param requireAll refuses to start instead of quarantining a graph
     * @param engine shared by all graphs
     * @param follow how often to poll for commits of the server that writes; null to write the graphs
     * @param bounds of open graphs
     * @throws StartRefusedException with a code of {@code docs/operations/deploy.md}
     */
    static ServedGraphs open(
            AppliedCluster applied,
            boolean requireAll,
            Engine engine,
            @Nullable Duration follow,
            OpenGraphs.Bounds bounds) {
        requireKeys(applied, engine);
        GraphStart start = new GraphStart(applied, engine, follow, bounds);
        start.run();
        NavigableMap<String, Quarantine> quarantined = new TreeMap<>(applied.quarantined());
        quarantined.putAll(start.quarantined());
        ServedGraphs served = of(applied, start, quarantined);
        refuseWhatMustNotServe(served, requireAll, start.locked());
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
            AppliedCluster applied, GraphStart start, NavigableMap<String, Quarantine> quarantined) {
        NavigableMap<String, Graph> graphs = new TreeMap<>();
        start.graphs().forEach((id, graph) -> graphs.put(id, graph.graph()));
        List<RetentionSchedule.Graph> retained = new ArrayList<>();
        start.written()
                .forEach((id, known) -> retained.add(new RetentionSchedule.Graph(
                        id,
                        known,
                        Objects.requireNonNull(applied.graphs().get(id)).retention())));
        return new ServedGraphs(
                applied.cluster().canonicalRoot(),
                new ServedCluster(
                        Objects.requireNonNull(applied.ledger().appliedDigest()),
                        applied.ledger().revision(),
                        Objects.requireNonNull(applied.ledger().cas()),
                        graphs,
                        quarantined),
                new ArrayList<>(start.graphs().values()),
                retained,
                start.places());
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
        retained.forEach(graph -> graph.known().followOthers(every));
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
        all.add(places);
        retained.forEach(graph -> all.add(() -> graph.known().lendOpen(LmdbGraphStorage::keepImage)));
        all.addAll(opened);
        Closing.all(all);
    }
}
