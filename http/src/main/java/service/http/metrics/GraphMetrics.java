package service.http.metrics;

import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import service.core.port.StorageGauges;
import service.core.port.StorageGauges.Environment;

/** The state of the storage and of the feeds of each graph, read once a scrape by {@link #read}. */
final class GraphMetrics {
    private static final Logger LOG = LoggerFactory.getLogger(GraphMetrics.class);
    private static final double MILLIS = 1e3;
    private static final double NANOS = 1e9;

    private record Reading(StorageGauges storage, Map<String, Long> feedLag) {}

    private final PrometheusRegistry registry;
    private final Map<String, ServedGraph> graphs;
    private volatile Map<String, Reading> readings = Map.of();

    GraphMetrics(PrometheusRegistry registry, Map<String, ServedGraph> graphs) {
        this.registry = registry;
        this.graphs = Map.copyOf(graphs);
        registerWriters();
        registerStorage();
        registerHistory();
    }

    private void registerWriters() {
        gauge(
                "service_writer_queue_commands",
                "Writes that wait for the writer.",
                s -> s.writer().queued());
        counter(
                "service_writer_commands_total",
                "Writes that the writer has answered.",
                s -> s.writer().commands());
        counter(
                "service_writer_refused_total",
                "Writes that were refused because the queue of the writer was full when they were submitted.",
                s -> s.writer().refused());
        gauge(
                "service_writer_failing",
                "1 while writes are refused because storage has failed and has not recovered.",
                s -> s.writer().failing() ? 1 : 0);
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
    }

    private void registerHistory() {
        gauge("service_log_events", "Events in the log.", StorageGauges::events);
        gauge(
                "service_checkpoint_age_seconds",
                "Age of the newest checkpoint; without a checkpoint, the time since the graph was opened.",
                s -> s.checkpoint().ageMillis() / MILLIS);
        gauge(
                "service_checkpoint_lag_events",
                "Events that are not in the newest checkpoint.",
                s -> s.checkpoint().behind());
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

    private void gauge(String name, String help, ToDoubleFunction<StorageGauges> value) {
        GaugeWithCallback.builder()
                .name(name)
                .help(help)
                .labelNames("graph")
                .callback(to ->
                        readings.forEach((graph, reading) -> to.call(value.applyAsDouble(reading.storage), graph)))
                .register(registry);
    }

    private void counter(String name, String help, ToDoubleFunction<StorageGauges> value) {
        CounterWithCallback.builder()
                .name(name)
                .help(help)
                .labelNames("graph")
                .callback(to ->
                        readings.forEach((graph, reading) -> to.call(value.applyAsDouble(reading.storage), graph)))
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

    /** Reads the state of every graph. A graph that cannot be read is left out of this scrape. */
    void read() {
        Map<String, Reading> read = new TreeMap<>();
        graphs.forEach((id, graph) -> {
            try {
                read.put(id, new Reading(graph.storage().get(), graph.feedLag().get()));
            } catch (RuntimeException e) {
                LOG.atWarn().addKeyValue("graph", id).setCause(e).log("its metrics cannot be read");
            }
        });
        readings = read;
    }
}
