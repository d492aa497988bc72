package service.http.server;

import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import service.core.value.Ulid;

/** Names for requests: the caller's, if it gave a fit one, else a new ULID. Any thread. */
final class RequestIds {
    private static final int LENGTH_MAX = 128;

    String of(@Nullable String given) {
        if (given != null && isFit(given)) {
            return given;
        }
        ThreadLocalRandom random = ThreadLocalRandom.current();
        return Ulid.of(System.currentTimeMillis(), random.nextInt(), random.nextLong())
                .toString();
    }

    private static boolean isFit(String text) {
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
