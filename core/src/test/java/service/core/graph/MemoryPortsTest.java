package service.core.graph;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Nested;
import service.core.port.WritableGraphStorage;
import service.core.testkit.BlobStoreContract;
import service.core.testkit.CommitLogContract;
import service.core.testkit.GraphSessionContract;
import service.core.testkit.GraphStorageContract;
import service.core.testkit.GraphViewContract;
import service.core.testkit.MemoryStorage;
import service.core.testkit.SmallGraph;
import service.core.testkit.StorageFixture;
import service.core.testkit.StorageUnderTest;

/** The fake storage keeps the contracts of the real one. */
class MemoryPortsTest implements StorageFixture {
    private static final class Memory implements StorageUnderTest {
        private final MemoryStorage storage = new MemoryStorage(SmallGraph.CATALOG);
        private final List<MemoryStorage> crashed = new ArrayList<>();

        @Override
        public WritableGraphStorage storage() {
            return storage;
        }

        @Override
        public void beforeFlush(Runnable step) {
            storage.beforeFlush = step;
        }

        @Override
        public WritableGraphStorage afterCrash() {
            crashed.add(storage.crash());
            return crashed.getLast();
        }

        @Override
        public void close() {
            storage.close();
            crashed.forEach(MemoryStorage::close);
        }
    }

    @Override
    public StorageUnderTest create() {
        return new Memory();
    }

    @Nested
    class Storage extends GraphStorageContract {}

    @Nested
    class Session extends GraphSessionContract {}

    @Nested
    class Log extends CommitLogContract {}

    @Nested
    class Blobs extends BlobStoreContract {}

    @Nested
    class View extends GraphViewContract {}
}
