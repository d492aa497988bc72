package service.http.stream;

import java.io.IOException;

/**
 * The other side closed the connection, or moved too slowly for a deadline. Nothing can be answered any more: close the
 * connection.
 */
public final class ClientGoneException extends IOException {
    private static final long serialVersionUID = 1L;

    public ClientGoneException(String message) {
        super(message);
    }
}
