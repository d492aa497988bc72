package service.cli.boot;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import service.core.error.StartRefusedException;
import service.core.port.GraphPlace;
import service.core.port.ObjectStore;
import service.core.port.ObjectStoreException;
import service.core.port.RootAddress;
import service.log.object.DirectoryObjectStore;
import service.log.object.ProbedStore;
import service.log.object.RepeatedReads;
import service.log.object.S3ObjectStore;
import service.log.object.SettledWrites;

/** Opens what roots and graphs are stored in. The only class that decides by the kind of a place. Any thread. */
final class StorageKinds {
    /** The stores of buckets stay open until the process ends, because a client is expensive to make. */
    private static final Map<RootAddress.Bucket, ProbedStore> BUCKETS = new ConcurrentHashMap<>();

    private StorageKinds() {}

    /** The objects of a root, for its ledger and catalog: a write whose answer is lost is settled by reading. */
    static ObjectStore objects(RootAddress root) {
        return switch (root) {
            case RootAddress.Directory directory -> new DirectoryObjectStore(directory.path());
            case RootAddress.Bucket bucket -> new SettledWrites(once(bucket));
        };
    }

    /** The objects of a bucket; each request is sent once, and the first write after a probe. */
    private static ProbedStore once(RootAddress.Bucket root) {
        return BUCKETS.computeIfAbsent(
                root,
                any -> new ProbedStore(S3ObjectStore.open(
                        root, ServiceConfig.ofProcess().bucket().pathStyle())));
    }

    /** The objects of a bucket for graphs and files: what cannot harm is repeated, and a write is sent once. */
    static ObjectStore bucket(RootAddress.Bucket root) {
        return new RepeatedReads(once(root));
    }

    static PlacedGraph graph(GraphPlace place) {
        return switch (place) {
            case GraphPlace.InDirectory directory -> new GraphInDirectory(directory.path());
            case GraphPlace.InBucket objects ->
                new GraphInBucket(
                        objects,
                        bucket(objects.root()),
                        () -> requireConditions(objects.root()),
                        ServiceConfig.ofProcess().bucket());
        };
    }

    /** Whether a root is in storage outside of this machine, where others may work on it at the same time. */
    static boolean isShared(RootAddress root) {
        return switch (root) {
            case RootAddress.Directory directory -> false;
            case RootAddress.Bucket bucket -> true;
        };
    }

    /** The ids of the graphs of a root, sorted. */
    static List<String> graphs(RootAddress root) {
        return switch (root) {
            case RootAddress.Directory directory ->
                GraphInDirectory.list(directory.path().resolve("graphs"));
            case RootAddress.Bucket bucket -> GraphInBucket.list(bucket(bucket));
        };
    }

    /**
     * Checks, once in a process, that the storage of a root keeps the conditions of writes. The first write does it as
     * well; a caller that asks before gets the failure before it has begun anything.
     *
     * @throws ObjectStoreException UNSUITABLE, or the kind of another failure
     */
    static void requireConditions(RootAddress root) {
        switch (root) {
            case RootAddress.Directory directory -> {
                // Its store uses only what every file system has.
            }
            case RootAddress.Bucket bucket -> once(bucket).requireConditions();
        }
    }

    /** Why a server cannot start, or a command cannot work, without its storage. */
    static StartRefusedException refusal(ObjectStoreException failure) {
        String message = String.valueOf(failure.getMessage());
        return switch (failure.kind()) {
            case UNSUITABLE -> new StartRefusedException("storage_unsuitable", message);
            case REFUSED -> new StartRefusedException("storage_refused", message);
            case NO_BUCKET -> new StartRefusedException("storage_missing", message);
            case UNREACHABLE ->
                new StartRefusedException(
                        "storage_unreachable",
                        message + "; check AWS_ENDPOINT_URL_S3, AWS_REGION and the network, then try again");
            case FAILED, SLOW_DOWN ->
                new StartRefusedException(
                        "storage_unreachable",
                        message + "; the store was reached and answered so: see its log or its status page, then try"
                                + " again");
        };
    }
}
