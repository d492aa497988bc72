package service.http.route;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code /openapi.json}. The document does not list this route. */
final class OpenApiRoutes {
    private OpenApiRoutes() {}

    /** @param authenticated whether the server asks for credentials */
    static List<Route> routes(boolean authenticated) {
        Document document = new Document(authenticated);
        return List.of(Route.get("/openapi.json", null, call -> Answer.whole(200, document.bytes()))
                .opened());
    }

    /** The document, made for the first request, because a start need not wait for it. Any thread. */
    private static final class Document {
        private final boolean authenticated;
        private byte @Nullable [] made;

        Document(boolean authenticated) {
            this.authenticated = authenticated;
        }

        synchronized byte[] bytes() {
            if (made == null) {
                made = OpenApiDocument.served(authenticated);
            }
            return made;
        }
    }
}
