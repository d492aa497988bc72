package service.http.route;

import service.http.limit.Limit;

/** What a route takes as its request body. */
public enum BodyRule {
    NONE(false, Limit.REQUEST_BYTES_MAX),
    /** A JSON object, read whole. */
    JSON(true, Limit.REQUEST_BYTES_MAX),
    /** A JSON object or nothing. */
    OPTIONAL_JSON(true, Limit.REQUEST_BYTES_MAX),
    /** A JSON object of the size of a load. */
    LOAD_JSON(true, Limit.LOAD_BYTES_MAX),
    /** NDJSON, handed on as it arrives. */
    NDJSON(false, Limit.LOAD_BYTES_MAX),
    /** Anything; never read. */
    IGNORED(false, Limit.REQUEST_BYTES_MAX);

    private final boolean buffered;
    private final Limit bytesMax;

    BodyRule(boolean buffered, Limit bytesMax) {
        this.buffered = buffered;
        this.bytesMax = bytesMax;
    }

    /** Whether the server collects the body before the handler runs. */
    public boolean buffered() {
        return buffered;
    }

    public Limit bytesMax() {
        return bytesMax;
    }

    /** The media type that a body must have, or the empty string. */
    public String mediaType() {
        return switch (this) {
            case JSON, OPTIONAL_JSON, LOAD_JSON -> "application/json";
            case NDJSON -> "application/x-ndjson";
            case NONE, IGNORED -> "";
        };
    }
}
