package service.core.cluster;

import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.error.StartRefusedException;
import service.core.port.ObjectStore;
import service.core.port.ObjectStore.StoredObject;
import service.core.port.ObjectStores;

/** The objects of a cluster's root, and their keys ({@code cluster.md} §2). */
final class ClusterRoot {
    static final String LOCK = "__cluster/lock.json";

    private static final String LEDGER = "__cluster/state.json";
    private static final String RECOVERIES = "__cluster/recoveries/";
    private static final String APPROVALS = "__cluster/approvals/";
    private static final String RESOURCES = "__cluster/resources/";

    /** Keys listed at once. */
    private static final int PAGE = 1_000;

    private final Path root;
    private final ObjectStore store;

    ClusterRoot(Path root, ObjectStores stores) {
        this.root = root.toAbsolutePath().normalize();
        this.store = stores.open(this.root);
    }

    /**
     * The root that a cluster's directory names.
     *
     * @param storage the {@code storage} entry, or null for the directory itself
     * @throws StartRefusedException {@code config_invalid} for a kind of storage that this build does not support
     */
    static ClusterRoot of(Path directory, @Nullable String storage, ObjectStores stores) {
        if (storage == null) {
            return new ClusterRoot(directory, stores);
        }
        if (storage.startsWith("file://")) {
            try {
                return new ClusterRoot(Path.of(URI.create(storage)), stores);
            } catch (IllegalArgumentException e) {
                throw new StartRefusedException(
                        "config_invalid",
                        "storage `%s` is not a file URI of this machine; write it as file:///absolute/path"
                                .formatted(storage));
            }
        }
        if (storage.contains("://")) {
            throw new StartRefusedException(
                    "config_invalid", "this build keeps clusters in local directories only; storage is " + storage);
        }
        try {
            return new ClusterRoot(directory.resolve(storage), stores);
        } catch (InvalidPathException e) {
            throw new StartRefusedException("config_invalid", "storage is not a path: " + e.getReason());
        }
    }

    /** The root's URI without a trailing slash. */
    String canonical() {
        return store.location();
    }

    Path path() {
        return root;
    }

    ObjectStore store() {
        return store;
    }

    /** The URI of an object, for messages. */
    String location(String key) {
        return store.location() + "/" + key;
    }

    Path graphDirectory(String graphId) {
        return graphsFolder().resolve(graphId);
    }

    /** The ledger's bytes with their version; null when there is none. */
    @Nullable
    StoredObject readLedger() {
        return store.get(LEDGER);
    }

    /**
     * Replaces the ledger if it has not changed since it was read. The caller holds the lock.
     *
     * @param expected the ledger that was read, or null when there was none
     * @throws ServiceException PRECONDITION_FAILED when it has changed
     */
    void writeLedger(@Nullable StoredObject expected, Ledger ledger) {
        byte[] bytes = ledger.toBytes();
        boolean written = expected == null
                ? store.putIfAbsent(LEDGER, bytes)
                : store.putIfMatch(LEDGER, expected.version(), bytes);
        if (!written) {
            throw new ServiceException(
                    ErrorCode.PRECONDITION_FAILED,
                    "another process has changed the ledger meanwhile; run the command again");
        }
    }

    /**
     * Stores a resource's content under its digest. Does nothing if it is there; replaces a content that was lost or
     * changed. The caller holds the lock.
     *
     * @throws ClusterConflictException when another process has written the content meanwhile
     */
    void putContent(Resource resource) {
        String content = resource.content();
        if (content == null) {
            return;
        }
        String key = contentKey(resource.address(), resource.digest());
        StoredObject present = store.get(key);
        byte[] bytes = content.getBytes(StandardCharsets.UTF_8);
        if (present != null && Arrays.equals(present.bytes(), bytes)) {
            return;
        }
        boolean written =
                present == null ? store.putIfAbsent(key, bytes) : store.putIfMatch(key, present.version(), bytes);
        if (!written) {
            throw new ClusterConflictException(
                    "another process has changed the catalog meanwhile; run the command again");
        }
    }

    /** The content of an applied resource; null when the catalog has lost it or cannot be read. */
    @Nullable
    String readContent(String address, String digest) {
        try {
            StoredObject found = store.get(contentKey(address, digest));
            return found == null ? null : new String(found.bytes(), StandardCharsets.UTF_8);
        } catch (UncheckedIOException e) {
            return null;
        }
    }

    /**
     * What is wrong with the content of an applied resource.
     *
     * @return null when it is as applied
     */
    @Nullable
    String faultOf(Resource resource) {
        if (resource.kind() == Resource.Kind.GRAPH) {
            return null;
        }
        String content = readContent(resource.address(), resource.digest());
        if (content == null) {
            return "the catalog has lost the payload of " + resource.address() + "; run `service cluster apply`";
        }
        return resource.withContent(content).digest().equals(resource.digest())
                ? null
                : "the payload of " + resource.address()
                        + " in the catalog was changed, and is not served; run `service cluster apply`";
    }

    /** Keys of the pending recovery records, oldest first. */
    List<String> recoveries() {
        return keys(RECOVERIES);
    }

    /** Keys of the approvals, used or not, oldest first. */
    List<String> approvals() {
        return keys(APPROVALS);
    }

    private List<String> keys(String prefix) {
        List<String> all = new ArrayList<>();
        String after = "";
        List<String> page;
        do {
            page = store.list(prefix, after, PAGE);
            page.stream().filter(key -> key.endsWith(".json")).forEach(all::add);
            after = page.isEmpty() ? after : page.getLast();
        } while (page.size() == PAGE);
        return all;
    }

    /**
     * Writes a recovery record.
     *
     * @param id a new ULID
     */
    void putRecovery(String id, byte[] record) {
        putNew(RECOVERIES + id + ".json", record);
    }

    /**
     * Writes an approval.
     *
     * @param id a new ULID
     */
    void putApproval(String id, byte[] artifact) {
        putNew(APPROVALS + id + ".json", artifact);
    }

    private void putNew(String key, byte[] bytes) {
        if (!store.putIfAbsent(key, bytes)) {
            throw new IllegalStateException("there is an object " + key);
        }
    }

    /** The folder of the graphs. */
    Path graphsFolder() {
        return root.resolve("graphs");
    }

    private static String contentKey(String address, String digest) {
        return RESOURCES + Resource.catalogPath(address, digest);
    }
}
