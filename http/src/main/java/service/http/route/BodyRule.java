package service.http.route;

import service.http.limit.Limit;

/** The kind of request body that a route takes. */
public enum BodyRule {
    NONE(false, Limit.REQUEST_BYTES_MAX),
    /** A JSON object, buffered. */
    JSON(true, Limit.REQUEST_BYTES_MAX),
    /** A JSON object, buffered, or no body. */
    OPTIONAL_JSON(true, Limit.REQUEST_BYTES_MAX),
    /** A JSON object, buffered, up to the size limit of loads. */
    LOAD_JSON(true, Limit.LOAD_BYTES_MAX),
    /** A JSON object, buffered, up to the size limit of MCP messages. */
    MCP_JSON(true, Limit.MCP_REQUEST_BYTES_MAX),
    /** NDJSON, read as it arrives. */
    NDJSON(false, Limit.LOAD_BYTES_MAX),
    /** Any body; the server does not read it. */
    IGNORED(false, Limit.REQUEST_BYTES_MAX);

    private final boolean buffered;
    private final Limit bytesMax;

    BodyRule(boolean buffered, Limit bytesMax) {
        this.buffered = buffered;
        this.bytesMax = bytesMax;
    }

    /** Whether the server reads the whole body before the handler runs. */
    public boolean buffered() {
        return buffered;
    }

    public Limit bytesMax() {
        return bytesMax;
    }

    /** The required media type; empty when there is none. */
    public String mediaType() {
        return switch (this) {
            case JSON, OPTIONAL_JSON, LOAD_JSON, MCP_JSON -> "application/json";
            case NDJSON -> "application/x-ndjson";
            case NONE, IGNORED -> "";
        };
    }
}
