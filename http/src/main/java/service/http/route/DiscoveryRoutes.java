package service.http.route;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import service.core.cluster.ServedCluster;
import service.core.json.JsonWriter;
import service.http.auth.token.ProtectedResource;

/** {@code /graphs/discovery}, and with OIDC identities {@code /.well-known/oauth-protected-resource}. */
final class DiscoveryRoutes {
    private DiscoveryRoutes() {}

    /** @param resource what access tokens are for; null without OIDC identities */
    static List<Route> routes(@Nullable ProtectedResource resource) {
        List<Route> routes = new ArrayList<>();
        routes.add(Route.get("/graphs/discovery", null, call -> Answer.json(json -> graphs(json, call.cluster())))
                .forIdentities()
                .with(call -> true));
        if (resource != null) {
            for (String suffix : List.of("", "/mcp")) {
                routes.add(Route.get(
                                ProtectedResource.PATH + suffix,
                                null,
                                call -> Answer.json(json -> metadata(json, resource)))
                        .opened()
                        .with(call -> true));
            }
        }
        return routes;
    }

    /** Every applied graph, also a quarantined one, without its state. */
    private static void graphs(JsonWriter json, ServedCluster cluster) {
        TreeSet<String> ids = new TreeSet<>(cluster.served().keySet());
        ids.addAll(cluster.quarantined().keySet());
        json.beginObject().field("graphs").beginArray();
        for (String id : ids) {
            json.beginObject()
                    .field("graph_id")
                    .string(id)
                    .field("display_name")
                    .string(id)
                    .endObject();
        }
        json.endArray().endObject();
    }

    private static void metadata(JsonWriter json, ProtectedResource resource) {
        json.beginObject().field("resource").string(resource.resource());
        json.field("authorization_servers")
                .beginArray()
                .string(resource.issuer())
                .endArray();
        json.field("bearer_methods_supported").beginArray().string("header").endArray();
        json.endObject();
    }
}
