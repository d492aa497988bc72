package service.http.metrics;

import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ObjDoubleConsumer;
import java.util.function.ToDoubleFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import service.core.port.FollowLag;
import service.core.port.SearchGauges;
import service.core.port.StorageGauges;
import service.core.port.StorageGauges.Checkpoint;
import service.core.port.StorageGauges.Environment;
import service.core.port.StorageGauges.WriterGauges;

/** The state of the storage and of the feeds of each graph, read once a scrape by {@link #read}. */
final class GraphMetrics {
    private static final Logger LOG = LoggerFactory.getLogger(GraphMetrics.class);
    private static final double MILLIS = 1e3;
    private static final double NANOS = 1e9;

    /** Graphs that have series with their name; of more open graphs, those with the most writes. */
    static final int NAMED_MAX = 100;

    /** The label of all other graphs together. */
    static final String OTHERS = "other";

    /** A graph has no series of this metric. */
    private static final double ABSENT = Double.NaN;

    private record Reading(StorageGauges storage, Map<String, Long> feedLag, SearchGauges search) {
        long writes() {
            WriterGauges writer = storage.writer();
            return writer == null ? 0 : writer.commands();
        }
    }

    private final PrometheusRegistry registry;
    private final Map<String, ServedGraph> graphs;
    private volatile Map<String, Reading> readings = Map.of();
    private volatile int openGraphs;

    GraphMetrics(PrometheusRegistry registry, Map<String, ServedGraph> graphs) {
        this.registry = registry;
        this.graphs = Map.copyOf(graphs);
        registerWriters();
        registerStorage();
        registerHistory();
        registerFollowing();
        registerSearch();
        GaugeWithCallback.builder()
                .name("service_graphs_open")
                .help("Served graphs that are open; the others open at their next request.")
                .callback(to -> to.call(openGraphs))
                .register(registry);
    }

    private void registerSearch() {
        search(
                "service_search_lag_commits",
                "Events that the search index of main does not show yet; searches read what they changed directly.",
                SearchGauges::lagCommits);
        search(
                "service_search_lag_seconds",
                "Time for which the search index of main has not shown all events; 0 when it shows all.",
                SearchGauges::lagSeconds);
        index("service_search_index_bytes", "Size of search indexes on disk.", SearchGauges.Index::bytes);
        index("service_search_index_documents", "Entities that search indexes have.", SearchGauges.Index::documents);
        index(
                "service_search_index_deleted_documents",
                "Replaced and deleted entities that no merge has removed from search indexes yet.",
                SearchGauges.Index::deleted);
        CounterWithCallback.builder()
                .name("service_search_work_seconds_total")
                .help("Time that search indexes took to follow commits, to be built, refreshed, merged and made"
                        + " durable.")
                .labelNames("graph", "work")
                .callback(to -> readings.forEach((graph, reading) ->
                        reading.search.workSeconds().forEach((work, seconds) -> to.call(seconds, graph, work))))
                .register(registry);
    }

    private void search(String name, String help, ToDoubleFunction<SearchGauges> value) {
        GaugeWithCallback.builder()
                .name(name)
                .help(help)
                .labelNames("graph")
                .callback(
                        to -> readings.forEach((graph, reading) -> to.call(value.applyAsDouble(reading.search), graph)))
                .register(registry);
    }

    private void index(String name, String help, ToDoubleFunction<SearchGauges.Index> value) {
        GaugeWithCallback.builder()
                .name(name)
                .help(help)
                .labelNames("graph", "index")
                .callback(to -> readings.forEach((graph, reading) -> reading.search
                        .indexes()
                        .forEach(index -> to.call(value.applyAsDouble(index), graph, index.name()))))
                .register(registry);
    }

    private void registerWriters() {
        gauge("service_writer_queue_commands", "Writes that wait for the writer.", writer(WriterGauges::queued));
        counter(
                "service_writer_commands_total",
                "Writes that the writer has answered.",
                writer(WriterGauges::commands));
        counter(
                "service_writer_refused_total",
                "Writes that were refused because the queue of the writer was full when they were submitted.",
                writer(WriterGauges::refused));
        gauge(
                "service_writer_failing",
                "1 while writes are refused because storage has failed and has not recovered.",
                writer(w -> w.failing() ? 1 : 0));
    }

    private void registerFollowing() {
        gauge(
                "service_follow_lag_commits",
                "Commits of the log that a server that only reads does not show yet; 0 on the server that writes.",
                lag(FollowLag::commits));
        gauge(
                "service_follow_lag_seconds",
                "Age of the first commit that a server that only reads does not show yet, or, while it cannot read the"
                        + " log, the time since it could; 0 when it shows all.",
                lag(FollowLag::seconds));
    }

