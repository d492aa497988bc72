package service.http.metrics;

import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.Info;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.instrumentation.jvm.JvmMetrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;
import service.core.port.CommitMeter;
import service.core.port.SearchGauges;
import service.http.observe.RequestMeter;

/**
 * The metrics of one server. Make it first, pass its meters to the graphs and to the server, then call {@link #serve}.
 *
 * <p>Recorders are called for each request and each commit. All other values are read by {@link #scrape}, so they cost
 * nothing between two scrapes.
 *
 * <p>Thread rule: any thread; one scrape runs at a time, others wait for it.
 */
public final class Metrics {
    public static final String CONTENT_TYPE = PrometheusTextFormatWriter.CONTENT_TYPE;

    private static final int FIRST_BYTES = 64 << 10;

    private final PrometheusRegistry registry = new PrometheusRegistry();
    private final PrometheusTextFormatWriter writer = PrometheusTextFormatWriter.create();
    private final RequestMetrics requests = new RequestMetrics(registry);
    private final CommitMetrics commits = new CommitMetrics(registry);
    private @Nullable GraphMetrics graphs;

    /** @param version of the program */
    public Metrics(String version) {
        JvmMetrics.builder().register(registry);
        Info.builder()
                .name("service_build_info")
                .help("The version of the program; the value is 1.")
                .labelNames("version")
                .register(registry)
                .addLabelValues(version);
    }

    /** Measures requests. */
    public RequestMeter requests() {
        return requests;
    }

    /** Measures the commits of a graph. */
    public CommitMeter commits(String graph) {
        return commits.of(graph);
    }

    /** Adds the state of the served graphs, by id, and of the server. Call it once. */
    public synchronized void serve(Map<String, ServedGraph> served, ServerState state) {
        graphs = new GraphMetrics(registry, served);
        ServerMetrics.register(registry, state, served.size());
    }

    /** Adds what searches of all graphs do. Call it once. */
    public void searches(Supplier<SearchGauges.Totals> searches) {
        ran(
                "service_searches_total",
                "Queries by each operator of searches that they had.",
                searches,
                ran -> ran.queries());
        ran(
                "service_search_seconds_total",
                "Time of these queries, from their plan to the last row.",
                searches,
                SearchGauges.Ran::seconds);
        CounterWithCallback.builder()
                .name("service_search_direct_entities_total")
                .help("Entities that searches read from records, because no index has them as the view does.")
                .callback(to -> to.call((double) searches.get().direct()))
                .register(registry);
    }

    private void ran(
            String name,
            String help,
            Supplier<SearchGauges.Totals> searches,
            ToDoubleFunction<SearchGauges.Ran> value) {
        CounterWithCallback.builder()
                .name(name)
                .help(help)
                .labelNames("operator", "exactness")
                .callback(to -> searches.get()
                        .ran()
                        .forEach(ran -> to.call(value.applyAsDouble(ran), ran.operator(), ran.exactness())))
                .register(registry);
    }

    /** Adds the calls of embedding providers by their outcome. Call it once. */
    public void embeddings(Map<String, LongSupplier> calls) {
        CounterWithCallback.builder()
                .name("service_embedding_calls_total")
                .help("Calls of embedding providers, and texts that the cache had, by how they ended.")
                .labelNames("status")
                .callback(to -> calls.forEach((outcome, count) -> to.call((double) count.getAsLong(), outcome)))
                .register(registry);
    }

    /** All metrics in the text format of Prometheus. Waits while the map of a graph grows. */
    public synchronized byte[] scrape() {
        if (graphs != null) {
            graphs.read();
        }
        ByteArrayOutputStream text = new ByteArrayOutputStream(FIRST_BYTES);
        try {
            writer.write(text, registry.scrape());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return text.toByteArray();
    }
}
