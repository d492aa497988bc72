package service.core.error;

import org.jspecify.annotations.Nullable;
import service.core.value.VisibleText;

/**
 * A refusal that a caller can act on: a code, a message that names the object and the remedy, and an optional detail.
 * Thrown anywhere; converted to an answer by HTTP, MCP and the command line. It has no stack trace because it is an
 * answer, not a fault.
 *
 * <p>The message may repeat names and values of strangers: it is made one line of a bounded length here. The parts of a
 * message about a source have been bounded where the findings were made.
 */
public final class ServiceException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final ErrorCode code;
    private final @Nullable Reason reason;
    private final transient @Nullable ErrorDetail detail;

    public ServiceException(ErrorCode code, String message) {
        this(code, message, null, null);
    }

    public ServiceException(ErrorCode code, String message, @Nullable ErrorDetail detail) {
        this(code, message, detail, null);
    }

    public ServiceException(ErrorCode code, String message, @Nullable ErrorDetail detail, @Nullable Throwable cause) {
        this(code, Reason.of(code, detail), message, detail, cause);
    }

    private ServiceException(
            ErrorCode code,
            @Nullable Reason reason,
            String message,
            @Nullable ErrorDetail detail,
            @Nullable Throwable cause) {
        super(detail instanceof ErrorDetail.Diagnostics ? message : VisibleText.message(message), cause, false, false);
        this.code = code;
        this.reason = reason;
        this.detail = detail;
    }

    /**
     * A refusal without detail.
     *
     * @param reason one of the code
     */
    public static ServiceException of(ErrorCode code, Reason reason, String message) {
        if (!reason.isOf(code)) {
            throw new IllegalArgumentException(reason + " is no reason of " + code);
        }
        return new ServiceException(code, reason, message, null, null);
    }

    public static ServiceException badRequest(String message) {
        return new ServiceException(ErrorCode.BAD_REQUEST, message);
    }

    public static ServiceException badRequest(Reason reason, String message) {
        return of(ErrorCode.BAD_REQUEST, reason, message);
    }

    /** What a command names on its machine is not there. */
    public static ServiceException notFound(String message) {
        return new ServiceException(ErrorCode.NOT_FOUND, message);
    }

    public static ServiceException notFound(Reason reason, String message) {
        return of(ErrorCode.NOT_FOUND, reason, message);
    }

    public static ServiceException conflict(String message) {
        return new ServiceException(ErrorCode.CONFLICT, message);
    }

    public static ServiceException conflict(Reason reason, String message) {
        return of(ErrorCode.CONFLICT, reason, message);
    }

    /** This refusal with a more precise reason, where its reason is the usual one of its code. */
    public ServiceException because(Reason precise) {
        return precise.isOf(code) && reason == Reason.usual(code)
                ? new ServiceException(code, precise, getMessage(), detail, getCause())
                : this;
    }

    /** Null where the code has one cause. */
    public @Nullable Reason reason() {
        return reason;
    }

    public ErrorCode code() {
        return code;
    }

    public @Nullable ErrorDetail detail() {
        return detail;
    }

    /** The message; never null. */
    @Override
    public String getMessage() {
        return String.valueOf(super.getMessage());
    }
}
