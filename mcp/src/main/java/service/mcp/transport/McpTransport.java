package service.mcp.transport;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.modelcontextprotocol.common.McpTransportContext;
import io.modelcontextprotocol.json.schema.JsonSchemaValidator;
import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.server.McpStatelessServerFeatures.SyncToolSpecification;
import io.modelcontextprotocol.server.McpStatelessServerHandler;
import io.modelcontextprotocol.spec.HttpHeaders;
import io.modelcontextprotocol.spec.McpError;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpStatelessServerTransport;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import service.core.error.ServiceException;
import service.core.json.Json;
import service.http.limit.Limits;
import service.http.route.Answer;
import service.http.route.Call;
import service.mcp.tool.GraphTool;

/**
 * Streamable HTTP without sessions: each POST carries one JSON-RPC message, and a request is answered with one JSON
 * body. The SDK interprets the requests; it runs each on the thread of its HTTP request. Notifications do not reach it,
 * because it would log a warning for each. Any thread.
 */
public final class McpTransport implements McpStatelessServerTransport {
    private static final String JSONRPC = "2.0";
    private static final String CANCELLED = "notifications/cancelled";
    private static final byte[] NO_BODY = {};
    private static final int ACCEPTED = 202;

    private static final String INSTRUCTIONS = """
            Read-only access to graphs through stored reads. Call `graphs` for the ids of the graphs, then `queries` with \
            one of them for the stored reads that you may run and their parameters, then `query` with the name of one.\
            """;

    /** Tools check their arguments themselves, with the messages of HTTP requests. */
    private static final JsonSchemaValidator UNCHECKED =
            (schema, value) -> JsonSchemaValidator.ValidationResponse.asValid(null);

    private final QuietMapper mapper = new QuietMapper();
    private final ToolCalls calls;
    private @Nullable McpStatelessServerHandler handler;

    private McpTransport(Limits limits) {
        this.calls = new ToolCalls(mapper, limits);
    }

    /**
     * A transport with a server of the SDK behind it.
     *
     * @param version what the server reports to clients
     */
    public static McpTransport serving(List<GraphTool> tools, String version, Limits limits) {
        McpTransport transport = new McpTransport(limits);
        var unused = McpServer.sync(transport)
                .serverInfo("service", version)
                .instructions(INSTRUCTIONS)
                .capabilities(
                        McpSchema.ServerCapabilities.builder().tools(false).build())
                .jsonMapper(transport.mapper)
                .jsonSchemaValidator(UNCHECKED)
                .validateToolInputs(false)
                .immediateExecution(true)
                .tools(tools.stream().map(transport::specification).toList())
                .build();
        return transport;
    }

    private SyncToolSpecification specification(GraphTool tool) {
        GraphTool.Definition definition = tool.definition();
        McpSchema.Tool shown = McpSchema.Tool.builder(definition.name(), schema(definition.input()))
                .title(definition.title())
                .description(definition.description())
                .outputSchema(schema(definition.output()))
                .annotations(McpSchema.ToolAnnotations.builder()
                        .title(definition.title())
                        .readOnlyHint(true)
                        .destructiveHint(false)
                        .idempotentHint(true)
                        .openWorldHint(false)
                        .build())
                .build();
        return new SyncToolSpecification(
                shown,
                (context, request) -> calls.run(tool, (McpRequest) context.get(McpRequest.KEY), request.arguments()));
    }

    @SuppressWarnings("unchecked")
    private Map<String, Object> schema(String text) {
        return mapper.convertValue(Json.read(text, "the schema"), Map.class);
    }

    @Override
    public void setMcpHandler(McpStatelessServerHandler given) {
        handler = given;
    }

    /** Number of tool calls that were refused because too many were running. */
    public long refused() {
        return calls.refused();
    }

    /** Closing is up to the HTTP server. */
    @Override
    public Mono<Void> closeGracefully() {
        return Mono.empty();
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
        ObjectNode message = Json.readObject(body, "the request body");
        JsonNode method = message.path("method");
        if (!message.path("jsonrpc").asText().equals(JSONRPC) || !method.isTextual()) {
            throw ServiceException.badRequest("the request body must be one JSON-RPC 2.0 request or notification");
        }
        JsonNode params = message.get("params");
        if (!message.has("id")) {
            if (method.textValue().equals(CANCELLED) && params != null) {
                cancel(call, params.path("requestId"));
            }
            return Answer.whole(ACCEPTED, NO_BODY);
        }
        Object id = id(message.path("id"));
        if (id == null) {
            throw ServiceException.badRequest("`id` must be a string or an integer");
        }
        McpRequest request = new McpRequest(call, id);
        McpSchema.JSONRPCResponse response =
                respond(request, new McpSchema.JSONRPCRequest(JSONRPC, method.textValue(), id, params));
        request.throwFailure();
        return Answer.whole(200, mapper.writeValueAsBytes(response));
    }

    private McpSchema.JSONRPCResponse respond(McpRequest request, McpSchema.JSONRPCRequest message) {
        McpTransportContext context = McpTransportContext.create(Map.of(McpRequest.KEY, request));
        try {
            McpSchema.JSONRPCResponse response = Objects.requireNonNull(handler)
                    .handleRequest(context, message)
                    .block();
            return Objects.requireNonNull(response);
        } catch (McpError refusal) {
            return McpSchema.JSONRPCResponse.error(message.id(), refusal.getJsonRpcError());
        }
    }

    private void cancel(Call call, JsonNode requestId) {
        Object id = id(requestId);
        if (id != null) {
            calls.cancel(call.rights().credential().actor(), id);
        }
    }

    /** A request id; null for what is none. */
    private static @Nullable Object id(JsonNode node) {
        if (node.isTextual()) {
            return node.textValue();
        }
        return node.isIntegralNumber() && node.canConvertToLong() ? (Object) node.longValue() : null;
    }

    private void requireVersion(@Nullable String version) {
        if (version != null && !protocolVersions().contains(version)) {
            throw ServiceException.badRequest("header `MCP-Protocol-Version` must be one of "
                    + String.join(", ", protocolVersions()) + ", not `" + version + "`");
        }
    }
}
