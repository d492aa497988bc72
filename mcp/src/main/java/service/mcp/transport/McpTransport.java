package service.mcp.transport;

import io.modelcontextprotocol.spec.HttpHeaders;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import service.core.error.ServiceException;
import service.core.json.Json;
import service.http.limit.Limits;
import service.http.route.Answer;
import service.http.route.Call;
import service.mcp.tool.GraphTool;

/**
 * Streamable HTTP without sessions: each POST carries one JSON-RPC message, and a request is answered with one JSON
 * body, on the thread of its HTTP request. Any thread.
 */
public final class McpTransport {
    private static final byte[] NO_BODY = {};
    private static final int ACCEPTED = 202;

    private static final String INSTRUCTIONS = """
            Read-only access to graphs through stored reads. Call `graphs` for the ids of the graphs, then `queries` with \
            one of them for the stored reads that you may run and their parameters, then `query` with the name of one.\
            """;

    private final QuietMapper mapper = new QuietMapper();
    private final ToolCalls calls;
    private final ToolServer<McpRequest> server;

    /**
     * A transport with a server of the SDK behind it.
     *
     * @param version what the server reports to clients
     */
    public McpTransport(List<GraphTool> tools, String version, Limits limits) {
        this.calls = new ToolCalls(mapper, limits);
        this.server = ToolServer.of(tools, version, INSTRUCTIONS, mapper, calls::run);
    }

    /** Number of tool calls that were refused because too many were running. */
    public long refused() {
        return calls.refused();
    }

    /**
     * Answers one POST, on its worker thread.
     *
     * @throws ServiceException BAD_REQUEST for a body that is no JSON-RPC request or notification, and for a protocol
     *     version that the SDK does not know
     */
    public Answer answer(Call call) throws IOException {
        requireVersion(call.firstHeader(HttpHeaders.PROTOCOL_VERSION));
        byte[] body = call.body().exactBytes();
        call.budget().memory().charge(Json.treeBytes(body), "the request body", "send less at a time");
        JsonRpc message = JsonRpc.of(Json.read(body, "the request body"), "the request body");
        if (message.id() == null) {
            Object cancelled = message.cancelled();
            if (cancelled != null) {
                calls.cancel(call.rights().credential().actor(), cancelled);
            }
            return Answer.whole(ACCEPTED, NO_BODY);
        }
        McpRequest request = new McpRequest(call, Objects.requireNonNull(message.id()));
        byte[] response = mapper.writeValueAsBytes(server.respond(request, message));
        request.throwFailure();
        return Answer.whole(200, response);
    }

    private void requireVersion(@Nullable String version) {
        List<String> known = server.protocolVersions();
        if (version != null && !known.contains(version)) {
            throw ServiceException.badRequest("header `MCP-Protocol-Version` must be one of " + String.join(", ", known)
                    + ", not `" + version + "`");
        }
    }
}
