package service.http.route;

import service.http.limit.Limit;
import service.http.limit.Limits;

/** The kind of request body that a route takes. */
public enum BodyRule {
    NONE(false, Limit.REQUEST_BYTES_MAX),
    /** A JSON object, buffered. */
    JSON(true, Limit.REQUEST_BYTES_MAX),
    /** A JSON object, buffered, or no body. */
    OPTIONAL_JSON(true, Limit.REQUEST_BYTES_MAX),
    /**
     * A JSON object, buffered. It may be as large as a list of records; the handler refuses a large one for a query
     * that takes none ({@link Call#requireUsualSize}).
     */
    RECORDS_JSON(true, Limit.RECORDS_BYTES_MAX),
    /** The same, or no body. */
    OPTIONAL_RECORDS_JSON(true, Limit.RECORDS_BYTES_MAX),
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

    /** The bytes that the body may have. */
    public long bytesMax(Limits limits) {
        long most = limits.get(bytesMax);
        return bytesMax == Limit.RECORDS_BYTES_MAX ? Math.max(most, limits.get(Limit.REQUEST_BYTES_MAX)) : most;
    }

    /** Whether the body may be left out. */
    public boolean optional() {
        return this == OPTIONAL_JSON || this == OPTIONAL_RECORDS_JSON;
    }

    /** The required media type; empty when there is none. */
    public String mediaType() {
        return switch (this) {
            case JSON, OPTIONAL_JSON, RECORDS_JSON, OPTIONAL_RECORDS_JSON, LOAD_JSON, MCP_JSON -> "application/json";
            case NDJSON -> "application/x-ndjson";
            case NONE, IGNORED -> "";
        };
    }
}
