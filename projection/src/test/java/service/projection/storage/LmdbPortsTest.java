package service.projection.storage;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.io.TempDir;
import service.core.port.WritableGraphStorage;
import service.core.testkit.BlobStoreContract;
import service.core.testkit.CommitLogContract;
import service.core.testkit.GraphSessionContract;
import service.core.testkit.GraphStorageContract;
import service.core.testkit.GraphViewContract;
import service.core.testkit.SmallGraph;
import service.core.testkit.StorageFixture;
import service.core.testkit.StorageUnderTest;
import service.log.lmdb.CommitHook;
import service.projection.TestGraph;

/** The storage over LMDB keeps the contracts of the ports. */
class LmdbPortsTest implements StorageFixture {
    @TempDir
    Path directory;

    /** A graph in a directory; a copy of the directory is the state in which a killed process leaves it. */
    private static final class Lmdb implements StorageUnderTest {
        private final Path directory;
        private final List<LmdbGraphStorage> opened = new ArrayList<>();
        private volatile Runnable beforeFlush = () -> {};

        Lmdb(Path directory) {
            this.directory = directory;
            StorageOptions options = TestGraph.options().withHook(new CommitHook() {
                @Override
                public void beforeCommit(Path environment) {
                    if (!environment.endsWith(LmdbGraphStorage.PROJECTION)) {
                        beforeFlush.run();
                    }
                }
            });
            opened.add(LmdbGraphStorage.create(directory.resolve("graph"), options, SmallGraph.SCHEMA, "tester"));
        }

        @Override
        public WritableGraphStorage storage() {
            return opened.getFirst();
        }

        @Override
        public void beforeFlush(Runnable step) {
            beforeFlush = step;
        }

        @Override
        public WritableGraphStorage afterCrash() {
            Path copy = directory.resolve("copy-" + opened.size());
            GraphStorageTest.copyAsIfKilled(directory.resolve("graph"), copy);
            opened.add(LmdbGraphStorage.open(copy, TestGraph.options()));
            return opened.getLast();
        }

        @Override
        public void close() {
            opened.forEach(LmdbGraphStorage::close);
        }
    }

    @Override
    public StorageUnderTest create() {
        return new Lmdb(directory);
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
