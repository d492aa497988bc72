package service.http.metrics;

import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import io.prometheus.metrics.core.datapoints.DistributionDataPoint;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import service.core.port.CommitMeter;

/** Measures the commits of all graphs, each with the label {@code graph}. */
final class CommitMetrics {
    private static final double NANOS = 1e9;
    private static final double[] SYNC_SECONDS = {
        0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10
    };
    private static final double[] BYTES = {
        256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 16_777_216, 268_435_456
    };
    private static final double[] EVENTS = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512};

    private final Counter changes;
    private final Histogram eventBytes;
    private final Histogram groupEvents;
    private final Histogram groupBytes;
    private final Histogram sync;

    /** The graphs that have series with their name: the first ones that had a commit. */
    private final Set<String> named = new HashSet<>();

    CommitMetrics(PrometheusRegistry registry) {
        changes = Counter.builder()
                .name("service_commit_changes_total")
                .help("Entities that durable events have changed.")
                .labelNames("graph")
                .withoutExemplars()
                .register(registry);
        eventBytes =
                histogram(registry, "service_commit_size_bytes", "Length of each durable event in the log.", BYTES);
        groupEvents =
                histogram(registry, "service_commit_group_events", "Events that became durable with one sync.", EVENTS);
        groupBytes = histogram(
                registry,
                "service_commit_group_size_bytes",
                "Length of the events that became durable with one sync.",
                BYTES);
        sync = histogram(
                registry,
                "service_log_sync_duration_seconds",
                "Time in which the log wrote and synced one group.",
                SYNC_SECONDS);
    }

    private static Histogram histogram(PrometheusRegistry registry, String name, String help, double[] bounds) {
        return Histogram.builder()
                .name(name)
                .help(help)
                .labelNames("graph")
                .classicOnly()
                .classicUpperBounds(bounds)
                .withoutExemplars()
                .register(registry);
    }

    /** The meter of one graph. Its series begin with its first commit. */
    CommitMeter of(String graph) {
        return new CommitMeter() {
            private volatile @Nullable Series series;

            @Override
            public void event(long changes, long length) {
                Series now = series();
                now.changed.inc(changes);
                now.lengths.observe((double) length);
            }

            @Override
            public void group(int count, long length, long syncNanos) {
                Series now = series();
                now.events.observe(count);
                now.bytes.observe((double) length);
                now.seconds.observe(syncNanos / NANOS);
            }

            private Series series() {
                Series known = series;
                if (known == null) {
                    known = seriesOf(graph);
                    series = known;
                }
                return known;
            }
        };
    }

    /** What the commits of a graph are added to. */
    private record Series(
            CounterDataPoint changed,
            DistributionDataPoint lengths,
            DistributionDataPoint events,
            DistributionDataPoint bytes,
            DistributionDataPoint seconds) {}

    private synchronized Series seriesOf(String graph) {
        if (named.size() < GraphMetrics.NAMED_MAX) {
            named.add(graph);
        }
        String label = named.contains(graph) ? graph : GraphMetrics.OTHERS;
        return new Series(
                changes.labelValues(label),
                eventBytes.labelValues(label),
                groupEvents.labelValues(label),
                groupBytes.labelValues(label),
                sync.labelValues(label));
    }
}
