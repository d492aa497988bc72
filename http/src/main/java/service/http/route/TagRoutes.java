package service.http.route;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import service.core.event.Note;
import service.core.graph.GraphAccess;
import service.core.graph.branch.Tags;
import service.core.graph.request.TagPage;
import service.core.graph.request.TagRecord;
import service.core.policy.Action;
import service.core.wire.TagJson;

/** {@code /tags}: list, show, create, delete. */
final class TagRoutes {
    private static final String NAME = "{name}";

    private TagRoutes() {}

    static List<Route> routes() {
        return List.of(
                Route.get("/graphs/{graph_id}/tags", Action.READ, TagRoutes::list)
                        .with("limit", "after"),
                Route.post("/graphs/{graph_id}/tags", Action.BRANCH_CREATE, BodyRule.JSON, TagRoutes::create)
                        .withKey(),
                Route.get("/graphs/{graph_id}/tags/{name}", Action.READ, TagRoutes::show),
                Route.delete("/graphs/{graph_id}/tags/{name}", Action.BRANCH_DELETE, TagRoutes::delete)
                        .withKey());
    }

    private static Answer list(Call call) {
        int limit = HistoryRoutes.limit(call.parameter("limit"), Tags.LIMIT_MAX, Tags.LIMIT_MAX);
        TagPage page = call.past().tags(limit, call.parameter("after"));
        return Answer.json(json -> TagJson.tags(json, page));
    }

    private static Answer show(Call call) {
        TagRecord tag = call.past().tag(call.variable(NAME));
        return Answer.json(json -> TagJson.tag(json, tag));
    }

    private static Answer create(Call call) {
        Fields fields = call.fields("name", "ref", "message");
        GraphAccess graph = call.requireGraph();
        return new Answer.Async<>(
                call.past()
                        .createTag(
                                call.options(Note.of(fields.text("message"), Map.of())),
                                fields.requireText("name"),
                                fields.requireText("ref"),
                                call.budget()),
                tag -> created(graph, tag));
    }

    private static Answer created(GraphAccess graph, TagRecord tag) {
        Map<String, String> headers = new HashMap<>(tag.replayed() ? Answer.REPLAYED : Map.of());
        headers.put(
                "Location", "/graphs/" + graph.id() + "/tags/" + URLEncoder.encode(tag.name(), StandardCharsets.UTF_8));
        return Answer.json(201, json -> TagJson.tag(json, tag), headers);
    }

    private static Answer delete(Call call) {
        return Answer.written(call.past().deleteTag(call.options((Note) null), call.variable(NAME)), TagJson::tag);
    }
}
