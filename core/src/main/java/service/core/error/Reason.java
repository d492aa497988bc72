package service.core.error;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Why a request was refused, where its {@link ErrorCode} has several causes. The words are stable and closed: a client
 * may branch on them. A code has a reason in each of its answers or in none.
 */
public enum Reason {
    /** The request itself: a header, a query parameter, a field of the body, its JSON. */
    REQUEST(ErrorCode.BAD_REQUEST),
    /** GQ that does not parse. */
    SYNTAX(ErrorCode.BAD_REQUEST),
    /** GQ that does not fit the schema, or whose parts do not fit each other. */
    TYPE(ErrorCode.BAD_REQUEST),
    /** The value of a parameter of the query: missing, not declared, or not of its type. */
    PARAMETER(ErrorCode.BAD_REQUEST),
    /** A setting: unknown, out of its range, or not for requests. */
    SETTING(ErrorCode.BAD_REQUEST),
    /** A record of a load that cannot be read or does not fit its type. */
    RECORD(ErrorCode.BAD_REQUEST),
    /** An expression that has no value for some entity, such as a division by zero. */
    EVALUATION(ErrorCode.BAD_REQUEST),
    /** A cursor or page token that is not one, or belongs to another request. */
    TOKEN(ErrorCode.BAD_REQUEST),
    /** Another route serves this: a mutation on a route of reads, or the reverse. */
    WRONG_ROUTE(ErrorCode.BAD_REQUEST),
    /** A constraint of the schema. */
    CONSTRAINT(ErrorCode.BAD_REQUEST, ErrorCode.CONFLICT),
    /** An edge whose end does not exist. */
    ORPHAN_EDGE(ErrorCode.BAD_REQUEST, ErrorCode.CONFLICT),

    /** The applied policy, or the grants of the credential. */
    PERMISSION(ErrorCode.FORBIDDEN),
    /** The kind of the credential, which proves no identity or is not for this resource. */
    CREDENTIAL(ErrorCode.FORBIDDEN),
    /** The header {@code Host}. */
    HOST(ErrorCode.FORBIDDEN),
    /** A web page of another origin. */
    SITE(ErrorCode.FORBIDDEN),

    ROUTE(ErrorCode.NOT_FOUND),
    GRAPH(ErrorCode.NOT_FOUND),
    BRANCH(ErrorCode.NOT_FOUND),
    COMMIT(ErrorCode.NOT_FOUND),
    TAG(ErrorCode.NOT_FOUND),
    STORED_QUERY(ErrorCode.NOT_FOUND),
    /** A node, an edge, or the value of one. */
    ENTITY(ErrorCode.NOT_FOUND),
    /** A file, a directory or an applied thing that a command names. */
    PLACE(ErrorCode.NOT_FOUND),

    /** An entity with this key exists. */
    KEY(ErrorCode.CONFLICT),
    /** Both sides of a merge have changed something differently. */
    MERGE(ErrorCode.CONFLICT),
    /** A change of the schema that its data or its branches do not allow, or that came in between. */
    SCHEMA(ErrorCode.CONFLICT),
    /** The idempotency key belongs to another request. */
    IDEMPOTENCY_KEY(ErrorCode.CONFLICT),
    /** What was to be made exists. */
    EXISTS(ErrorCode.CONFLICT),
    /** The server only reads. */
    READ_ONLY(ErrorCode.CONFLICT),
    /** The present state does not allow it. */
    STATE(ErrorCode.CONFLICT),

    /** The media type of the body. */
    MEDIA_TYPE(ErrorCode.UNSUPPORTED_MEDIA_TYPE),
    /** The content coding of the body. */
    CONTENT_ENCODING(ErrorCode.UNSUPPORTED_MEDIA_TYPE),

    /** Requests at work and waiting. */
    REQUESTS(ErrorCode.TOO_MANY_REQUESTS),
    /** Writes of one actor in flight, or the bytes of their bodies. */
    ACTOR_WRITES(ErrorCode.TOO_MANY_REQUESTS),
    /** Writes that wait for the writer of one graph. */
    WRITER_QUEUE(ErrorCode.TOO_MANY_REQUESTS),
    /** Responses that are streamed. */
    STREAMS(ErrorCode.TOO_MANY_REQUESTS),
    /** Consumers of change feeds that wait. */
    CONSUMERS(ErrorCode.TOO_MANY_REQUESTS),
    /** Open connections of one actor or address. */
    CONNECTIONS(ErrorCode.TOO_MANY_REQUESTS),
    /** Credentials whose signature waits to be verified. */
    UNVERIFIED_TOKENS(ErrorCode.TOO_MANY_REQUESTS),
    /** Tool calls of agents. */
    TOOL_CALLS(ErrorCode.TOO_MANY_REQUESTS);

    private static final String GQ_SYNTAX = "Q000";
    private static final String SCHEMA_SYNTAX = "PG-SY-";
    private static final String ORPHAN_KIND = "orphan_edge";

    private final ErrorCode code;
    private final ErrorCode other;

    Reason(ErrorCode code) {
        this(code, code);
    }

    Reason(ErrorCode code, ErrorCode other) {
        this.code = code;
        this.other = other;
    }

    /** Whether answers with this code may have this reason. */
    public boolean isOf(ErrorCode asked) {
        return asked == code || asked == other;
    }

    /** The reason on the wire, in lower case. */
    public String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Whether answers with this code have a reason. */
    public static boolean isFor(ErrorCode code) {
        return usual(code) != null;
    }

    /** The reason that a code and a detail tell; null where the code has none. */
    static @Nullable Reason of(ErrorCode code, @Nullable ErrorDetail detail) {
        return switch (detail) {
            case ErrorDetail.Diagnostics found -> of(found.diagnostics());
            case ErrorDetail.ConstraintViolation violation ->
                violation.kind().equals(ORPHAN_KIND) ? ORPHAN_EDGE : CONSTRAINT;
            case ErrorDetail.KeyConflict ignored -> KEY;
            case ErrorDetail.MergeConflicts ignored -> MERGE;
            case ErrorDetail.SchemaRefusal ignored -> SCHEMA;
            case ErrorDetail.Forbidden ignored -> PERMISSION;
            case null, default -> usual(code);
        };
    }

    private static Reason of(List<Diagnostic> found) {
        if (found.stream()
                .anyMatch(finding ->
                        finding.code().equals(GQ_SYNTAX) || finding.code().startsWith(SCHEMA_SYNTAX))) {
            return SYNTAX;
        }
        return found.stream().allMatch(finding -> finding.code().startsWith("R")) ? EVALUATION : TYPE;
    }

    /** The reason where nothing more precise is said; null where the code has one cause. */
    static @Nullable Reason usual(ErrorCode code) {
        return switch (code) {
            case BAD_REQUEST -> REQUEST;
            case FORBIDDEN -> PERMISSION;
            case NOT_FOUND -> PLACE;
            case CONFLICT -> STATE;
            case UNSUPPORTED_MEDIA_TYPE -> MEDIA_TYPE;
            case TOO_MANY_REQUESTS -> REQUESTS;
            default -> null;
        };
    }
}
