package service.http.auth.token;

/**
 * A token is refused. The message is for the log: it names the rule that the token breaks and contains no part of the
 * token. Has no stack trace.
 */
public final class TokenRefusedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public TokenRefusedException(String reason) {
        super(reason, null, false, false);
    }

    /** The reason; never null. */
    @Override
    public String getMessage() {
        return String.valueOf(super.getMessage());
    }
}
