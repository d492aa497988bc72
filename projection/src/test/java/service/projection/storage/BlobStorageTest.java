package service.projection.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.lmdbjava.Cursor;
import org.lmdbjava.Dbi;
import service.core.error.DamagedDataException;
import service.core.error.ServiceException;
import service.core.graph.GraphAccess;
import service.core.graph.load.LoadMode;
import service.core.graph.read.BlobCell;
import service.core.graph.request.ReadTarget;
import service.core.graph.request.WriteOptions;
import service.core.schema.Catalog;
import service.core.schema.SchemaCompiler;
import service.core.value.Value;
import service.log.format.EventLog;
import service.log.format.StoredBlobs;
import service.log.lmdb.CommitHook;
import service.log.lmdb.KeyBuffer;
import service.log.lmdb.LmdbEnvironment;
import service.log.lmdb.LmdbOptions;
import service.log.lmdb.ReadTransaction;
import service.log.lmdb.WriteTransaction;
import service.projection.TestEngine;

/** Where the bytes of blobs are stored, and that they are kept. */
final class BlobStorageTest {
    private static final String SCHEMA = "node Doc { name: String @key  raw: Blob?  n: I32? @unique }";
    private static final int LARGE = 200_000;

    @TempDir
    Path directory;

    private StorageOptions options() {
        return StorageOptions.defaults().withMapBytes(1L << 30, 4L << 30).withCheckpointEvents(0);
    }

    private Path home() {
        return directory.resolve("graph");
    }

    private LmdbGraphStorage create() {
        Catalog catalog = SchemaCompiler.compile(SCHEMA);
        return LmdbGraphStorage.create(home(), options(), TestEngine.schema(catalog), null);
    }

    private static GraphAccess graph(LmdbGraphStorage storage) {
        return TestEngine.graph(storage);
    }

    private static void load(GraphAccess graph, String... lines) {
        byte[] text = String.join("\n", lines).getBytes(StandardCharsets.UTF_8);
        try {
            graph.load(
                            WriteOptions.NONE,
                            "main",
                            null,
                            LoadMode.MERGE,
                            new ByteArrayInputStream(text),
                            TestEngine.ample())
                    .join();
        } catch (CompletionException e) {
            throw (RuntimeException) e.getCause();
        }
    }

    private static String doc(String name, byte[] bytes) {
        return "{\"type\":\"Doc\",\"data\":{\"name\":\"%s\",\"raw\":\"base64:%s\"}}"
                .formatted(name, Base64.getEncoder().encodeToString(bytes));
    }

    private static byte[] bytes(int length, long seed) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    private static Value.ManagedBlob blob(GraphAccess graph, String name) {
        return cell(graph, name).blob();
    }

    private static BlobCell.Managed cell(GraphAccess graph, String name) {
        return (BlobCell.Managed) graph.blob(ReadTarget.MAIN, new BlobCell.Address("node", "Doc", name, "raw"));
    }

    private static byte[] read(GraphAccess graph, String name) throws IOException {
        ByteArrayOutputStream into = new ByteArrayOutputStream();
        BlobCell.Managed cell = cell(graph, name);
        graph.copyBlob(cell, 0, cell.blob().size(), into);
        return into.toByteArray();
    }

    /** The entries of the table, key and value in hex. */
    private static Map<String, String> table(LmdbEnvironment environment) {
        Map<String, String> entries = new TreeMap<>();
        try (ReadTransaction read = environment.read();
                Cursor<DirectBuffer> cursor = environment.table("blobs").openCursor(read.txn())) {
            for (boolean found = cursor.first(); found; found = cursor.next()) {
                entries.put(hex(cursor.key()), hex(cursor.val()));
            }
        }
        return entries;
    }

    private static String hex(DirectBuffer buffer) {
        byte[] bytes = new byte[buffer.capacity()];
        buffer.getBytes(0, bytes);
        return HexFormat.of().formatHex(bytes);
    }

