package service.core.port;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The failure of an object store behind a network. Its message names the root or the key, and holds no credentials. */
public final class ObjectStoreException extends UncheckedIOException {
    private static final long serialVersionUID = 1L;

    /** What a failure means. */
    public enum Kind {
        /** No answer, or a cut one. A repetition may succeed. */
        UNREACHABLE,
        /** The store answers that it has failed (5xx). A repetition may succeed. */
        FAILED,
        /** The store asks for fewer requests. A repetition may succeed later. */
        SLOW_DOWN,
        /** There are no credentials, or the store refuses them. */
        REFUSED,
        /** The bucket does not exist. */
        NO_BUCKET,
        /** The store does not do what this program needs. */
        UNSUITABLE
    }

    private final Kind kind;
    private final @Nullable Duration retryAfter;

    public ObjectStoreException(Kind kind, String message) {
        this(kind, message, null, null);
    }

    /**
     * A failure.
     *
     * @param retryAfter how long the store asks to wait; null when it does not
     * @param cause null when there is none that may be shown
     */
    public ObjectStoreException(Kind kind, String message, @Nullable Duration retryAfter, @Nullable IOException cause) {
        super(message, cause == null ? new IOException(message) : cause);
        this.kind = kind;
        this.retryAfter = retryAfter;
    }

    public Kind kind() {
        return kind;
    }

    /** Whether the same request may succeed later without a change by the operator. */
    public boolean mayPass() {
        return kind == Kind.UNREACHABLE || kind == Kind.FAILED || kind == Kind.SLOW_DOWN;
    }

    /** How long the store asks to wait; null when it does not. */
    public @Nullable Duration retryAfter() {
        return retryAfter;
    }
}
