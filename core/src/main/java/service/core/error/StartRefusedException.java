package service.core.error;

/**
 * A server cannot start. Carries one of the stable codes of {@code docs/operations/deploy.md} ({@code limit_invalid},
 * {@code auth_not_configured}, …) and one line with the cause and the remedy. Printed once on stderr, with exit status
 * 1.
 */
public final class StartRefusedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String code;

    public StartRefusedException(String code, String message) {
        super(message, null, false, false);
        this.code = code;
    }

    public String code() {
        return code;
    }

    /** The message; never null. */
    @Override
    public String getMessage() {
        return String.valueOf(super.getMessage());
    }
}
