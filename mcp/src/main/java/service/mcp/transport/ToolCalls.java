package service.mcp.transport;

import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import service.core.error.ErrorCode;
import service.core.error.ErrorDetail;
import service.core.error.Reason;
import service.core.error.ServiceException;
import service.http.limit.Limit;
import service.http.limit.Limits;
import service.http.route.Call;
import service.mcp.tool.Tool;
import service.mcp.tool.ToolCall;

/**
 * Runs tool calls within the limits of {@code docs/mcp.md}, each on the thread of its request. A refusal becomes a tool
 * error, whose text is an error body of {@code docs/http.md}. Any thread.
 */
final class ToolCalls {
    /** Copies of a result that exist at one time: its bytes, its text, and its escaped text twice. */
    private static final int COPIES = 6;

    private final QuietMapper mapper;
    private final ToolResults results;
    private final Limits limits;
    private final Semaphore places;
    private final Set<RunningCall> running = ConcurrentHashMap.newKeySet();
    private final LongAdder refused = new LongAdder();

    ToolCalls(QuietMapper mapper, Limits limits) {
        this.mapper = mapper;
        this.results = new ToolResults(mapper, limits.get(Limit.MCP_RESULT_BYTES_MAX));
        this.limits = limits;
        this.places = new Semaphore(limits.getInt(Limit.MCP_CALLS_MAX));
    }

    /** Runs one call; the result says whether it is an error. */
    CallToolResult run(Tool<ToolCall> tool, McpRequest request, @Nullable Map<String, Object> arguments) {
        if (!places.tryAcquire()) {
            refused.increment();
            return ToolResults.error(ServiceException.of(
                    ErrorCode.TOO_MANY_REQUESTS,
                    Reason.TOOL_CALLS,
                    "%d tool calls are running, the most at one time; retry in a second"
                            .formatted(limits.get(Limit.MCP_CALLS_MAX))));
        }
        Call call = request.call();
        RunningCall current = new RunningCall(
                call.rights().credential().actor(),
                request.id(),
                System.nanoTime() + TimeUnit.SECONDS.toNanos(limits.get(Limit.MCP_CALL_TIMEOUT_SECONDS)));
        running.add(current);
        try {
            ToolCall work =
                    new ToolCall(call.cluster(), call.rights(), call.budget().endedBy(current), results.bytesMax());
            byte[] content = tool.run(work, mapper.tree(arguments));
            results.requireSmall(content);
            work.budget()
                    .memory()
                    .charge((long) COPIES * content.length, "the result of the tool", "narrow it with the parameters");
            return results.of(content);
        } catch (ServiceException refusal) {
            return ToolResults.error(refusal);
        } catch (CancellationException ended) {
            return ended(current, request, ended);
        } catch (RuntimeException failure) {
            request.fail(failure);
            return ToolResults.error(new ServiceException(ErrorCode.INTERNAL, "the server failed"));
        } finally {
            running.remove(current);
            places.release();
        }
    }

    /** Number of calls that were refused because too many were running. */
    long refused() {
        return refused.sum();
    }

    /**
     * Ends the running call of an actor with this request id. Without sessions, two clients of one actor may use the
     * same id at one time: neither call is ended then.
     */
    void cancel(@Nullable String actor, Object requestId) {
        List<RunningCall> meant =
                running.stream().filter(call -> call.isOf(actor, requestId)).toList();
        if (meant.size() == 1) {
            meant.getFirst().cancel();
        }
    }

    private CallToolResult ended(RunningCall call, McpRequest request, CancellationException cause) {
        if (call.isCancelled()) {
            return ToolResults.error(
                    new ServiceException(ErrorCode.BAD_REQUEST, "the call was cancelled by its client"));
        }
        if (call.isLate()) {
            long seconds = limits.get(Limit.MCP_CALL_TIMEOUT_SECONDS);
            return ToolResults.error(new ServiceException(
                    ErrorCode.RESOURCE_LIMIT,
                    "the call took longer than the limit of " + seconds + " s: narrow it with the parameters",
                    new ErrorDetail.ResourceLimit("mcp_call_timeout_seconds", seconds, null)));
        }
        request.fail(cause);
        return ToolResults.error(new ServiceException(ErrorCode.BAD_REQUEST, "the client has left"));
    }
}
