package service.http.route;

/** A media type that routes answer with. */
public enum Media {
    JSON("application/json", true),
    NDJSON("application/x-ndjson", true),
    EVENTS("text/event-stream", true),
    ARROW("application/vnd.apache.arrow.stream", false),
    BYTES("application/octet-stream", false),
    HTML("text/html", false),
    SCRIPT("text/javascript", false),
    STYLE("text/css", false),
    SVG("image/svg+xml", false),
    TEXT("text/plain", false);

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

    /** Whether a body of this type is UTF-8 text with values of a graph in it. */
    boolean isText() {
        return isText;
    }
}
