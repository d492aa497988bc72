package service.http.route;

import service.http.auth.ResourceGate;
import service.http.auth.token.ProtectedResource;

/** {@code POST /mcp}, with the checks before its handler. The module {@code mcp} provides the handler. */
public final class McpEndpoint {
    public static final String PATH = "/mcp";

    private McpEndpoint() {}

    /**
     * The route.
     *
     * @param resource what access tokens are for
     * @throws service.core.error.StartRefusedException {@code trust_invalid} when the address of the resource has no
     *     valid host
     */
    public static Route route(ProtectedResource resource, Route.Handler handler) {
        return Route.post(PATH, null, BodyRule.MCP_JSON, handler).guardedBy(new ResourceGate(resource));
    }
}
