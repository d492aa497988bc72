package service.http.route;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import service.core.cluster.ServedCluster;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.graph.Graph;
import service.core.json.JsonWriter;
import service.core.policy.Action;
import service.core.policy.Caller;
import service.core.port.FollowLag;

/** {@code /healthz}, {@code /readyz}, {@code /graphs}, {@code /status}, {@code /permissions}. */
final class ServerRoutes {
    private static final Action[] OF_A_GRAPH = Arrays.stream(Action.values())
            .filter(action -> !action.isOfCluster())
            .toArray(Action[]::new);

    private ServerRoutes() {}

    static List<Route> routes(String version) {
        return List.of(
                Route.get("/healthz", null, call -> Answer.json(json -> health(json, version)))
                        .opened()
                        .with(call -> true),
                Route.get("/readyz", null, ServerRoutes::ready)
                        .opened()
                        .with("store")
                        .with(call -> true),
                Route.get("/graphs", Action.GRAPH_LIST, call -> Answer.json(json -> graphs(json, call)))
                        .with(call -> true),
                Route.get(
                        "/status",
                        Action.GRAPH_LIST,
                        call -> new Answer.Status(
                                id -> call.rights().credential().allows(id, Action.GRAPH_LIST))),
                Route.get("/graphs/{graph_id}/permissions", Action.READ, ServerRoutes::permissions)
                        .orWith(OF_A_GRAPH)
                        .with("branch"));
    }

    /** What the caller may do: on some branch, or on the one that is named, whether it exists or not. */
    private static Answer permissions(Call call) {
        Caller caller = call.requireGraph().caller();
        String branch = call.parameter("branch");
        return Answer.json(json -> {
            json.beginObject();
            json.field("actor_id").string(caller.actor());
            json.field("actions").beginArray();
            for (Action action : OF_A_GRAPH) {
                if (branch == null ? caller.may(action) : caller.may(action, branch)) {
                    json.string(action.wireName());
                }
            }
            json.endArray();
            if (branch != null) {
                json.field("branch").string(branch);
                json.field("protected").value(caller.isProtected(branch));
            }
            json.endObject();
        });
    }

    private static void health(JsonWriter json, String version) {
        json.beginObject()
                .field("status")
                .string("ok")
                .field("version")
                .string(version)
                .endObject();
    }

    /** A server whose store is silent answers reads still, so only a caller who asks for the store is refused. */
    private static Answer ready(Call call) {
        String store = call.parameter("store");
        if (store != null && !store.equals("required")) {
            throw new ServiceException(ErrorCode.BAD_REQUEST, "`store` can only be `required`");
        }
        long silent = call.cluster().served().values().stream()
                .filter(Graph::isStoreSilent)
                .count();
        if (store != null && silent > 0) {
            throw new ServiceException(
                    ErrorCode.NOT_YET_HERE,
                    "the store has not answered for some seconds: this server reads what it has, and cannot write");
        }
        return Answer.json(json -> ready(json, call.cluster(), silent));
    }

    private static void ready(JsonWriter json, ServedCluster cluster, long silent) {
        json.beginObject().field("status").string("ready");
        json.field("applied_digest").string(cluster.appliedDigest());
        json.field("ledger_revision").value(cluster.ledgerRevision());
        json.field("ledger_cas").string(cluster.ledgerCas());
        int withheld = cluster.withheld().size();
        json.field("served_graphs")
                .value(cluster.served().size() + cluster.quarantined().size() - withheld);
        json.field("quarantined_graphs").value(withheld);
        json.field("damaged_graphs").value(cluster.damaged().size());
        if (silent > 0) {
            json.field("silent_graphs").value(silent);
        }
        lag(json, cluster);
        json.endObject();
    }

    /** How far a server that only reads is behind, by graph; a server that writes has no such member. */
    private static void lag(JsonWriter json, ServedCluster cluster) {
        Map<String, FollowLag> lags = new TreeMap<>();
        cluster.served().forEach((id, graph) -> {
            FollowLag lag = graph.lag();
            if (lag != null) {
                lags.put(id, lag);
            }
        });
        if (lags.isEmpty()) {
            return;
        }
        json.field("lag").beginObject();
        lags.forEach((id, lag) -> json.field(id)
                .beginObject()
                .field("commits")
                .value(lag.commits())
                .field("seconds")
                .value(lag.seconds())
                .endObject());
        json.endObject();
    }

    /** Lists the graphs; a restricted credential sees those for which it grants {@code graph_list}. */
    private static void graphs(JsonWriter json, Call call) {
        ServedCluster cluster = call.cluster();
        Map<String, String> withheld = cluster.withheld();
        TreeMap<String, String> reasons = new TreeMap<>();
        cluster.served().keySet().forEach(id -> reasons.put(id, ""));
        reasons.putAll(cluster.damaged());
        reasons.putAll(withheld);
        reasons.keySet().removeIf(id -> !call.rights().credential().allows(id, Action.GRAPH_LIST));
        json.beginObject().field("graphs").beginArray();
        reasons.forEach((id, reason) -> {
            json.beginObject()
                    .field("graph_id")
                    .string(id)
                    .field("display_name")
                    .string(id);
            json.field("state").string(withheld.containsKey(id) ? "quarantined" : "served");
            if (!reason.isEmpty()) {
                json.field("reason").string(reason);
            }
            json.endObject();
        });
        json.endArray().endObject();
    }
}
