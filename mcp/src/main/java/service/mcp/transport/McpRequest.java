package service.mcp.transport;

import org.jspecify.annotations.Nullable;
import service.http.route.Call;

/**
 * One JSON-RPC request on its way through the SDK to a tool. Confined to the thread of its HTTP request, on which the
 * SDK runs the tool.
 */
final class McpRequest {
    private final Call call;
    private final Object id;
    private @Nullable RuntimeException failure;

    /**
     * A request.
     *
     * @param id a string or an integer, which the client chose
     */
    McpRequest(Call call, Object id) {
        this.call = call;
        this.id = id;
    }

    Call call() {
        return call;
    }

    Object id() {
        return id;
    }

    /** Keeps a failure that must not pass through the SDK, which would send its message to the client. */
    void fail(RuntimeException cause) {
        failure = cause;
    }

    void throwFailure() {
        if (failure != null) {
            throw failure;
        }
    }
}