    @Test
    void equalBlobsAreStoredOnceAndSurviveARebuildOfTheTables() throws IOException {
        byte[] large = bytes(LARGE, 1);
        byte[] small = bytes(10, 2);
        Map<String, String> before;
        try (LmdbGraphStorage storage = create()) {
            GraphAccess graph = graph(storage);
            load(graph, doc("a", large), doc("b", large), doc("c", small), doc("d", new byte[0]));
            load(graph, doc("e", large), doc("c", large));
            before = table(storage.events().environment());
            // One head for each blob, four chunks of the large one and one of the small one.
            assertThat(before).hasSize(3 + 4 + 1);
            assertThat(read(graph, "e")).isEqualTo(large);
            assertThat(read(graph, "d")).isEmpty();
            assertThat(staged()).isZero();
        }
        LmdbGraphStorage.rebuild(home(), options(), offset -> {});
        LmdbGraphStorage.rebuild(home(), options(), offset -> {});
        try (LmdbGraphStorage storage = LmdbGraphStorage.open(home(), options())) {
            assertThat(table(storage.events().environment())).isEqualTo(before);
            assertThat(read(graph(storage), "c")).isEqualTo(large);
        }
        GraphVerification.Report report = GraphVerification.run(home(), options(), directory);
        assertThat(report.findings()).isEmpty();
        assertThat(report.blobs()).isEqualTo(3);
    }

    private long staged() throws IOException {
        Path staged = home().resolve(StoredBlobs.STAGED);
        if (!Files.isDirectory(staged)) {
            return 0;
        }
        try (Stream<Path> files = Files.list(staged)) {
            return files.count();
        }
    }

    @Test
    void aRefusedWriteLeavesNothing() throws IOException {
        try (LmdbGraphStorage storage = create()) {
            GraphAccess graph = graph(storage);
            assertThatThrownBy(() -> load(
                            graph,
                            doc("a", bytes(400_000, 3)),
                            "{\"type\":\"Doc\",\"data\":{\"name\":\"b\",\"n\":1}}",
                            "{\"type\":\"Doc\",\"data\":{\"name\":\"c\",\"n\":1}}"))
                    .isInstanceOf(ServiceException.class);
            assertThatThrownBy(() -> load(graph, doc("a", bytes(400_000, 3)), "{\"type\":\"Nothing\"}"))
                    .isInstanceOf(ServiceException.class);
            assertThat(table(storage.events().environment())).isEmpty();
            assertThat(staged()).isZero();
        }
    }

    @Test
    void aBackupContainsTheBlobs() throws IOException {
        byte[] large = bytes(LARGE, 9);
        try (LmdbGraphStorage storage = create()) {
            load(graph(storage), doc("a", large), doc("b", new byte[0]));
        }
        Path backup = directory.resolve("backup");
        try (OutputStream into = Files.newOutputStream(backup)) {
            GraphBackup.write(home(), "docs", into);
        }
        Path copy = directory.resolve("copy");
        GraphBackup.restore(backup, copy, options(), events -> {});
        try (LmdbGraphStorage storage = LmdbGraphStorage.open(copy, options())) {
            assertThat(read(graph(storage), "a")).isEqualTo(large);
            assertThat(read(graph(storage), "b")).isEmpty();
        }
    }

    /** A full map aborts the group after some chunks; it grows and the whole group runs again. */
    @Test
    void aFullMapGrowsWhileABlobIsWritten() throws IOException {
        create().close();
        byte[] large = bytes(6 << 20, 7);
        StorageOptions small = options().withMapBytes(1L << 20, 1L << 30);
        try (LmdbGraphStorage storage = LmdbGraphStorage.open(home(), small)) {
            GraphAccess graph = graph(storage);
            load(graph, doc("a", large), doc("b", bytes(300_000, 8)));
            assertThat(read(graph, "a")).isEqualTo(large);
            assertThat(storage.events().environment().mapBytes()).isGreaterThan(6L << 20);
            assertThat(staged()).isZero();
        }
        assertThat(GraphVerification.run(home(), options(), directory).findings())
                .isEmpty();
    }

