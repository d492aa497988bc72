package service.http.auth;

/** Reads a secret of a cloud's secret manager. A build without such a manager has no implementation. */
public interface SecretSource {
    /**
     * Returns the text of a secret. It may block.
     *
     * @throws SecretUnavailableException naming the reason, without any part of the secret
     */
    String read(String name);

    /** A secret cannot be read. */
    final class SecretUnavailableException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        public SecretUnavailableException(String reason) {
            super(reason, null, false, false);
        }
    }
}
