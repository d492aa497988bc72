package service.mcp.transport;

import io.modelcontextprotocol.common.McpTransportContext;
import io.modelcontextprotocol.json.schema.JsonSchemaValidator;
import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.server.McpStatelessServerFeatures.SyncToolSpecification;
import io.modelcontextprotocol.server.McpStatelessServerHandler;
import io.modelcontextprotocol.spec.McpError;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpStatelessServerTransport;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import service.core.json.Json;
import service.mcp.tool.Tool;

/**
 * Tools as a server of the SDK, which interprets requests on the thread that brings them. Notifications do not reach
 * it, because it would log a warning for each. Any thread.
 *
 * @param <R> a request on its way to a tool
 */
final class ToolServer<R> implements McpStatelessServerTransport {
    /** Runs a call of a tool. */
    interface Caller<R, C> {
        McpSchema.CallToolResult call(Tool<C> tool, R request, @Nullable Map<String, Object> arguments);
    }

    /** The name of the request in the transport context of the SDK. */
    private static final String KEY = "request";

    /** Tools check their arguments themselves, with the messages of HTTP requests. */
    private static final JsonSchemaValidator UNCHECKED =
            (schema, value) -> JsonSchemaValidator.ValidationResponse.asValid(null);

    private final QuietMapper mapper;
    private @Nullable McpStatelessServerHandler handler;

    private ToolServer(QuietMapper mapper) {
        this.mapper = mapper;
    }

    /**
     * A server of these tools.
     *
     * @param version what the server reports to clients
     * @param instructions tell an agent how the tools belong together
     */
    static <R, C> ToolServer<R> of(
            List<? extends Tool<C>> tools,
            String version,
            String instructions,
            QuietMapper mapper,
            Caller<R, C> caller) {
        ToolServer<R> server = new ToolServer<>(mapper);
        var unused = McpServer.sync(server)
                .serverInfo("service", version)
                .instructions(instructions)
                .capabilities(
                        McpSchema.ServerCapabilities.builder().tools(false).build())
                .jsonMapper(mapper)
                .jsonSchemaValidator(UNCHECKED)
                .validateToolInputs(false)
                .immediateExecution(true)
                .tools(tools.stream()
                        .map(tool -> server.specification(tool, caller))
                        .toList())
                .build();
        return server;
    }

    @SuppressWarnings("unchecked")
    private <C> SyncToolSpecification specification(Tool<C> tool, Caller<R, C> caller) {
        Tool.Definition definition = tool.definition();
        McpSchema.Tool shown = McpSchema.Tool.builder(definition.name(), schema(definition.input()))
                .title(definition.title())
                .description(definition.description())
                .outputSchema(schema(definition.output()))
                .annotations(McpSchema.ToolAnnotations.builder()
                        .title(definition.title())
                        .readOnlyHint(definition.effect() == Tool.Effect.READ)
                        .destructiveHint(definition.effect() == Tool.Effect.CHANGE)
                        .idempotentHint(definition.effect() == Tool.Effect.READ)
                        .openWorldHint(false)
                        .build())
                .build();
        return new SyncToolSpecification(
                shown, (context, request) -> caller.call(tool, (R) context.get(KEY), request.arguments()));
    }

    @SuppressWarnings("unchecked")
    private Map<String, Object> schema(String text) {
        return mapper.convertValue(Json.read(text, "the schema"), Map.class);
    }

    @Override
    public void setMcpHandler(McpStatelessServerHandler given) {
        handler = given;
    }

    /** Closing is up to the transport. */
    @Override
    public Mono<Void> closeGracefully() {
        return Mono.empty();
    }

    /** Answers a request, on this thread. */
    McpSchema.JSONRPCResponse respond(R request, JsonRpc message) {
        Object id = Objects.requireNonNull(message.id());
        McpTransportContext context = McpTransportContext.create(Map.of(KEY, request));
        try {
            McpSchema.JSONRPCResponse response = Objects.requireNonNull(handler)
                    .handleRequest(
                            context,
                            new McpSchema.JSONRPCRequest(JsonRpc.VERSION, message.method(), id, message.params()))
                    .block();
            return Objects.requireNonNull(response);
        } catch (McpError refusal) {
            return McpSchema.JSONRPCResponse.error(id, refusal.getJsonRpcError());
        }
    }
}
