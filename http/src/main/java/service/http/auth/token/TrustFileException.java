package service.http.auth.token;

/** A trust file breaks a rule, which the message names. Has no stack trace. */
public final class TrustFileException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    TrustFileException(String reason) {
        super(reason, null, false, false);
    }

    /** The reason; never null. */
    @Override
    public String getMessage() {
        return String.valueOf(super.getMessage());
    }
}
