package service.http.route;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import service.core.error.ServiceException;
import service.core.graph.GraphAccess;
import service.core.graph.branch.MergeRequest;
import service.core.graph.branch.MergeResult;
import service.core.graph.branch.ResolutionJson;
import service.core.graph.request.BranchRecord;
import service.core.graph.request.DeletedBranchRecord;
import service.core.graph.request.MoveRecord;
import service.core.graph.schema.UpgradeRequest;
import service.core.graph.schema.UpgradeResult;
import service.core.policy.Action;
import service.core.wire.MigrationJson;
import service.core.wire.WireRecords;

/** {@code /branches}: list, show, create, delete, merge, upgrade. */
final class BranchRoutes {
    private static final String BRANCH = "{branch}";

    private BranchRoutes() {}

    static List<Route> routes() {
        return List.of(
                Route.get("/graphs/{graph_id}/branches", Action.READ, BranchRoutes::list)
                        .with("deleted", "limit", "before"),
                Route.post("/graphs/{graph_id}/branches", Action.BRANCH_CREATE, BodyRule.JSON, BranchRoutes::create),
                Route.post("/graphs/{graph_id}/branches/merge", Action.BRANCH_MERGE, BodyRule.JSON, BranchRoutes::merge)
                        .withKey(),
                Route.post(
                                "/graphs/{graph_id}/branches/{branch}/upgrade",
                                Action.SCHEMA_APPLY,
                                BodyRule.OPTIONAL_JSON,
                                BranchRoutes::upgrade)
                        .with(Route.Condition.OPTIONAL)
                        .withKey(),
                Route.get("/graphs/{graph_id}/branches/{branch}", Action.READ, BranchRoutes::show),
                Route.get("/graphs/{graph_id}/branches/{branch}/moves", Action.READ, BranchRoutes::moves)
                        .with("limit", "before"),
                Route.delete("/graphs/{graph_id}/branches/{branch}", Action.BRANCH_DELETE, BranchRoutes::delete)
                        .withNote());
    }

    private static Answer list(Call call) {
        if (call.flag("deleted")) {
            Long before = before(call, Integer.MAX_VALUE);
            DeletedBranchRecord.Page page = call.log()
                    .deletedBranches(
                            HistoryRoutes.limit(call.parameter("limit")), before == null ? null : before.intValue());
            return Answer.json(json -> WireRecords.deletedBranches(json, page));
        }
        if (call.parameter("limit") != null || call.parameter("before") != null) {
            throw ServiceException.badRequest(
                    "`limit` and `before` are for `deleted=true`; the list of branches has one page");
        }
        List<BranchRecord> branches = call.requireGraph().branches();
        return Answer.json(json -> WireRecords.branches(json, branches));
    }

    private static Answer show(Call call) {
        BranchRecord branch = call.requireGraph().branch(call.variable(BRANCH));
        return Answer.json(json -> WireRecords.branch(json, branch));
    }

    private static Answer moves(Call call) {
        MoveRecord.Page page = call.log()
                .moves(
                        call.variable(BRANCH),
                        HistoryRoutes.limit(call.parameter("limit")),
                        before(call, Long.MAX_VALUE));
        return Answer.json(json -> WireRecords.moves(json, page));
    }

    /** The number that an earlier page gave as {@code next_before}; null for the first page. */
    private static @Nullable Long before(Call call, long max) {
        String text = call.parameter("before");
        if (text == null) {
            return null;
        }
        if (text.matches("[0-9]{1,18}") && Long.parseLong(text) <= max) {
            return Long.parseLong(text);
        }
        throw ServiceException.badRequest("`before` must be the `next_before` of a page, not `" + text + "`");
    }

    private static Answer create(Call call) {
        Fields fields = call.noted("name", "from");
        GraphAccess graph = call.requireGraph();
        String name = fields.requireText("name");
        return new Answer.Async<>(
                graph.createBranch(
                        name,
                        graph.base(name, fields.text("from", "main"), call.budget()),
                        call.options(fields).note()),
                branch -> Answer.json(
                        201, json -> WireRecords.branch(json, branch), Map.of("Location", location(graph, branch))));
    }

    private static Answer delete(Call call) {
        return Answer.async(
                call.requireGraph().deleteBranch(call.variable(BRANCH), Notes.ofHeaders(call)),
                (json, branch) -> WireRecords.branch(json, branch));
    }

    private static Answer merge(Call call) {
        Fields fields = call.noted(
                "source", "target", "delete_branch", "dry_run", "no_ff", "squash", "resolutions", "settings");
        GraphAccess graph = call.requireGraph();
        MergeRequest request = new MergeRequest(
                fields.requireText("source"),
                fields.text("target", "main"),
                fields.flag("delete_branch"),
                fields.flag("dry_run"),
                fields.flag("squash")
                        ? MergeRequest.Form.SQUASH
                        : fields.flag("no_ff") ? MergeRequest.Form.COMMIT : MergeRequest.Form.ANY,
                ResolutionJson.read(fields.array("resolutions")));
        MergeResult result = graph.merge(
                call.options(fields), request, graph.settings().withRequest(fields.object("settings")), call.budget());
        return Answer.written(CompletableFuture.completedFuture(result), WireRecords::merge);
    }

    private static Answer upgrade(Call call) {
        Fields fields = call.body().isAbsent() ? null : call.noted("allow_drop", "dry_run");
        UpgradeRequest request = new UpgradeRequest(
                call.variable(BRANCH),
                fields == null ? Set.of() : Set.copyOf(fields.texts("allow_drop")),
                fields != null && fields.flag("dry_run"));
        UpgradeResult result = call.requireGraph().upgrade(call.options(fields), request, call.budget());
        return Answer.written(CompletableFuture.completedFuture(result), MigrationJson::upgrade);
    }

    private static String location(GraphAccess graph, BranchRecord branch) {
        return "/graphs/" + graph.id() + "/branches/" + URLEncoder.encode(branch.name(), StandardCharsets.UTF_8);
    }
}
