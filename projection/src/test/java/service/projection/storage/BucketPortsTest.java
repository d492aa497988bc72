package service.projection.storage;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.io.TempDir;
import service.core.port.ObjectStore;
import service.core.port.WritableGraphStorage;
import service.core.testkit.BlobStoreContract;
import service.core.testkit.CommitLogContract;
import service.core.testkit.FaultyObjectStore;
import service.core.testkit.GraphStorageContract;
import service.core.testkit.MemoryObjectStore;
import service.core.testkit.SmallGraph;
import service.core.testkit.StorageFixture;
import service.core.testkit.StorageUnderTest;
import service.log.lmdb.CommitHook;
import service.log.lmdb.LmdbOptions;
import service.log.object.RepeatedReads;
import service.log.segment.SegmentStore;
import service.log.segment.SegmentedLog;
import service.projection.TestGraph;

/** The storage over a bucket keeps the contracts of the ports that a write or a restart concerns. */
class BucketPortsTest implements StorageFixture {
    @TempDir
    Path directory;

    /** A graph in a bucket; the next process has an empty disk, or the copy that this one leaves. */
    private static final class Bucket implements StorageUnderTest {
        private final Path directory;
        private final MemoryObjectStore bucket = new MemoryObjectStore();
        private final FaultyObjectStore client = new FaultyObjectStore(bucket, 0);
        private final List<LmdbGraphStorage> opened = new ArrayList<>();

        Bucket(Path directory) {
            this.directory = directory;
            opened.add(LmdbGraphStorage.create(home(client), TestGraph.options(), SmallGraph.SCHEMA, "tester"));
        }

        private SegmentedLog home(ObjectStore store) {
            return new SegmentedLog(
                    new SegmentStore(new RepeatedReads(store), "g"),
                    directory.resolve("copy-" + opened.size()),
                    LmdbOptions.unsynced().withMapBytes(1L << 30, 4L << 30),
                    CommitHook.NONE,
                    "boot");
        }

        @Override
        public WritableGraphStorage storage() {
            return opened.getFirst();
        }

        @Override
        public void beforeFlush(Runnable step) {
            client.beforeCreation(key -> step.run());
        }

        @Override
        public WritableGraphStorage afterCrash() {
            opened.add(LmdbGraphStorage.open(home(bucket.afterCrash()), TestGraph.options()));
            return opened.getLast();
        }

        @Override
        public void close() {
            opened.forEach(LmdbGraphStorage::close);
        }
    }

    @Override
    public StorageUnderTest create() {
        return new Bucket(directory);
    }

    @Nested
    class Storage extends GraphStorageContract {}

    @Nested
    class Log extends CommitLogContract {}

    @Nested
    class Blobs extends BlobStoreContract {}
}
