package service.projection.search.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import service.core.budget.MemoryPool;
import service.core.graph.load.LoadMode;
import service.core.graph.request.WriteOptions;
import service.core.port.GraphSession;
import service.core.port.GraphView;
import service.core.port.RetentionPolicy;
import service.core.port.SearchIndex;
import service.core.port.SearchStatus;
import service.core.port.TextIndex;
import service.core.schema.Catalog;
import service.core.schema.CatalogCodec;
import service.core.schema.SchemaCompiler;
import service.core.testkit.SmallGraph;
import service.core.value.Ulid;
import service.log.files.FileTrees;
import service.log.format.EventLog;
import service.projection.TestEngine;
import service.projection.storage.LmdbGraphStorage;
import service.projection.storage.ReadOnlyGraphStorage;
import service.projection.storage.StorageOptions;

/** The files of the index of main: what they hold after a cleanup, and what becomes of those that do not fit. */
class IndexFilesTest {
    private static final Catalog CATALOG = SchemaCompiler.compile("node Doc { body: String @search }");
    private static final StorageOptions OPTIONS = StorageOptions.defaults(CatalogCodec::decode)
            .withMapBytes(1L << 28, 1L << 30)
            .withCheckpointEvents(0)
            .withSearch(SearchOptions.of(Duration.ofMillis(5), 0, 1 << 20, SearchOptions.Branches.DEFAULT));

    @TempDir
    Path temporary;

    private Path directory() {
        return temporary.resolve("graph");
    }

    private Path index() {
        return directory().resolve(SearchOptions.DIRECTORY);
    }

    private LmdbGraphStorage create() {
        return LmdbGraphStorage.create(directory(), OPTIONS, TestEngine.schema(CATALOG), "tester");
    }

    private static void load(LmdbGraphStorage storage, String word, int documents) {
        load(storage, Collections.nCopies(documents, word));
    }

