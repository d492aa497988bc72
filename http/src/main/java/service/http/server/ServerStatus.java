package service.http.server;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryUsage;
import java.util.Map;
import service.core.budget.MemoryPool;
import service.core.graph.Graph;
import service.core.json.JsonWriter;
import service.core.port.StorageGauges;
import service.http.limit.Admission;
import service.http.observe.RequestCounters;
import service.http.route.Answer;

/**
 * {@code GET /status}: numbers of this process since its start, for a page that shows them without another service. The
 * metrics for monitoring are served elsewhere ({@link MetricsServer}).
 */
final class ServerStatus {
    private ServerStatus() {}

    static void write(JsonWriter json, ServerContext context, Answer.Status answer) {
        json.beginObject();
        json.field("at").micros(System.currentTimeMillis() * 1_000);
        json.field("uptime_seconds").value(ManagementFactory.getRuntimeMXBean().getUptime() / 1_000);
        requests(json, context);
        routes(json, context.observed().counters());
        memory(json, context.capacity().process().memory());
        json.field("graphs").beginArray();
        context.content().cluster().served().forEach((id, graph) -> {
            if (answer.shown().test(id)) {
                graph(json, id, graph);
            }
        });
        json.endArray().endObject();
    }

    private static void requests(JsonWriter json, ServerContext context) {
        Admission admission = context.capacity().admission();
        json.field("requests").beginObject();
        json.field("executing").value(admission.executing());
        json.field("waiting").value(admission.waiting());
        json.field("streams").value(admission.streams());
        json.field("waiting_consumers").value(context.capacity().consumers().size());
        json.endObject();
    }

    private static void routes(JsonWriter json, RequestCounters counters) {
        json.field("time_bounds_micros").beginArray();
        for (int i = 0; i < RequestCounters.CLASSES - 1; i++) {
            json.value(RequestCounters.boundMicros(i));
        }
        json.endArray();
        Map<RequestCounters.Key, Long> counts = counters.snapshot();
        json.field("routes").beginArray();
        counters.times().forEach((route, times) -> {
            json.beginObject().field("route").string(route);
            json.field("statuses").beginObject();
            counts.forEach((key, count) -> {
                if (key.route().equals(route)) {
                    json.field(Integer.toString(key.status())).value(count);
                }
            });
            json.endObject().field("times").beginArray();
            for (long requests : times) {
                json.value(requests);
            }
            json.endArray().endObject();
        });
        json.endArray();
    }

    private static void memory(JsonWriter json, MemoryPool pool) {
        MemoryUsage heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage();
        json.field("memory").beginObject();
        json.field("heap_bytes").value(heap.getUsed());
        json.field("heap_bytes_max").value(heap.getMax());
        json.field("request_bytes").value(pool.used());
        json.field("request_bytes_max").value(pool.bytesMax());
        json.endObject();
    }

    private static void graph(JsonWriter json, String id, Graph graph) {
        json.beginObject().field("graph_id").string(id);
        StorageGauges gauges = graph.gauges();
        if (gauges != null) {
            json.field("events").value(gauges.events());
            for (StorageGauges.Environment each : gauges.environments()) {
                json.field(each.name() + "_bytes").value(each.fileBytes());
            }
            json.field("disk_free_bytes").value(gauges.diskFreeBytes());
            StorageGauges.WriterGauges writer = gauges.writer();
            if (writer != null) {
                json.field("writer_queue").value(writer.queued());
                json.field("writes").value(writer.commands());
                json.field("writes_refused").value(writer.refused());
                json.field("failing").value(writer.failing());
            }
        }
        json.endObject();
    }
}
