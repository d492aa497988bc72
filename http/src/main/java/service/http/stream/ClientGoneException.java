package service.http.stream;

import java.io.IOException;

/** The client closed the connection or missed a deadline. No answer is possible; the connection must be closed. */
public final class ClientGoneException extends IOException {
    private static final long serialVersionUID = 1L;

    public ClientGoneException(String message) {
        super(message);
    }
}
