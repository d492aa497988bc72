package service.projection.storage;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import service.core.testkit.SmallGraph;
import service.log.lmdb.CommitHook;
import service.log.lmdb.ReadTransaction;
import service.log.lmdb.WriteTransaction;
import service.log.retain.BaseFile;
import service.log.retain.Retention;
import service.projection.TestGraph;
import service.projection.table.AppliedTable;
import service.projection.table.EntryCursor;
import service.projection.table.ProjectionEnvironment;
import service.projection.table.ProjectionTable;
import service.projection.table.TableAccess;

/** Tables of layout 4, in which LMDB held each neighbour under its key. */
final class EarlierLayoutTest {
    private static final int LAYOUT = 4;

    private final StorageOptions options = TestGraph.options();

    @TempDir
    private Path folder;

    private Path graph;

    @Test
    void checkpointsOfAnEarlierLayoutAreReadAndItsTablesMadeAgain() throws IOException {
        graph = folder.resolve("graph");
        long applied;
        try (LmdbGraphStorage storage = LmdbGraphStorage.create(graph, options, SmallGraph.SCHEMA, "tester")) {
            SmallGraph.commit(storage.log(), SmallGraph.branch(storage, "main"), SmallGraph.circle(500));
            SmallGraph.commit(
                    storage.log(), SmallGraph.branch(storage, "main"), List.of(SmallGraph.knows("late", "p7", "p3")));
            applied = storage.events().tail().offset();
        }
        Path whole = earlier();
        Path checkpoints = Files.createDirectories(graph.resolve(Checkpoints.DIRECTORY));
        Retention.Base name = new Retention.Base(applied, sha256(whole));
        Files.copy(whole, checkpoints.resolve(BaseFile.name(name, BaseFile.WHOLE)));
        Path restored = folder.resolve("restored");
        assertThat(new Checkpoints(graph).restore(restored, options.projection(), applied))
                .isTrue();
        assertSame(restored, applied);

        Files.copy(whole, projection().resolve("data.mdb"), StandardCopyOption.REPLACE_EXISTING);
        LmdbGraphStorage.open(graph, options).close();
        assertSame(restored, applied);
        assertThat(GraphVerification.run(graph, options, folder).findings()).isEmpty();
    }

    private Path projection() {
        return graph.resolve(LmdbGraphStorage.PROJECTION);
    }

    /** Makes a data file with the entries of the tables as layout 4 had them. */
    private Path earlier() throws IOException {
        Path directory = Files.createDirectory(folder.resolve("earlier"));
        try (ProjectionEnvironment from = open(projection());
                ProjectionEnvironment into = open(directory);
                ReadTransaction read = from.environment().read();
                WriteTransaction write = into.environment().write()) {
            TableAccess source = from.access(read);
            TableAccess target = into.access(write);
            for (ProjectionTable table : ProjectionTable.values()) {
                try (EntryCursor entries = source.entryCursor(table)) {
                    for (boolean found = entries.first(); found; found = entries.next()) {
                        byte[] value = new byte[entries.value().capacity()];
                        entries.value().getBytes(0, value);
                        if (table == ProjectionTable.APPLIED) {
                            AppliedTable.pack(value);
                            assertThat(value[0]).isEqualTo((byte) LAYOUT);
                        }
                        UnsafeBuffer direct = new UnsafeBuffer(java.nio.ByteBuffer.allocateDirect(value.length));
                        direct.putBytes(0, value);
                        target.put(table, entries.key(), direct);
                    }
                }
            }
            assertThat(target.entries(ProjectionTable.OUT)).isEqualTo(501);
            assertThat(source.entries(ProjectionTable.OUT)).isLessThan(50);
            source.end();
            target.end();
            write.commit();
        }
        return directory.resolve("data.mdb");
    }

    private ProjectionEnvironment open(Path directory) {
        return ProjectionEnvironment.open(directory, options.projection(), CommitHook.NONE);
    }

    private void assertSame(Path restored, long applied) {
        try (ProjectionEnvironment tables = open(projection());
                ProjectionEnvironment made = open(restored);
                ReadTransaction read = made.environment().read()) {
            TableAccess access = made.access(read);
            assertThat(AppliedTable.isThisLayout(access)).isTrue();
            assertThat(AppliedTable.offset(access)).isEqualTo(applied);
            access.end();
            assertThat(TablesCompared.difference(tables, made)).isNull();
        }
    }

    private static String sha256(Path file) throws IOException {
        MessageDigest digest = service.core.value.Sha256.begin();
        return HexFormat.of().formatHex(digest.digest(Files.readAllBytes(file)));
    }
}