    private static void load(LmdbGraphStorage storage, List<String> words) {
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < words.size(); i++) {
            lines.append("{\"type\":\"Doc\",\"data\":{\"id\":\"d%d\",\"body\":\"%s and more\"}}\n"
                    .formatted(i, words.get(i)));
        }
        TestEngine.graph(storage)
                .load(
                        WriteOptions.NONE,
                        "main",
                        null,
                        LoadMode.MERGE,
                        new ByteArrayInputStream(lines.toString().getBytes(StandardCharsets.UTF_8)),
                        TestEngine.ample())
                .join();
    }

    private static void waitForIndex(LmdbGraphStorage storage) {
        await().until(() ->
                storage.search().status().position() >= storage.events().tail().offset());
    }

    /** How many documents of the head have a word, by the index; −1 when it is not there yet. */
    private static long having(LmdbGraphStorage storage, String word) {
        int type = CATALOG.nodes().iterator().next().identity();
        int property = CATALOG.nodes().iterator().next().properties().getFirst().identity();
        try (GraphSession session = storage.session();
                GraphView view = session.view(SmallGraph.branch(storage, "main").headPoint())) {
            TextIndex texts = view.texts();
            TextIndex.Statistics known =
                    texts == null ? null : texts.statistics(type, property, List.of(word), TextIndex.Payer.NONE);
            return known == null ? -1 : known.having()[0];
        }
    }

    private boolean isInFiles(String word) throws IOException {
        try (Stream<Path> files = Files.walk(index())) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                if (new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1).contains(word)) {
                    return true;
                }
            }
            return false;
        }
    }

    @Test
    void noTextAfterCleanup() throws IOException {
        try (LmdbGraphStorage storage = create()) {
            load(storage, "secretword", 20);
            waitForIndex(storage);
            load(storage, "publicword", 19);
            waitForIndex(storage);
            // It still has one document, so nothing but a merge removes the others.
            assertThat(having(storage, "secretword")).isEqualTo(1);
            load(storage, "publicword", 20);
            waitForIndex(storage);
            assertThat(isInFiles("secretword")).isTrue();
            storage.cleanup().run(new RetentionPolicy(1L, null), Duration.ZERO);
            assertThat(isInFiles("secretword")).isFalse();
            assertThat(isInFiles("publicword")).isTrue();
            assertThat(having(storage, "publicword")).isEqualTo(20);
            assertThat(storage.search().compare("main").difference()).isNull();
        }
    }

    @Test
    void oneTextAmongManyIsRemovedByACleanup() throws IOException {
        List<String> words = new ArrayList<>(Collections.nCopies(30, "publicword"));
        words.set(0, "secretword");
        try (LmdbGraphStorage storage = create()) {
            load(storage, words);
            waitForIndex(storage);
            load(storage, "otherword", 1);
            waitForIndex(storage);
            assertThat(isInFiles("secretword")).isTrue();
            storage.cleanup().run(new RetentionPolicy(1L, null), Duration.ZERO);
            assertThat(isInFiles("secretword")).isFalse();
            assertThat(having(storage, "publicword")).isEqualTo(29);
        }
    }

    @Test
    void aComparisonFromBesideFindsWhatTheIndexLacks() throws IOException {
        try (LmdbGraphStorage storage = create()) {
            load(storage, "word", 30);
            waitForIndex(storage);
        }
        assertThat(compared()).isEqualTo(new SearchIndex.Comparison(true, null));
        Path texts = index().resolve("0").resolve("text");
        Ulid graph;
        try (EventLog log = EventLog.openReadOnly(directory())) {
            graph = log.graph();
        }
        OwnIndex index = Objects.requireNonNull(OwnIndex.open(
                IndexPlace.ofTexts(directory(), graph, 0),
                IndexedField.of(CATALOG),
                OwnIndex.positionOf(texts),
                new KnownViews(new SearchMemory(new MemoryPool(1 << 24), 1 << 20))));
        index.delete(index.fields().getFirst().type(), 1);
        index.commit();
        index.abandon();
        assertThat(compared().difference()).contains("Doc.body");
        flip();
        assertThat(compared().difference()).contains("service search rebuild");
        FileTrees.delete(index());
        assertThat(compared()).isEqualTo(SearchIndex.Comparison.NOTHING);
    }

    private SearchIndex.Comparison compared() {
        try (ReadOnlyGraphStorage storage = ReadOnlyGraphStorage.open(directory(), OPTIONS)) {
            return storage.compareSearch("main");
        }
    }

    @Test
    void aDamagedOrForeignIndexIsBuiltAnewAndAGoodOneGoesOn() throws IOException {
        try (LmdbGraphStorage storage = create()) {
            load(storage, "first", 30);
            waitForIndex(storage);
        }
        assertThat(isInFiles("first")).isTrue();
        long size = OwnIndex.positionOf(index().resolve("0").resolve("text"));
        assertThat(size).isPositive();
        opensWith("first", 30);
        flip();
        opensWith("first", 30);
        change(bytes -> Arrays.copyOf(bytes, bytes.length / 2));
        opensWith("first", 30);
        // An index that is ahead of its log.
        Path kept = temporary.resolve("kept");
        copy(directory(), kept);
        try (LmdbGraphStorage storage = LmdbGraphStorage.open(directory(), OPTIONS)) {
            load(storage, "second", 30);
            waitForIndex(storage);
        }
        copy(index(), kept.resolve(SearchOptions.DIRECTORY));
        try (LmdbGraphStorage storage = LmdbGraphStorage.open(kept, OPTIONS)) {
            await().until(() -> storage.search().status().position() >= 0);
            assertThat(having(storage, "first")).isEqualTo(30);
            assertThat(having(storage, "second")).isZero();
        }
        LmdbGraphStorage.rebuild(directory(), OPTIONS, offset -> {});
        assertThat(index()).doesNotExist();
        opensWith("second", 30);
    }

    private void opensWith(String word, int documents) {
        try (LmdbGraphStorage storage = LmdbGraphStorage.open(directory(), OPTIONS)) {
            waitForIndex(storage);
            await().until(() -> having(storage, word) == documents);
            await().until(() -> storage.search().status().indexes().getFirst().state() == SearchStatus.State.READY);
        }
    }

    /** Changes a byte in the middle of each file of segments. */
    private void flip() throws IOException {
        change(bytes -> {
            bytes[bytes.length / 2] ^= 1;
            return bytes;
        });
    }

    /** Changes each file of segments. */
    private void change(UnaryOperator<byte[]> change) throws IOException {
        try (Stream<Path> files = Files.walk(index())) {
            for (Path file :
                    files.filter(each -> each.toString().endsWith(".cfs")).toList()) {
                Files.write(file, change.apply(Files.readAllBytes(file)));
            }
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        FileTrees.delete(to);
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Path copy = to.resolve(from.relativize(file).toString());
                if (Files.isDirectory(file)) {
                    Files.createDirectories(copy);
                } else {
                    Files.write(copy, Files.readAllBytes(file));
                }
            }
        }
    }

    @Test
    void aRebuildOnRequestAndADropOfTheFilesLoseNothing() throws IOException {
        try (LmdbGraphStorage storage = create()) {
            load(storage, "first", 30);
            waitForIndex(storage);
            storage.search().rebuild(Set.of());
            await().until(() -> having(storage, "first") == 30
                    && storage.search().status().indexes().getFirst().state() == SearchStatus.State.READY);
            List<SearchStatus.IndexState> states = storage.search().status().indexes();
            assertThat(states).hasSize(1);
            assertThat(states.getFirst().indexed()).isEqualTo(30);
            assertThat(states.getFirst().bytes()).isPositive();
        }
    }
}
