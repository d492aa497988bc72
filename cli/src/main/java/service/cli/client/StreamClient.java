package service.cli.client;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.OutputStream;
import java.util.List;
import org.jspecify.annotations.Nullable;
import service.cli.client.GraphClient.Target;
import service.cli.client.Transport.Request;
import service.core.json.Json;

/** Copies what a {@link GraphClient} answers in bytes. One thread, as its client. */
public final class StreamClient {
    private static final String ARROW = "application/vnd.apache.arrow.stream";

    private final GraphClient graph;

    StreamClient(GraphClient graph) {
        this.graph = graph;
    }

    /** Streams a state as NDJSON. */
    public void export(Target target, List<String> typeNames, OutputStream into) {
        graph.copy(Request.of("POST", "export").body(body(target, typeNames)), "export", into);
    }

    /** Streams a state as Arrow streams, one for each type, one after the other. */
    public void tables(Target target, List<String> typeNames, OutputStream into) {
        Request request = Request.of("POST", "export").header("Accept", ARROW);
        graph.copy(request.body(body(target, typeNames)), "export", into);
    }

    private static ObjectNode body(Target target, List<String> typeNames) {
        ObjectNode body = Json.object();
        target.addTo(body);
        typeNames.forEach(body.withArray("type_names")::add);
        return body;
    }

    /**
     * Runs a read and copies its rows as an Arrow stream.
     *
     * @param body of {@code POST /query}, or of {@code POST /queries/{name}}
     * @param name the stored query; null where the body has a source
     */
    public void rows(@Nullable String name, ObjectNode body, OutputStream into) {
        Request request = name == null ? Request.of("POST", "query") : Request.of("POST", "queries", name);
        graph.copy(request.header("Accept", ARROW).body(body), "answer", into);
    }
}
