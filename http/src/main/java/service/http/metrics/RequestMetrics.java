package service.http.metrics;

import io.prometheus.metrics.core.datapoints.DistributionDataPoint;
import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import service.http.observe.RequestMeter;

/**
 * Counts and times requests. The labels are bounded: methods of the API or {@code other}, templates of routes or
 * {@code unknown}, and status codes. Any thread.
 */
final class RequestMetrics implements RequestMeter {
    private static final Set<String> METHODS = Set.of("GET", "HEAD", "POST", "DELETE");
    private static final String OTHER = "other";
    private static final double NANOS = 1e9;

    /** Seconds: from a point lookup on the I/O thread to the longest allowed query. */
    private static final double[] SECONDS = {
        0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60
    };

    private record Key(String method, String route, int status) {}

    private final Histogram seconds;

    /** The library finds a data point by a list of labels, which costs more than this look-up. */
    private final ConcurrentHashMap<Key, DistributionDataPoint> points = new ConcurrentHashMap<>();

    RequestMetrics(PrometheusRegistry registry) {
        seconds = Histogram.builder()
                .name("service_http_request_duration_seconds")
                .help("Time of requests from their headers to the end of their answer, waiting included.")
                .labelNames("method", "route", "status")
                .classicOnly()
                .classicUpperBounds(SECONDS)
                .withoutExemplars()
                .register(registry);
        // The histogram counts already; a second counter would cost each request more.
        CounterWithCallback.builder()
                .name("service_http_requests_total")
                .help("Requests that have ended, by method, route template and status; status 0 is a connection that"
                        + " was closed before the answer was whole.")
                .labelNames("method", "route", "status")
                .callback(to -> points.forEach((key, time) ->
                        to.call((double) time.getCount(), key.method, key.route, Integer.toString(key.status))))
                .register(registry);
    }

    @Override
    public void finished(String method, String route, int status, long nanos) {
        DistributionDataPoint point = points.get(new Key(method, route, status));
        if (point == null) {
            point = point(METHODS.contains(method) ? method : OTHER, route, status);
        }
        point.observe(nanos / NANOS);
    }

    /** A method that is not of the API gets no entry, so clients cannot make the map grow. */
    private DistributionDataPoint point(String method, String route, int status) {
        return points.computeIfAbsent(
                new Key(method, route, status), key -> seconds.labelValues(method, route, Integer.toString(status)));
    }
}
