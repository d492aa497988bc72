package service.core.testkit;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import service.core.port.ObjectStore;

/**
 * Objects on the heap. A write changes first what is seen and then what a crash leaves; a step between the two can
 * throw, as a disk does whose sync fails. Writes of one key exclude each other, and those of different keys do not. Any
 * thread.
 */
public final class MemoryObjectStore implements ObjectStore {
    private final NavigableMap<String, StoredObject> seen = new ConcurrentSkipListMap<>();
    private final Map<String, StoredObject> durable = new ConcurrentHashMap<>();
    private final Map<String, Object> locks = new ConcurrentHashMap<>();
    private final AtomicLong versions = new AtomicLong();
    private volatile Runnable beforeDurable = () -> {};

    private Object lock(String key) {
        return locks.computeIfAbsent(key, any -> new Object());
    }

    /** Sets what runs in every write before it is durable. When it throws, the write throws and is not durable. */
    public void beforeDurable(Runnable step) {
        beforeDurable = step;
    }

    /** The store after a crash of the machine: it has forgotten what was not durable. */
    public MemoryObjectStore afterCrash() {
        MemoryObjectStore after = new MemoryObjectStore();
        after.seen.putAll(durable);
        after.durable.putAll(durable);
        after.versions.set(versions.get());
        return after;
    }

    @Override
    public String location() {
        return "memory://objects";
    }

    @Override
    public @Nullable StoredObject get(String key) {
        ObjectStore.requireKey(key);
        StoredObject found = seen.get(key);
        return found == null ? null : new StoredObject(found.bytes().clone(), found.version());
    }

    @Override
    public @Nullable InputStream read(String key, long from) {
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
    public boolean putIfAbsent(String key, byte[] bytes) {
        ObjectStore.requireKey(key);
        synchronized (lock(key)) {
            return !seen.containsKey(key) && put(key, bytes);
        }
    }

    @Override
    public boolean putIfMatch(String key, String version, byte[] bytes) {
        ObjectStore.requireKey(key);
        synchronized (lock(key)) {
            StoredObject present = seen.get(key);
            return present != null && present.version().equals(version) && put(key, bytes);
        }
    }

    /** The caller holds the lock of the key. */
    private boolean put(String key, byte[] bytes) {
        ObjectStore.requireSize(key, bytes);
        StoredObject written = new StoredObject(bytes.clone(), "v" + versions.incrementAndGet());
        seen.put(key, written);
        beforeDurable.run();
        durable.put(key, written);
        return true;
    }

    @Override
    public void delete(String key) {
        ObjectStore.requireKey(key);
        synchronized (lock(key)) {
            seen.remove(key);
            beforeDurable.run();
            durable.remove(key);
        }
    }

    @Override
    public void deleteAll(List<String> keys) {
        ObjectStore.requireKeys(keys);
        keys.forEach(this::delete);
    }

    @Override
    public List<String> list(String prefix, String after, int keysMax) {
        ObjectStore.requireList(prefix, keysMax);
        return seen.tailMap(after, false).keySet().stream()
                .filter(key -> key.startsWith(prefix))
                .limit(keysMax)
                .toList();
    }
}
