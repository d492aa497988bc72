package service.http.route;

import java.util.List;
import service.core.error.ServiceException;
import service.core.graph.branch.EntityBlame;
import service.core.graph.branch.EntityHistory;
import service.core.graph.branch.EntityPage;
import service.core.policy.Action;
import service.core.value.EntityKind;
import service.core.wire.EntityJson;

/** {@code /history}: the changes of one entity, and who set its values. */
final class EntityRoutes {
    private static final int LIMIT_DEFAULT = 100;
    private static final String ENTITY = "entity, type and id name one node or edge";

    private EntityRoutes() {}

    static List<Route> routes() {
        return List.of(Route.get("/graphs/{graph_id}/history", Action.READ, EntityRoutes::history)
                .with("entity", "type", "id", "branch", "snapshot", "as_of", "before", "limit", "all", "blame"));
    }

    private static Answer history(Call call) {
        EntityHistory.Entity entity = new EntityHistory.Entity(
                kind(call.requireParameter("entity", ENTITY)),
                call.requireParameter("type", ENTITY),
                call.requireParameter("id", ENTITY));
        EntityHistory.Request request = new EntityHistory.Request(entity, call.target(), call.flag("all"));
        String limit = call.parameter("limit");
        String before = call.parameter("before");
        if (call.flag("blame")) {
            if (limit != null || before != null) {
                throw ServiceException.badRequest(
                        "`blame` shows each present value once; give it without `limit` and `before`");
            }
            EntityBlame blame = call.past().blame(request, call.budget());
            return Answer.json(json -> EntityJson.blame(json, blame));
        }
        EntityPage page = call.past()
                .changesOf(
                        request,
                        HistoryRoutes.limit(limit, LIMIT_DEFAULT, EntityHistory.LIMIT_MAX),
                        call.commitId(before),
                        call.budget());
        return Answer.json(json -> EntityJson.page(json, page));
    }

    private static EntityKind kind(String word) {
        EntityKind kind = EntityKind.ofWireName(word);
        if (kind == null) {
            throw ServiceException.badRequest("`entity` must be node or edge, not `" + word + "`");
        }
        return kind;
    }
}
