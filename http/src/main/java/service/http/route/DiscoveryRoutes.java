package service.http.route;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.json.JsonWriter;
import service.http.auth.token.ProtectedResource;

/** {@code /graphs/discovery}, and with OIDC identities {@code /.well-known/oauth-protected-resource}. */
final class DiscoveryRoutes {
    private DiscoveryRoutes() {}

    /** @param resource what access tokens are for; null without OIDC identities */
    static List<Route> routes(@Nullable ProtectedResource resource) {
        List<Route> routes = new ArrayList<>();
        routes.add(Route.get(
                        "/graphs/discovery", null, call -> Answer.json(json -> GraphList.write(json, call.cluster())))
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

    private static void metadata(JsonWriter json, ProtectedResource resource) {
        json.beginObject().field("resource").string(resource.resource());
        json.field("authorization_servers")
                .beginArray()
                .string(resource.issuer())
                .endArray();
        if (!resource.scopes().isEmpty()) {
            json.field("scopes_supported").beginArray();
            resource.scopes().forEach(json::string);
            json.endArray();
        }
        json.field("bearer_methods_supported").beginArray().string("header").endArray();
        json.endObject();
    }
}
