package service.cli.client;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;
import service.cli.client.Transport.Request;

/** Asks a {@link GraphClient} about tags, schemas and the history of entities. One thread, as its client. */
public final class PastClient {
    private final GraphClient graph;

    PastClient(GraphClient graph) {
        this.graph = graph;
    }

    /**
     * A page of tags by name.
     *
     * @param after begin after this name; null for the first
     */
    public ObjectNode tags(@Nullable String after) {
        return graph.ask(Request.of("GET", "tags").with("after", after));
    }

    public ObjectNode tag(String name) {
        return graph.ask(Request.of("GET", "tags", name));
    }

    public ObjectNode createTag(String name, String ref, @Nullable String message, @Nullable String key) {
        ObjectNode body =
                JsonNodeFactory.instance.objectNode().put("name", name).put("ref", ref);
        if (message != null) {
            body.put("message", message);
        }
        return graph.write(Request.of("POST", "tags").body(body), null, key);
    }

    public ObjectNode deleteTag(String name) {
        return graph.ask(Request.of("DELETE", "tags", name));
    }

    /** The schema of a state as JSON. */
    public ObjectNode catalog(GraphClient.Target target) {
        return graph.ask(GraphClient.target(Request.of("GET", "catalog"), target));
    }

    /**
     * A page of the changes of an entity.
     *
     * @param entity its property is not looked at
     * @param merged whether to look into merged branches as well
     */
    public ObjectNode history(
            GraphClient.Target target, GraphClient.Cell entity, boolean merged, int limit, @Nullable String before) {
        return graph.ask(history(target, entity, merged)
                .with("limit", Integer.toString(limit))
                .with("before", before));
    }

    /** The commits that set the present values of an entity. */
    public ObjectNode blame(GraphClient.Target target, GraphClient.Cell entity, boolean merged) {
        return graph.ask(history(target, entity, merged).with("blame", "true"));
    }

    private static Request history(GraphClient.Target target, GraphClient.Cell entity, boolean merged) {
        Request request = Request.of("GET", "history")
                .with("entity", entity.entity())
                .with("type", entity.type())
                .with("id", entity.id())
                .with("all", merged ? "true" : null);
        return GraphClient.target(request, target);
    }
}
