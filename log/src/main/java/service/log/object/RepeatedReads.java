package service.log.object;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import service.core.io.BlockInputStream;
import service.core.port.ObjectStore;
import service.core.port.ObjectStoreException;

/**
 * A store that repeats the requests which may be repeated: reads, lists and deletes, a few times with growing pauses. A
 * stream that is cut continues at its position with a new request. Conditional writes are passed on once.
 */
public final class RepeatedReads implements ObjectStore {

    private final ObjectStore store;

    public RepeatedReads(ObjectStore store) {
        this.store = store;
    }

    private static <T extends @Nullable Object> T repeat(Supplier<T> request) {
        Backoff backoff = new Backoff(ThreadLocalRandom.current());
        for (int attempt = 1; ; attempt++) {
            try {
                return request.get();
            } catch (ObjectStoreException e) {
                backoff.pauseOrThrow(e, attempt);
            }
        }
    }

    @Override
    public String location() {
        return store.location();
    }

    @Override
    public @Nullable StoredObject get(String key) {
        return repeat(() -> store.get(key));
    }

    @Override
    public @Nullable InputStream read(String key, long from) {
        InputStream first = repeat(() -> store.read(key, from));
        return first == null ? null : new Continued(key, from, first);
    }

    @Override
    public boolean putIfAbsent(String key, byte[] bytes) {
        return store.putIfAbsent(key, bytes);
    }

    @Override
    public boolean putIfAbsent(String key, Content content) {
        return store.putIfAbsent(key, content);
    }

    @Override
    public boolean putIfMatch(String key, String version, byte[] bytes) {
        return store.putIfMatch(key, version, bytes);
    }

    @Override
    public void delete(String key) {
        repeat(() -> {
            store.delete(key);
            return true;
        });
    }

    @Override
    public void deleteAll(List<String> keys) {
        repeat(() -> {
            store.deleteAll(keys);
            return true;
        });
    }

    @Override
    public List<String> list(String prefix, String after, int keysMax) {
        return repeat(() -> store.list(prefix, after, keysMax));
    }

    /** The bytes of one object over several requests. Each request that gives a byte allows as many failures again. */
    private final class Continued extends BlockInputStream {
        private final String key;
        private long at;
        private InputStream part;
        private int failures;

        Continued(String key, long from, InputStream first) {
            this.key = key;
            this.at = from;
            this.part = first;
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            while (true) {
                try {
                    int count = part.read(into, offset, length);
                    if (count > 0) {
                        at += count;
                        failures = 0;
                    }
                    return count;
                } catch (IOException e) {
                    if (++failures == Backoff.ATTEMPTS) {
                        throw e;
                    }
                    reopen(e);
                }
            }
        }

        private void reopen(IOException cause) throws IOException {
            part.close();
            InputStream next = repeat(() -> store.read(key, at));
            if (next == null) {
                throw new IOException(key + " was deleted while it was read", cause);
            }
            part = next;
        }

        @Override
        public void close() throws IOException {
            part.close();
        }
    }
}