    private void registerStorage() {
        environment(
                "service_storage_file_bytes",
                "Size of the file of an environment; that of the environment `log` is the log.",
                Environment::fileBytes);
        environment(
                "service_storage_map_bytes",
                "Size of the memory map of an environment, which doubles when the file reaches it.",
                Environment::mapBytes);
        environment(
                "service_storage_open_reads",
                "Read transactions that are open in this process.",
                e -> e.readers().open());
        environment(
                "service_storage_oldest_read_age_seconds",
                "Age of the oldest open read transaction; 0 when none is open. Space freed since then cannot be used"
                        + " again.",
                e -> e.readers().oldestNanos() / NANOS);
        environment(
                "service_storage_reader_slots",
                "Reader slots that are taken, of all processes, kept ones included.",
                e -> e.readers().slots());
        environment(
                "service_storage_reader_slots_max",
                "Number of reader slots.",
                e -> e.readers().slotsMax());
        gauge(
                "service_storage_disk_free_bytes",
                "Bytes that the file system of the graph has left.",
                StorageGauges::diskFreeBytes);
        gauge("service_storage_disk_size_bytes", "Size of the file system of the graph.", StorageGauges::diskBytes);
    }

    private void registerHistory() {
        gauge("service_log_events", "Events in the log.", StorageGauges::events);
        gauge(
                "service_checkpoint_age_seconds",
                "Age of the newest checkpoint; without a checkpoint, the time since the graph was opened.",
                checkpoint(c -> c.ageMillis() / MILLIS));
        gauge(
                "service_checkpoint_lag_events",
                "Events that are not in the newest checkpoint.",
                checkpoint(Checkpoint::behind));
        gauge(
                "service_retention_mark_events",
                "Offset of the first event of main whose content is kept; 0 while all are kept.",
                s -> s.retention().mainMark());
        gauge(
                "service_retention_pinned_states",
                "States below the marks that are kept for live branches.",
                s -> s.retention().pinned());
        gauge(
                "service_retention_pending",
                "1 while a cleanup has set its marks and has not deleted everything.",
                s -> s.retention().pending() ? 1 : 0);
        GaugeWithCallback.builder()
                .name("service_feed_lag_commits")
                .help("Commits that consumers of the change feed have left unread, the largest number of the last"
                        + " minute; at most 16 branches, the rest as `other`.")
                .labelNames("graph", "branch")
                .callback(to -> readings.forEach((graph, reading) ->
                        reading.feedLag.forEach((branch, commits) -> to.call((double) commits, graph, branch))))
                .register(registry);
    }

    private static ToDoubleFunction<StorageGauges> writer(ToDoubleFunction<WriterGauges> value) {
        return storage -> {
            WriterGauges writer = storage.writer();
            return writer == null ? ABSENT : value.applyAsDouble(writer);
        };
    }

    private static ToDoubleFunction<StorageGauges> checkpoint(ToDoubleFunction<Checkpoint> value) {
        return storage -> {
            Checkpoint checkpoint = storage.checkpoint();
            return checkpoint == null ? ABSENT : value.applyAsDouble(checkpoint);
        };
    }

    private static ToDoubleFunction<StorageGauges> lag(ToDoubleFunction<FollowLag> value) {
        return storage -> {
            FollowLag lag = storage.lag();
            return lag == null ? 0 : value.applyAsDouble(lag);
        };
    }

    /** Calls back for each graph that has the value. */
    private void each(ToDoubleFunction<StorageGauges> value, ObjDoubleConsumer<String> to) {
        readings.forEach((graph, reading) -> {
            double now = value.applyAsDouble(reading.storage);
            if (!Double.isNaN(now)) {
                to.accept(graph, now);
            }
        });
    }

    private void gauge(String name, String help, ToDoubleFunction<StorageGauges> value) {
        GaugeWithCallback.builder()
                .name(name)
                .help(help)
                .labelNames("graph")
                .callback(to -> each(value, (graph, now) -> to.call(now, graph)))
                .register(registry);
    }

    private void counter(String name, String help, ToDoubleFunction<StorageGauges> value) {
        CounterWithCallback.builder()
                .name(name)
                .help(help)
                .labelNames("graph")
                .callback(to -> each(value, (graph, now) -> to.call(now, graph)))
                .register(registry);
    }

    private void environment(String name, String help, ToDoubleFunction<Environment> value) {
        GaugeWithCallback.builder()
                .name(name)
                .help(help)
                .labelNames("graph", "environment")
                .callback(to -> readings.forEach((graph, reading) -> reading.storage
                        .environments()
                        .forEach(environment -> to.call(value.applyAsDouble(environment), graph, environment.name()))))
                .register(registry);
    }

    /** Reads the state of the open graphs. A graph that cannot be read is left out of this scrape. */
    void read() {
        Map<String, Reading> read = new TreeMap<>();
        graphs.forEach((id, graph) -> {
            try {
                StorageGauges storage = graph.storage().get();
                if (storage != null) {
                    read.put(
                            id,
                            new Reading(
                                    storage,
                                    graph.feedLag().get(),
                                    graph.search().get()));
                }
            } catch (RuntimeException e) {
                LOG.atWarn().addKeyValue("graph", id).setCause(e).log("its metrics cannot be read");
            }
        });
        openGraphs = read.size();
        readings = read.size() <= NAMED_MAX ? read : busiest(read);
    }

    private static Map<String, Reading> busiest(Map<String, Reading> read) {
        Map<String, Reading> busiest = new TreeMap<>();
        read.entrySet().stream()
                .sorted(Comparator.comparingLong((Map.Entry<String, Reading> each) ->
                                each.getValue().writes())
                        .reversed())
                .limit(NAMED_MAX)
                .forEach(each -> busiest.put(each.getKey(), each.getValue()));
        return busiest;
    }
}
