package service.http.server;

import org.jspecify.annotations.Nullable;
import service.core.value.Ulid;

/** Request ids: the id that the client sent, if it is valid, otherwise a new ULID. Thread rule: any thread. */
final class RequestIds {
    private static final int LENGTH_MAX = 128;

    String of(@Nullable String given) {
        if (given != null && isValid(given)) {
            return given;
        }
        return Ulid.random().toString();
    }

    private static boolean isValid(String text) {
        if (text.isEmpty() || text.length() > LENGTH_MAX) {
            return false;
        }
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) <= ' ' || text.charAt(i) > '~') {
                return false;
            }
        }
        return true;
    }
}
