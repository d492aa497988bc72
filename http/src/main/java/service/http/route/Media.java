package service.http.route;

/** A media type that routes answer with. */
public enum Media {
    JSON("application/json", true),
    NDJSON("application/x-ndjson", true),
    EVENTS("text/event-stream", true),
    BYTES("application/octet-stream", false);

    private final String type;
    private final boolean isText;

    Media(String type, boolean isText) {
        this.type = type;
        this.isText = isText;
    }

    /** The type and subtype, in lower case. */
    public String type() {
        return type;
    }

    /** Whether a body of this type is UTF-8 text with values in it. */
    boolean isText() {
        return isText;
    }
}
