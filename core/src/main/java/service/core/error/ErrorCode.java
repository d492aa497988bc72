package service.core.error;

/** The stable codes of {@code docs/http.md}. HTTP statuses and exit codes are each mapped from them in one place. */
public enum ErrorCode {
    BAD_REQUEST,
    UNAUTHORIZED,
    FORBIDDEN,
    NOT_FOUND,
    METHOD_NOT_ALLOWED,
    NOT_ACCEPTABLE,
    CONFLICT,
    CHANGE_FEED_GAP,
    SNAPSHOT_RECLAIMED,
    PRECONDITION_FAILED,
    RESOURCE_LIMIT,
    UNSUPPORTED_MEDIA_TYPE,
    RANGE_NOT_SATISFIABLE,
    TOO_MANY_REQUESTS,
    INTERNAL,
    RECOVERY_REQUIRED,
    GRAPH_QUARANTINED,
    SHUTTING_DOWN,
    STORAGE_FULL,

    /** Other servers wrote the graph first for all of the time of this write; nothing of it was written. */
    CONTENDED,

    /** This server cannot tell whether it has the state that the request needs; it may be able to a moment later. */
    NOT_YET_HERE,

    /** The provider that embeds texts does not give vectors now; the graph serves everything else. */
    EMBEDDING_UNAVAILABLE,

    /** The process has no memory left for this request now; the same request may succeed later. */
    OVERLOADED;

    /** The code on the wire, in lower case. */
    public String wireName() {
        return name().toLowerCase(java.util.Locale.ROOT);
    }
}
