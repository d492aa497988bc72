package service.log.object;

import java.io.InputStream;
import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.port.ObjectStore;
import service.core.port.ObjectStoreException;
import service.core.value.Ulid;

/**
 * A store that sends no write before it has seen that the other store keeps the conditions of writes. The first write
 * of the process probes it ({@link StoreProbe}) while other writes wait; reads never do. Servers and commands write
 * through it alike, so no way to write is without the check, and a process that only reads does not probe. Nothing is
 * remembered beyond the process, because the next one may reach the root through another endpoint or proxy.
 *
 * <p>The probe costs five requests and a delete. A store that was found unsuitable stays so for the process; a probe
 * that had no answer is made again by the next write.
 */
public final class ProbedStore implements ObjectStore {
    private final ObjectStore store;
    private final Object probing = new Object();
    private volatile boolean suitable;

    /** What the probe has found; null for nothing yet. Read and written while the lock is held. */
    private @Nullable String unsuitable;

    /** @param store sends each request once */
    public ProbedStore(ObjectStore store) {
        this.store = store;
    }

    /**
     * Probes the store unless this process has done so.
     *
     * @throws ObjectStoreException UNSUITABLE when the store ignores or refuses a condition; any other kind when it
     *     does not answer
     */
    public void requireConditions() {
        if (suitable) {
            return;
        }
        synchronized (probing) {
            if (suitable) {
                return;
            }
            if (unsuitable != null) {
                throw new ObjectStoreException(ObjectStoreException.Kind.UNSUITABLE, unsuitable);
            }
            try {
                StoreProbe.run(store, Ulid.random().toString());
            } catch (ObjectStoreException e) {
                if (e.kind() == ObjectStoreException.Kind.UNSUITABLE) {
                    unsuitable = e.getMessage();
                }
                throw e;
            }
            suitable = true;
        }
    }

    @Override
    public String location() {
        return store.location();
    }

    @Override
    public @Nullable StoredObject get(String key) {
        return store.get(key);
    }

    @Override
    public @Nullable InputStream read(String key, long from) {
        return store.read(key, from);
    }

    @Override
    public List<String> list(String prefix, String after, int keysMax) {
        return store.list(prefix, after, keysMax);
    }

    @Override
    public boolean putIfAbsent(String key, byte[] bytes) {
        requireConditions();
        return store.putIfAbsent(key, bytes);
    }

    @Override
    public boolean putIfAbsent(String key, Content content) {
        requireConditions();
        return store.putIfAbsent(key, content);
    }

    @Override
    public boolean putIfMatch(String key, String version, byte[] bytes) {
        requireConditions();
        return store.putIfMatch(key, version, bytes);
    }

    @Override
    public void delete(String key) {
        requireConditions();
        store.delete(key);
    }

    @Override
    public void deleteAll(List<String> keys) {
        requireConditions();
        store.deleteAll(keys);
    }
}
