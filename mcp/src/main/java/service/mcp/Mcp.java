package service.mcp;

import java.util.List;
import service.http.auth.token.ProtectedResource;
import service.http.limit.Limits;
import service.http.route.McpEndpoint;
import service.http.route.Route;
import service.mcp.tool.GraphsTool;
import service.mcp.tool.QueriesTool;
import service.mcp.tool.QueryTool;
import service.mcp.transport.McpTransport;

/** The MCP server of a process ({@code docs/mcp.md}). Any thread. */
public final class Mcp {
    private final McpTransport transport;

    /** @param version what the server reports to clients */
    public Mcp(String version, Limits limits) {
        this.transport =
                new McpTransport(List.of(new GraphsTool(), new QueriesTool(), new QueryTool()), version, limits);
    }

    /**
     * The route {@code POST /mcp}, for servers with OIDC identities.
     *
     * @param resource what access tokens are for
     * @throws service.core.error.StartRefusedException {@code trust_invalid} when the address of the resource has no
     *     valid host
     */
    public Route route(ProtectedResource resource) {
        return McpEndpoint.route(resource, transport::answer);
    }

    /** Number of tool calls that were refused because too many were running. */
    public long refused() {
        return transport.refused();
    }
}
