package service.http.route;

import java.util.List;
import java.util.Map;

/** {@code /openapi.json}. The document does not list this route. */
final class OpenApiRoutes {
    private OpenApiRoutes() {}

    /** @param authenticated whether the server asks for credentials */
    static List<Route> routes(boolean authenticated) {
        byte[] document = OpenApiDocument.served(authenticated);
        return List.of(Route.get("/openapi.json", null, call -> new Answer.Whole(200, document, Map.of()))
                .opened());
    }
}