    @Test
    void openingRemovesTheStagedFilesOfADeadProcess() throws IOException {
        create().close();
        Path left = home().resolve(StoredBlobs.STAGED).resolve("request-1.blobs");
        Files.createDirectories(left.getParent());
        Files.write(left, new byte[100]);
        LmdbGraphStorage.open(home(), options()).close();
        assertThat(left).doesNotExist();
    }

    @Test
    void aSlowReaderHoldsNoTransaction() throws IOException {
        try (LmdbGraphStorage storage = create()) {
            GraphAccess graph = graph(storage);
            byte[] large = bytes(LARGE, 4);
            load(graph, doc("a", large));
            BlobCell.Managed cell = cell(graph, "a");
            ByteArrayOutputStream slow = new ByteArrayOutputStream() {
                @Override
                public synchronized void write(byte[] from, int offset, int length) {
                    assertThat(storage.events().environment().openReads()).isZero();
                    assertThat(storage.environment().environment().openReads()).isZero();
                    // The property gets other bytes; the reader continues with those of the blob that it began.
                    load(graph, doc("a", bytes(10, size())));
                    super.write(from, offset, length);
                }
            };
            graph.copyBlob(cell, 0, cell.blob().size(), slow);
            assertThat(slow.toByteArray()).isEqualTo(large);
            assertThat(blob(graph, "a").size()).isEqualTo(10);
        }
    }

    @Test
    void verificationNamesADamagedBlob() throws IOException {
        String damaged;
        String missing;
        try (LmdbGraphStorage storage = create()) {
            GraphAccess graph = graph(storage);
            load(graph, doc("a", bytes(LARGE, 5)), doc("b", bytes(LARGE, 6)));
            damaged = blob(graph, "a").hex();
            missing = blob(graph, "b").hex();
        }
        try (LmdbEnvironment environment = LmdbEnvironment.open(
                        home().resolve(EventLog.DIRECTORY),
                        LmdbOptions.synced().withMapBytes(1L << 30, 4L << 30),
                        EventLog.lmdbTables(),
                        CommitHook.NONE);
                WriteTransaction write = environment.write()) {
            Dbi<DirectBuffer> blobs = environment.table("blobs");
            KeyBuffer key = new KeyBuffer();
            key.putBytes(HexFormat.of().parseHex(damaged)).putInt(1);
            UnsafeBuffer changed = new UnsafeBuffer(ByteBuffer.allocateDirect(65_518));
            blobs.put(write.txn(), key.key(), changed);
            for (int number = 0; number < 4; number++) {
                key.clear().putBytes(HexFormat.of().parseHex(missing)).putInt(number);
                blobs.delete(write.txn(), key.key());
            }
            blobs.delete(
                    write.txn(),
                    key.clear().putBytes(HexFormat.of().parseHex(missing)).key());
            write.commit();
        }
        assertThat(GraphVerification.run(home(), options(), directory).findings())
                .hasSize(2)
                .anyMatch(finding -> finding.contains(damaged) && finding.contains("damaged"))
                .anyMatch(finding -> finding.contains(missing) && finding.contains("missing"));
        try (LmdbGraphStorage storage = LmdbGraphStorage.open(home(), options())) {
            GraphAccess graph = graph(storage);
            assertThatThrownBy(() -> read(graph, "b"))
                    .isInstanceOf(DamagedDataException.class)
                    .hasMessageContaining(missing);
            assertThatThrownBy(() -> read(graph, "a"))
                    .isInstanceOf(DamagedDataException.class)
                    .hasMessageContaining(damaged)
                    .hasMessageContaining("checksum of chunk 1");
        }
    }
}
