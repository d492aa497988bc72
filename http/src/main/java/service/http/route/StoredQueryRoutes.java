package service.http.route;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.budget.NoWaiting;
import service.core.error.Reason;
import service.core.error.ServiceException;
import service.core.gq.plan.Parameter;
import service.core.gq.plan.Plan;
import service.core.graph.request.Settings;
import service.core.graph.request.StoredQuery;
import service.core.policy.Action;
import service.core.wire.ReadAnswer;
import service.core.wire.StoredQueryJson;
import service.core.wire.WireRecords;

/** {@code /queries}: the list of stored queries and their invocation. */
public final class StoredQueryRoutes {
    static final String NAME = "{name}";

    private StoredQueryRoutes() {}

    static List<Route> routes() {
        return List.of(
                Route.get("/graphs/{graph_id}/queries", Action.INVOKE_QUERY, StoredQueryRoutes::list),
                Route.post(
                                "/graphs/{graph_id}/queries/{name}",
                                Action.INVOKE_QUERY,
                                BodyRule.OPTIONAL_RECORDS_JSON,
                                StoredQueryRoutes::invoke)
                        .with(Route.Condition.REFUSED)
                        .answering(Media.JSON, Media.ARROW)
                        .with(QueryRoutes::isSmall)
                        .withKey(),
                Route.post(
                                "/graphs/{graph_id}/queries/{name}/if-graph-commit",
                                Action.INVOKE_QUERY,
                                BodyRule.OPTIONAL_RECORDS_JSON,
                                StoredQueryRoutes::invokeConditional)
                        .with(Route.Condition.REQUIRED)
                        .with(QueryRoutes::isSmall)
                        .withKey());
    }

    /** Leaves the I/O thread for a worker thread, unless the query is brief. */
    private static void requireBrief(Call call) {
        if (!call.requireGraph().graph().isBriefStored(call.variable(NAME))) {
            NoWaiting.giveUp();
        }
    }

    private static Answer list(Call call) {
        List<StoredQuery> visible = call.requireGraph().storedQueries();
        return Answer.json(json -> StoredQueryJson.write(json, visible));
    }

    private static Answer invoke(Call call) {
        requireBrief(call);
        StoredQuery query = find(call);
        Fields fields = fields(call);
        requireKind(query, fields);
        if (query.plan() instanceof Plan.Mutation) {
            return mutate(call, query, fields);
        }
        if (Notes.of(fields) != null) {
            throw ServiceException.badRequest(
                    "stored query `" + query.name() + "` reads; `message` and `meta` belong to writes");
        }
        Settings settings = call.requireGraph().settings();
        ReadAnswer response = QueryRoutes.answer(call);
        call.requireGraph()
                .queryStored(call.target(fields), query.name(), params(fields), settings, call.budget(), response);
        return Answer.pieces(call.media(), response.pieces());
    }

    private static Answer invokeConditional(Call call) {
        requireBrief(call);
        StoredQuery query = find(call);
        if (query.plan() instanceof Plan.Read) {
            throw ServiceException.badRequest(
                    Reason.WRONG_ROUTE,
                    "stored query `" + query.name() + "` reads; invoke it at /queries/" + query.name());
        }
        Fields fields = fields(call);
        requireKind(query, fields);
        return mutate(call, query, fields);
    }

    private static void requireKind(StoredQuery query, @Nullable Fields fields) {
        if (fields != null) {
            query.requireKind(fields.text("expect"));
            Boolean mutation = fields.flagOrNull("expect_mutation");
            query.requireKind(mutation == null ? null : mutation ? "mutation" : "read");
        }
    }

    private static Answer mutate(Call call, StoredQuery query, @Nullable Fields fields) {
        if (fields != null && (fields.text("snapshot") != null || fields.text("as_of") != null)) {
            throw ServiceException.badRequest("stored query `"
                    + query.name()
                    + "` is a mutation; it takes `branch`, and no `snapshot` or `as_of`");
        }
        return Answer.written(
                call.requireGraph()
                        .mutateStored(
                                call.options(fields),
                                fields == null ? "main" : fields.text("branch", "main"),
                                query.name(),
                                params(fields),
                                call.requireGraph().settings(),
                                call.budget()),
                WireRecords::mutation);
    }

    private static @Nullable Fields fields(Call call) {
        return call.body().isAbsent()
                ? null
                : call.noted("params", "branch", "snapshot", "as_of", "expect", "expect_mutation");
    }

    private static @Nullable ObjectNode params(@Nullable Fields fields) {
        return fields == null ? null : fields.object("params");
    }

    /** The stored query that the path names. */
    private static StoredQuery find(Call call) {
        StoredQuery query = call.requireGraph().storedQuery(call.variable(NAME));
        call.requireUsualSize(() -> query.plan().parameters().stream().anyMatch(Parameter::isRecords));
        return query;
    }
}
