package service.cli.client;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.error.ErrorCode;
import service.core.value.VisibleText;

/** The failure of a command: a message for the user and an exit code ({@code docs/command-line.md}). */
public final class CommandFailure extends RuntimeException {
    public static final int FAILED = 1;
    public static final int USAGE = 2;

    /** {@code plan --exit-code}: the plan has changes; {@code merge --dry-run --exit-code}: there are conflicts. */
    public static final int CHANGES = 3;

    public static final int PRECONDITION_LOST = 4;

    private static final long serialVersionUID = 1L;

    private final int exitCode;
    private final transient @Nullable ObjectNode body;
    private final Repetition repetition;

    /** What may come of the same request later. */
    private enum Repetition {
        /** The same refusal, unless the body has a code that says otherwise. */
        USELESS,
        /** Another answer. */
        LATER,
        /** Another answer, if it takes less time. */
        SHORTER
    }

    public CommandFailure(int exitCode, String message) {
        this(exitCode, message, null);
    }

    /**
     * A failure that a server or the engine has described.
     *
     * @param body the error body of {@code docs/http.md}, for {@code --json}; null when there is none
     */
    public CommandFailure(int exitCode, String message, @Nullable ObjectNode body) {
        this(exitCode, message, body, Repetition.USELESS);
    }

    private CommandFailure(int exitCode, String message, @Nullable ObjectNode body, Repetition repetition) {
        super(message, null, false, false);
        this.exitCode = exitCode;
        this.body = body;
        this.repetition = repetition;
    }

    /** A mistake in the command line; the message repeats parts of it, on one line. */
    public static CommandFailure usage(String message) {
        return new CommandFailure(USAGE, VisibleText.oneLine(message));
    }

    /** The reader of standard output has gone ({@code | head -1}); the failure has no message. */
    public static CommandFailure unread() {
        return new CommandFailure(FAILED, "");
    }

    /** No server answers, or its answer broke off: the same request may succeed later. */
    public static CommandFailure connectionLost(String message) {
        return new CommandFailure(FAILED, message, null, Repetition.LATER);
    }

    /** Something between this process and the server did not wait for the answer. */
    public static CommandFailure timedOut(String message) {
        return new CommandFailure(FAILED, message, null, Repetition.SHORTER);
    }

    /** The bytes of an external blob were requested. */
    public static CommandFailure external(String uri) {
        return new CommandFailure(FAILED, "the blob is a reference to " + uri + ", which is never fetched here");
    }

    /** The user interrupted the request. */
    public static CommandFailure cancelled() {
        return new CommandFailure(FAILED, "cancelled");
    }

    public int exitCode() {
        return exitCode;
    }

    /** Whether the error body has this code. */
    public boolean hasCode(ErrorCode code) {
        return body != null && body.path("code").asText().equals(code.wireName());
    }

    /** Whether the server could not be asked, or said that it cannot answer now. */
    public boolean isTransient() {
        String code = body == null ? "" : body.path("code").asText();
        return repetition != Repetition.USELESS
                || List.of(
                                "overloaded",
                                "shutting_down",
                                "too_many_requests",
                                "recovery_required",
                                "embedding_unavailable")
                        .contains(code);
    }

    /** Whether a request that takes less time may succeed. */
    public boolean hasTimedOut() {
        return repetition == Repetition.SHORTER;
    }

    public @Nullable ObjectNode body() {
        return body;
    }

    /** The error body: that of the server where there is one. */
    public ObjectNode toJson() {
        return body != null
                ? body
                : JsonNodeFactory.instance
                        .objectNode()
                        .put("error", getMessage())
                        .put("code", exitCode == USAGE ? "usage" : "failed");
    }

    @Override
    public String getMessage() {
        return String.valueOf(super.getMessage());
    }
}
