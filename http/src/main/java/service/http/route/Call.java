package service.http.route;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.InputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import service.core.budget.RequestBudget;
import service.core.cluster.ServedCluster;
import service.core.error.ServiceException;
import service.core.graph.Graph;
import service.core.graph.request.ReadTarget;
import service.core.graph.request.Settings;
import service.core.graph.request.WriteTerms;
import service.core.value.Ulid;
import service.http.auth.Caller;

/**
 * A request that passed every check before its body, as its handler sees it. Used by one thread after the other.
 *
 * @param graph the graph of a graph route; null on others
 * @param condition the value of {@code Service-If-Graph-Commit} where the route takes it
 * @param key the value of {@code Idempotency-Key} where the route takes it
 * @param bytes a buffered body is {@code bytes[0 .. length)}
 * @param stream the body of a streamed route
 * @param budget what the request may use of the process; closed when its answer is sent
 * @param headers the values of a request header, by name; empty when it is absent
 */
public record Call(
        ServedCluster cluster,
        Caller caller,
        Route route,
        List<String> segments,
        Map<String, List<String>> parameters,
        @Nullable Graph graph,
        @Nullable String condition,
        @Nullable String key,
        byte[] bytes,
        int length,
        @Nullable InputStream stream,
        RequestBudget budget,
        boolean isHead,
        Function<String, List<String>> headers) {
    /** The first value of a header, or null. */
    @Nullable
    String firstHeader(String name) {
        List<String> values = headers.apply(name);
        return values.isEmpty() ? null : values.getFirst();
    }

    /** The value of the template's variable. */
    String variable(String name) {
        int index = route.endpoint().template().indexOf(name);
        return segments.get(index);
    }

    /** A query parameter, or null. */
    @Nullable
    String parameter(String name) {
        List<String> values = parameters.get(name);
        return values == null ? null : values.getFirst();
    }

    /** The values of a repeatable query parameter, in their order. */
    List<String> parameters(String name) {
        return parameters.getOrDefault(name, List.of());
    }

    /** The process's settings with those of {@code set=name=value} over them. */
    Settings querySettings() {
        List<String> given = parameters("set");
        if (given.isEmpty()) {
            return requireGraph().settings();
        }
        ObjectNode settings = JsonNodeFactory.instance.objectNode();
        for (String pair : given) {
            int equals = pair.indexOf('=');
            if (equals < 1) {
                throw ServiceException.badRequest("query parameter `set` must be name=value, not `" + pair + "`");
            }
            String name = pair.substring(0, equals);
            String value = pair.substring(equals + 1);
            if (settings.has(name)) {
                throw ServiceException.badRequest("setting `" + name + "` stands twice; give it once");
            }
            if (value.matches("-?[0-9]{1,18}")) {
                settings.put(name, Long.parseLong(value));
            } else {
                settings.put(name, value);
            }
        }
        return requireGraph().settings().withRequest(settings);
    }

    /** {@code branch | snapshot | branch as_of} of the query string. */
    ReadTarget target() {
        return ReadTarget.of(parameter("branch"), parameter("snapshot"), parameter("as_of"));
    }

    /** The values of a request header, one for each time it stands. */
    List<String> header(String name) {
        return headers.apply(name);
    }

    Graph requireGraph() {
        if (graph == null) {
            throw new IllegalStateException(
                    "not a graph route: " + route.endpoint().path());
        }
        return graph;
    }

    /** The body as a strict JSON object with these fields and no others. */
    Fields fields(String... known) {
        return Fields.parse(body(), known);
    }

    byte[] body() {
        return length == bytes.length ? bytes : Arrays.copyOf(bytes, length);
    }

    /** What a write of this call is given besides its content. */
    WriteTerms terms() {
        return new WriteTerms(caller.actor(), condition, key);
    }

    /**
     * Checks the one form that the conditional header may have.
     *
     * @throws ServiceException BAD_REQUEST for anything but one raw commit id
     */
    public static String requireCommitId(List<String> values) {
        if (values.size() != 1) {
            throw ServiceException.badRequest("header `Service-If-Graph-Commit` stands twice; give it once");
        }
        String value = values.getFirst();
        if (!Ulid.isUlid(value)) {
            throw ServiceException.badRequest("header `Service-If-Graph-Commit` must be one raw commit id, such as"
                    + " 01J00000000000000000000000: no quotes, `W/`, `*` or list");
        }
        return value;
    }
}
