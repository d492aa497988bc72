package service.connect;

import java.io.IOException;

/**
 * An answer of the server that is no success.
 *
 * <p>{@code status} is that of HTTP; {@code code} and {@code reason} are the words of the error body, empty where it
 * has none; {@code retryAfterMillis} is what the server asks to wait, 0 where it asks for nothing.
 */
final class ServerRefusal extends IOException {
    private static final long serialVersionUID = 1L;

    private final int status;
    private final String code;
    private final String reason;
    private final long retryAfterMillis;

    ServerRefusal(int status, String code, String reason, String message, long retryAfterMillis) {
        super(message);
        this.status = status;
        this.code = code;
        this.reason = reason;
        this.retryAfterMillis = retryAfterMillis;
    }

    int status() {
        return status;
    }

    String reason() {
        return reason;
    }

    long retryAfterMillis() {
        return retryAfterMillis;
    }

    /** Whether the changes that were asked for are no longer kept. */
    boolean isGap() {
        return code.equals("change_feed_gap") || code.equals("snapshot_reclaimed");
    }

    /** Whether the same request may succeed later. Proxies answer 502 and 504 for a server that is away. */
    boolean isTransient() {
        return status == 408 || status == 429 || status >= 500;
    }
}
