package service.core.testkit;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import service.core.port.ObjectStore;

/**
 * Objects on the heap. A write changes first what is seen and then what a crash leaves; a step between the two can
 * throw, as a disk does whose sync fails. Any thread.
 */
public final class MemoryObjectStore implements ObjectStore {
    private final TreeMap<String, StoredObject> seen = new TreeMap<>();
    private final Map<String, StoredObject> durable = new HashMap<>();
    private Runnable beforeDurable = () -> {};
    private long versions;

    /** Sets what runs in every write before it is durable. When it throws, the write throws and is not durable. */
    public synchronized void beforeDurable(Runnable step) {
        beforeDurable = step;
    }

    /** The store after a crash of the machine: it has forgotten what was not durable. */
    public synchronized MemoryObjectStore afterCrash() {
        MemoryObjectStore after = new MemoryObjectStore();
        after.seen.putAll(durable);
        after.durable.putAll(durable);
        after.versions = versions;
        return after;
    }

    @Override
    public String location() {
        return "memory://objects";
    }

    @Override
    public synchronized @Nullable StoredObject get(String key) {
        ObjectStore.requireKey(key);
        StoredObject found = seen.get(key);
        return found == null ? null : new StoredObject(found.bytes().clone(), found.version());
    }

    @Override
    public synchronized @Nullable InputStream read(String key, long from) {
        ObjectStore.requireKey(key);
        StoredObject found = seen.get(key);
        if (found == null) {
            return null;
        }
        return new ByteArrayInputStream(found.bytes(), (int) from, found.bytes().length - (int) from);
    }

    @Override
    public boolean putIfAbsent(String key, Content content) {
        ObjectStore.requireSize(key, content);
        try (InputStream bytes = content.open()) {
            byte[] all = bytes.readAllBytes();
            if (all.length != content.length()) {
                throw new EOFException(key + ": " + all.length + " bytes of " + content.length());
            }
            return putIfAbsent(key, all);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public synchronized boolean putIfAbsent(String key, byte[] bytes) {
        ObjectStore.requireKey(key);
        return !seen.containsKey(key) && put(key, bytes);
    }

    @Override
    public synchronized boolean putIfMatch(String key, String version, byte[] bytes) {
        ObjectStore.requireKey(key);
        StoredObject present = seen.get(key);
        return present != null && present.version().equals(version) && put(key, bytes);
    }

    private boolean put(String key, byte[] bytes) {
        ObjectStore.requireSize(key, bytes);
        StoredObject written = new StoredObject(bytes.clone(), "v" + ++versions);
        seen.put(key, written);
        beforeDurable.run();
        durable.put(key, written);
        return true;
    }

    @Override
    public synchronized void delete(String key) {
        ObjectStore.requireKey(key);
        seen.remove(key);
        beforeDurable.run();
        durable.remove(key);
    }

    @Override
    public void deleteAll(List<String> keys) {
        ObjectStore.requireKeys(keys);
        keys.forEach(this::delete);
    }

    @Override
    public synchronized List<String> list(String prefix, String after, int keysMax) {
        ObjectStore.requireList(prefix, keysMax);
        return seen.tailMap(after, false).keySet().stream()
                .filter(key -> key.startsWith(prefix))
                .limit(keysMax)
                .toList();
    }
}
