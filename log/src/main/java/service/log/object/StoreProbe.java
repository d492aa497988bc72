package service.log.object;

import java.nio.charset.StandardCharsets;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import service.core.port.ObjectStore;
import service.core.port.ObjectStore.StoredObject;
import service.core.port.ObjectStoreException;

/**
 * Checks that a store keeps the conditions of writes. A store that ignores them would let two writers replace each
 * other's commits. It writes, rewrites and deletes one object.
 */
public final class StoreProbe {
    private static final Logger LOG = LoggerFactory.getLogger(StoreProbe.class);
    private static final String FOLDER = "__cluster/probe/";

    private StoreProbe() {}

    /**
     * Probes a store, before a process writes to it for the first time.
     *
     * @param once sends each request once; writes whose answers are lost are settled
     * @param name of the object, used by no other process
     * @throws ObjectStoreException UNSUITABLE when the store ignores a condition; any other kind when it does not
     *     answer
     */
    public static void run(ObjectStore once, String name) {
        SettledWrites store = new SettledWrites(once);
        String key = FOLDER + name;
        byte[] first = "one".getBytes(StandardCharsets.US_ASCII);
        byte[] second = "two".getBytes(StandardCharsets.US_ASCII);
        try {
            require(
                    store,
                    taken(() -> store.putIfAbsent(key, first)),
                    "it does not create an object with If-None-Match: *");
            require(store, !store.putIfAbsent(key, second), "it ignores If-None-Match: *");
            String version = version(store, key);
            require(
                    store,
                    taken(() -> store.putIfMatch(key, version, second)),
                    "it does not replace an object with If-Match");
            require(store, !store.putIfMatch(key, version, first), "it ignores If-Match");
        } finally {
            forget(new RepeatedReads(once), key);
        }
    }

    private static String version(ObjectStore store, String key) {
        StoredObject found = store.get(key);
        require(store, found != null, "it does not give an object that was just created");
        return found == null ? "" : found.version();
    }

    /** Whether a write was made; a request that the store does not take at all was not. */
    private static boolean taken(BooleanSupplier write) {
        try {
            return write.getAsBoolean();
        } catch (ObjectStoreException e) {
            if (e.kind() != ObjectStoreException.Kind.UNSUITABLE) {
                throw e;
            }
            LOG.debug("the probe was refused", e);
            return false;
        }
    }

    private static void require(ObjectStore store, boolean kept, String finding) {
        if (!kept) {
            throw new ObjectStoreException(
                    ObjectStoreException.Kind.UNSUITABLE,
                    store.location() + " cannot hold a cluster: " + finding
                            + ", so that commits could be lost; use a store that supports conditional writes");
        }
    }

    /** An object that stays is harmless, because no other process uses its name. */
    private static void forget(ObjectStore store, String key) {
        try {
            store.delete(key);
        } catch (ObjectStoreException e) {
            LOG.debug("{}: cannot be deleted", key, e);
        }
    }
}
