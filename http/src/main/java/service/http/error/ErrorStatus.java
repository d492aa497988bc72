package service.http.error;

import service.core.error.ErrorCode;

/** Maps error codes to HTTP statuses ({@code docs/http.md}). No other class does. */
public final class ErrorStatus {
    private ErrorStatus() {}

    public static int of(ErrorCode code) {
        return switch (code) {
            case BAD_REQUEST -> 400;
            case UNAUTHORIZED -> 401;
            case FORBIDDEN -> 403;
            case NOT_FOUND -> 404;
            case METHOD_NOT_ALLOWED -> 405;
            case NOT_ACCEPTABLE -> 406;
            case CONFLICT -> 409;
            case CHANGE_FEED_GAP, SNAPSHOT_RECLAIMED -> 410;
            case PRECONDITION_FAILED -> 412;
            case RESOURCE_LIMIT -> 413;
            case UNSUPPORTED_MEDIA_TYPE -> 415;
            case RANGE_NOT_SATISFIABLE -> 416;
            case TOO_MANY_REQUESTS -> 429;
            case INTERNAL -> 500;
            case RECOVERY_REQUIRED,
                    GRAPH_QUARANTINED,
                    SHUTTING_DOWN,
                    STORAGE_FULL,
                    CONTENDED,
                    NOT_YET_HERE,
                    EMBEDDING_UNAVAILABLE,
                    OVERLOADED -> 503;
        };
    }
}
