package service.http.route;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import service.core.error.ServiceException;
import service.core.event.CommitKind;
import service.core.graph.GraphAccess;
import service.core.graph.branch.ResolutionJson;
import service.core.graph.branch.UndoRequest;
import service.core.graph.branch.UndoResult;
import service.core.policy.Action;
import service.core.wire.WireRecords;

/** {@code /commits/{ref}/revert}, {@code /commits/{ref}/pick}, {@code /branches/{branch}/restore}. */
final class UndoRoutes {
    private static final String REF = "{ref}";

    private UndoRoutes() {}

    static List<Route> routes() {
        return List.of(
                route("/graphs/{graph_id}/commits/{ref}/revert", BodyRule.OPTIONAL_JSON, UndoRoutes::revert),
                route("/graphs/{graph_id}/commits/{ref}/pick", BodyRule.JSON, UndoRoutes::pick),
                route("/graphs/{graph_id}/branches/{branch}/restore", BodyRule.JSON, UndoRoutes::restore));
    }

    private static Route route(String path, BodyRule body, Route.Handler handler) {
        return Route.post(path, Action.CHANGE, body, handler)
                .with(Route.Condition.OPTIONAL)
                .withKey();
    }

    private static Answer revert(Call call) {
        Fields fields = call.body().isAbsent() ? null : call.noted("branch", "granularity", "resolutions", "dry_run");
        return undo(
                call,
                fields,
                fields == null
                        ? new UndoRequest(
                                CommitKind.REVERT,
                                call.variable(REF),
                                "main",
                                isByProperty(call.requireGraph(), null),
                                false,
                                List.of())
                        : request(CommitKind.REVERT, call, fields, fields.text("branch", "main")));
    }

    private static Answer pick(Call call) {
        Fields fields = call.noted("branch", "granularity", "resolutions", "dry_run");
        return undo(call, fields, request(CommitKind.PICK, call, fields, fields.requireText("branch")));
    }

    private static UndoRequest request(CommitKind kind, Call call, Fields fields, String branch) {
        return new UndoRequest(
                kind,
                call.variable(REF),
                branch,
                isByProperty(call.requireGraph(), fields.text("granularity")),
                fields.flag("dry_run"),
                ResolutionJson.read(fields.array("resolutions")));
    }

    private static Answer restore(Call call) {
        Fields fields = call.noted("to", "dry_run");
        return undo(
                call,
                fields,
                new UndoRequest(
                        CommitKind.RESTORE,
                        fields.requireText("to"),
                        call.variable("{branch}"),
                        false,
                        fields.flag("dry_run"),
                        List.of()));
    }

    private static Answer undo(Call call, @Nullable Fields fields, UndoRequest request) {
        UndoResult result = call.requireGraph().undo(call.options(fields), request, call.budget());
        return Answer.written(CompletableFuture.completedFuture(result), WireRecords::undo);
    }

    private static boolean isByProperty(GraphAccess graph, @Nullable String granularity) {
        return switch (granularity) {
            case null -> graph.settings().mergesProperties();
            case "entity" -> false;
            case "property" -> true;
            default ->
                throw ServiceException.badRequest(
                        "field `granularity` must be entity or property, not `" + granularity + "`");
        };
    }
}
