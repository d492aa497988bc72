package service.core.cluster;

import java.io.UncheckedIOException;
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
import service.core.port.GraphPlace;
import service.core.port.ObjectStore;
import service.core.port.ObjectStore.StoredObject;
import service.core.port.ObjectStoreException;
import service.core.port.ObjectStores;
import service.core.port.RootAddress;

/** The objects of a cluster's root, and their keys ({@code docs/cluster-reference.md}). */
final class ClusterRoot {
    static final String LOCK = "__cluster/lock.json";

    private static final String LEDGER = "__cluster/state.json";
    private static final String RECOVERIES = "__cluster/recoveries/";
    private static final String APPROVALS = "__cluster/approvals/";
    private static final String RESOURCES = "__cluster/resources/";

    /** Keys listed at once. */
    private static final int PAGE = 1_000;

    private final RootAddress address;
    private final ObjectStore store;

    ClusterRoot(RootAddress address, ObjectStores stores) {
        this.address = address;
        this.store = stores.open(address);
    }

    /**
     * The root that a cluster's directory names.
     *
     * @param storage the {@code storage} entry, or null for the directory itself
     * @throws StartRefusedException {@code config_invalid} when it is neither a path nor the URI of a root
     */
    static RootAddress named(Path directory, @Nullable String storage) {
        if (storage == null) {
            return new RootAddress.Directory(directory);
        }
        try {
            return RootAddress.isUri(storage)
                    ? RootAddress.ofUri(storage)
                    : new RootAddress.Directory(directory.resolve(storage));
        } catch (ServiceException e) {
            throw new StartRefusedException("config_invalid", "storage: " + e.getMessage());
        } catch (InvalidPathException e) {
            throw new StartRefusedException("config_invalid", "storage is not a path: " + e.getReason());
        }
    }

    /** The root's URI without a trailing slash. */
    String canonical() {
        return store.location();
    }

    RootAddress address() {
        return address;
    }

    ObjectStore store() {
        return store;
    }

    /** The URI of an object, for messages. */
    String location(String key) {
        return store.location() + "/" + key;
    }

    GraphPlace graph(String graphId) {
        return address.graph(graphId);
    }

    /**
     * The ledger's bytes with their version.
     *
     * @param options those that name the cluster, for the remedy
     * @throws StartRefusedException {@code cluster_state_missing} when there is no ledger
     */
    StoredObject requireLedger(String options) {
        StoredObject found = readLedger();
        if (found == null) {
            boolean hasGraphs = !store.list("graphs/", "", 1).isEmpty();
            throw new StartRefusedException(
                    "cluster_state_missing",
                    (hasGraphs
                                    ? "%s has graphs but no ledger; if it was lost, run `service cluster import %s`, and"
                                            + " else `service cluster apply`"
                                    : "nothing was ever applied in %s; run `service cluster apply %s`")
                            .formatted(canonical(), options));
        }
        return found;
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
        } catch (ObjectStoreException e) {
            throw e; // The store does not answer: that says nothing of the content.
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
        return payload(resource).fault();
    }

    /**
     * What the catalog has of an applied resource.
     *
     * @param content null when there is a fault
     * @param fault null when the content is as applied
     */
    record Payload(@Nullable String content, @Nullable String fault) {}

    /** Reads the content of an applied resource that is no graph, and checks its digest. */
    Payload payload(Resource resource) {
        String content = readContent(resource.address(), resource.digest());
        if (content == null) {
            return new Payload(
                    null,
                    "the catalog has lost the payload of " + resource.address() + "; run `service cluster apply`");
        }
        return resource.withContent(content).digest().equals(resource.digest())
                ? new Payload(content, null)
                : new Payload(
                        null,
                        "the payload of " + resource.address()
                                + " in the catalog was changed, and is not served; run `service cluster apply`");
    }

    /**
     * An object of a bucket below the root that no cluster writes, among the first 1,000; null when there is none. A
     * directory may hold the files of its cluster, so it is not read.
     */
    @Nullable
    String otherObject() {
        return switch (address) {
            case RootAddress.Directory directory -> null;
            case RootAddress.Bucket bucket ->
                store.list("", "", PAGE).stream()
                        .filter(key -> !key.startsWith("__cluster/") && !key.startsWith("graphs/"))
                        .findFirst()
                        .orElse(null);
        };
    }

    /** Whether the catalog holds the content of a policy, applied or replaced. */
    boolean hasPolicyContents() {
        return !store.list(RESOURCES + "policy/", "", 1).isEmpty();
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

    private static String contentKey(String address, String digest) {
        return RESOURCES + Resource.catalogPath(address, digest);
    }
}
