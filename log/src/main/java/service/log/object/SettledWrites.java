package service.log.object;

import java.io.InputStream;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import service.core.port.ObjectStore;
import service.core.port.ObjectStoreException;

/**
 * A store for small objects that one process at a time writes, such as the ledger of a cluster and its lock. It repeats
 * what {@link RepeatedReads} repeats, and settles a write whose answer was lost: it sends the write again, and when the
 * condition is not met then, the object has either the bytes of this write or those of another process.
 *
 * <p>The bytes of different writers must differ. A delete whose answer was lost is repeated only while the object is
 * the one that was there before, because another process may have created it again.
 */
public final class SettledWrites implements ObjectStore {
    private final ObjectStore once;
    private final RepeatedReads reads;

    /** @param once sends each request once */
    public SettledWrites(ObjectStore once) {
        this.once = once;
        this.reads = new RepeatedReads(once);
    }

    @Override
    public String location() {
        return once.location();
    }

    @Override
    public @Nullable StoredObject get(String key) {
        return reads.get(key);
    }

    @Override
    public @Nullable InputStream read(String key, long from) {
        return reads.read(key, from);
    }

    @Override
    public boolean putIfAbsent(String key, byte[] bytes) {
        return settled(key, bytes, () -> once.putIfAbsent(key, bytes));
    }

    /** Not settled: such an object is too large to be compared on the heap. */
    @Override
    public boolean putIfAbsent(String key, Content content) {
        return once.putIfAbsent(key, content);
    }

    @Override
    public boolean putIfMatch(String key, String version, byte[] bytes) {
        return settled(key, bytes, () -> once.putIfMatch(key, version, bytes));
    }

    private boolean settled(String key, byte[] bytes, BooleanSupplier write) {
        Backoff backoff = new Backoff(ThreadLocalRandom.current());
        boolean unknown = false;
        for (int attempt = 1; ; attempt++) {
            try {
                return write.getAsBoolean() || (unknown && has(key, bytes));
            } catch (ObjectStoreException e) {
                backoff.pauseOrThrow(e, attempt);
                unknown = true;
            }
        }
    }

    private boolean has(String key, byte[] bytes) {
        StoredObject present = reads.get(key);
        return present != null && Arrays.equals(present.bytes(), bytes);
    }

    @Override
    public void delete(String key) {
        StoredObject before = reads.get(key);
        StoredObject present = before;
        Backoff backoff = new Backoff(ThreadLocalRandom.current());
        for (int attempt = 1; before != null && isSame(before, present); attempt++) {
            try {
                once.delete(key);
                return;
            } catch (ObjectStoreException e) {
                backoff.pauseOrThrow(e, attempt);
                present = reads.get(key);
            }
        }
    }

    @Override
    public void deleteAll(List<String> keys) {
        ObjectStore.requireKeys(keys);
        keys.forEach(this::delete);
    }

    private static boolean isSame(StoredObject before, @Nullable StoredObject present) {
        return present != null && present.version().equals(before.version());
    }

    @Override
    public List<String> list(String prefix, String after, int keysMax) {
        return reads.list(prefix, after, keysMax);
    }
}
