package service.mcp.transport;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;
import service.core.error.ServiceException;
import service.core.json.Json;

/**
 * One JSON-RPC 2.0 message of a client.
 *
 * @param id a string or an integer, which the client chose; null for a notification
 * @param params null where there are none
 */
record JsonRpc(String method, @Nullable Object id, @Nullable JsonNode params) {
    static final String VERSION = "2.0";

    private static final String CANCELLED = "notifications/cancelled";

    /**
     * Reads a message.
     *
     * @throws ServiceException BAD_REQUEST for what is no request and no notification
     */
    static JsonRpc of(JsonNode json, String what) {
        ObjectNode message = Json.requireObject(json, what);
        JsonNode method = message.path("method");
        if (!message.path("jsonrpc").asText().equals(VERSION) || !method.isTextual()) {
            throw ServiceException.badRequest(what + " must be one JSON-RPC 2.0 request or notification");
        }
        Object id = null;
        if (message.has("id")) {
            id = id(message.path("id"));
            if (id == null) {
                throw ServiceException.badRequest("`id` must be a string or an integer");
            }
        }
        return new JsonRpc(method.textValue(), id, message.get("params"));
    }

    /** The id of the request that this notification cancels; null when it cancels none. */
    @Nullable
    Object cancelled() {
        return id == null && method.equals(CANCELLED) && params != null ? id(params.path("requestId")) : null;
    }

    /** A request id; null for what is none. */
    private static @Nullable Object id(JsonNode node) {
        if (node.isTextual()) {
            return node.textValue();
        }
        return node.isIntegralNumber() && node.canConvertToLong() ? (Object) node.longValue() : null;
    }
}
