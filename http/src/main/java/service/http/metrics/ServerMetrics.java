package service.http.metrics;

import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.Map;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import service.core.port.BlockGauges;
import service.core.port.CacheGauges;
import service.http.limit.Admission;
import service.http.limit.Refusals;

/** The state of the server itself: admission, memory, caches, and the number of graphs. */
final class ServerMetrics {
    private final PrometheusRegistry registry;

    private ServerMetrics(PrometheusRegistry registry) {
        this.registry = registry;
    }

    static void register(PrometheusRegistry registry, ServerState state, int served) {
        ServerMetrics metrics = new ServerMetrics(registry);
        metrics.registerAdmission(state);
        metrics.registerMemory(state);
        metrics.registerCaches(state.caches());
        metrics.registerBlocks(state.blocks());
        metrics.registerGraphs(state, served);
    }

    private void registerAdmission(ServerState state) {
        Admission admission = state.admission();
        gauge("service_http_requests_executing", "Requests at work.", admission::executing);
        gauge(
                "service_http_requests_waiting",
                "Requests that wait for a place among those at work.",
                admission::waiting);
        gauge("service_http_streams_open", "Streamed answers that are being written.", admission::streams);
        gauge(
                "service_feed_consumers_waiting",
                "Consumers of change feeds that wait for a commit.",
                state.consumers()::size);
        CounterWithCallback.builder()
                .name("service_http_refused_total")
                .help("Requests that were refused because of a limit, by the limit.")
                .labelNames("cause")
                .callback(to -> {
                    for (Refusals.Cause cause : Refusals.Cause.values()) {
                        to.call((double) count(state, cause), cause.label());
                    }
                })
                .register(registry);
    }

    private static long count(ServerState state, Refusals.Cause cause) {
        return switch (cause) {
            case TOOL_CALLS -> state.toolCallsRefused().getAsLong();
            case REQUESTS,
                    ACTOR_REQUESTS,
                    GRAPH_REQUESTS,
                    STREAMS,
                    ACTOR_STREAMS,
                    GRAPH_STREAMS,
                    CONSUMERS,
                    ACTOR_CONSUMERS,
                    GRAPH_CONSUMERS,
                    CONNECTIONS,
                    ACTOR_CONNECTIONS,
                    ACTOR_WRITES,
                    ACTOR_BYTES,
                    WRITER_QUEUE,
                    UNVERIFIED_TOKENS,
                    OVERLOADED -> state.admission().refusals().of(cause);
        };
    }

    private void registerMemory(ServerState state) {
        gauge(
                "service_memory_used_bytes",
                "Heap that requests and caches hold, as they estimate it.",
                () -> state.process().memory().used());
        gauge(
                "service_memory_limit_bytes",
                "Heap that requests and caches may hold together.",
                () -> state.process().memory().bytesMax());
        gauge(
                "service_spill_used_bytes",
                "Temporary files of all requests.",
                () -> state.process().spill().used());
    }

    private void registerCaches(Map<String, Supplier<CacheGauges>> caches) {
        GaugeWithCallback.builder()
                .name("service_cache_entries")
                .help("Entries of a cache.")
                .labelNames("cache")
                .callback(to -> caches.forEach(
                        (name, cache) -> to.call((double) cache.get().entries(), name)))
                .register(registry);
        cacheCounter("service_cache_hits_total", "Look-ups in a cache that found an entry.", caches, CacheGauges::hits);
        cacheCounter("service_cache_misses_total", "Look-ups in a cache that found none.", caches, CacheGauges::misses);
    }

    private void registerBlocks(Supplier<BlockGauges> blocks) {
        gauge(
                "service_resident_bytes",
                "Heap that resident blocks hold.",
                () -> blocks.get().bytes());
        gauge(
                "service_resident_limit_bytes",
                "Heap that resident blocks may hold.",
                () -> blocks.get().bytesMax());
        gauge(
                "service_resident_dirty_ratio",
                "Part of the entities of resident blocks that has changed since, and is read from the tables.",
                () -> blocks.get().dirtyShare());
        CounterWithCallback.builder()
                .name("service_resident_built_total")
                .help("Resident blocks that were made.")
                .callback(to -> to.call((double) blocks.get().built()))
                .register(registry);
    }

    private void cacheCounter(
            String name, String help, Map<String, Supplier<CacheGauges>> caches, ToDoubleFunction<CacheGauges> value) {
        CounterWithCallback.builder()
                .name(name)
                .help(help)
                .labelNames("cache")
                .callback(to -> caches.forEach((cache, gauges) -> to.call(value.applyAsDouble(gauges.get()), cache)))
                .register(registry);
    }

    private void registerGraphs(ServerState state, int served) {
        gauge("service_graphs_served", "Graphs that are open, also those that are not written any more.", () -> served);
        gauge(
                "service_graphs_quarantined",
                "Graphs that are not served, or not written any more; the log and GET /graphs have the reasons.",
                () -> state.quarantined().get().size());
        gauge(
                "service_graphs_damaged",
                "Served graphs in which damaged data was found; GET /graphs has the reasons.",
                () -> state.damaged().get().size());
    }

    private void gauge(String name, String help, DoubleSupplier value) {
        GaugeWithCallback.builder()
                .name(name)
                .help(help)
                .callback(to -> to.call(value.getAsDouble()))
                .register(registry);
    }
}
