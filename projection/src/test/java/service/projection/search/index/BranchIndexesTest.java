package service.projection.search.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import service.core.graph.load.LoadMode;
import service.core.port.GraphSession;
import service.core.port.GraphView;
import service.core.port.RetentionPolicy;
import service.core.port.SearchStatus;
import service.core.port.TextIndex;
import service.core.schema.Catalog;
import service.core.schema.CatalogCodec;
import service.core.schema.EntityType;
import service.core.schema.SchemaCompiler;
import service.core.testkit.SmallGraph;
import service.projection.TestEngine;
import service.projection.storage.LmdbGraphStorage;
import service.projection.storage.ReadOnlyGraphStorage;
import service.projection.storage.StorageOptions;

/** The own indexes of branches: when a branch gets one, what it holds, and when it goes. */
class BranchIndexesTest {
    private static final Catalog CATALOG = SchemaCompiler.compile("node Doc { body: String @search }");
    private static final EntityType DOC = CATALOG.nodes().iterator().next();
    private static final int ENTITIES = 10;
    private static final StorageOptions OPTIONS = StorageOptions.defaults(CatalogCodec::decode)
            .withMapBytes(1L << 28, 1L << 30)
            .withCheckpointEvents(0)
            .withSearch(SearchOptions.of(
                    Duration.ofMillis(5), 0, 1 << 20, new SearchOptions.Branches(ENTITIES, 2, 1L << 30)));

    @TempDir
    Path temporary;

    private LmdbGraphStorage storage;

    @BeforeEach
    void create() {
        storage = LmdbGraphStorage.create(temporary.resolve("graph"), OPTIONS, TestEngine.schema(CATALOG), "tester");
        load("main", "original", 0, 40);
    }

    @AfterEach
    void close() {
        storage.close();
    }

    private void load(String branch, String word, int from, int to) {
        StringBuilder lines = new StringBuilder();
        for (int i = from; i < to; i++) {
            lines.append("{\"type\":\"Doc\",\"data\":{\"id\":\"d%d\",\"body\":\"%s and more\"}}\n".formatted(i, word));
        }
        TestEngine.load(TestEngine.graph(storage), branch, LoadMode.MERGE, lines.toString());
    }

    private void branch(String name, String from) {
        TestEngine.graph(storage).createBranch(name, from, null).join();
    }

    /** The indexes that a search of a branch reads, and how many documents it finds with a word. */
    private record Found(List<String> indexes, int direct, int documents) {}

    private Found find(String branch, String word) {
        try (GraphSession session = storage.session();
                GraphView view = session.view(SmallGraph.branch(storage, branch).headPoint())) {
            TextIndex texts = view.texts();
            TextIndex.Statistics counts = texts == null
                    ? null
                    : texts.statistics(DOC.identity(), property(), List.of(word), TextIndex.Payer.NONE);
            TextIndex.Proposal best = texts == null || counts == null
                    ? null
                    : texts.best(
                            DOC.identity(),
                            property(),
                            new TextIndex.Ranked(List.of(word), counts),
                            100,
                            TextIndex.ALL,
                            TextIndex.Payer.NONE);
            if (counts == null || best == null) {
                return new Found(List.of(), 0, -1);
            }
            assertThat((long) best.ordinals().length).isEqualTo(counts.having()[0]);
            return new Found(best.indexes(), best.direct(), best.ordinals().length);
        }
    }

    private static int property() {
        return DOC.properties().getFirst().identity();
    }

    private void awaitFound(String branch, String word, List<String> indexes, int direct, int documents) {
        await().until(() -> find(branch, word), new Found(indexes, direct, documents)::equals);
    }

    private List<String> folders() throws IOException {
        try (Stream<Path> found = Files.list(temporary.resolve("graph").resolve(SearchOptions.DIRECTORY))) {
            return found.map(each -> each.getFileName().toString()).sorted().toList();
        }
    }

    private int incarnation(String branch) {
        return SmallGraph.branch(storage, branch).incarnation();
    }

    @Test
    void aBranchWithManyChangesGetsAnIndexByASearchAndLosesItWhenItIsDeleted() throws IOException {
        branch("draft", "main");
        load("draft", "changed", 0, ENTITIES);
        awaitFound("draft", "changed", List.of("main"), ENTITIES, ENTITIES);
        assertThat(storage.search().status().branches()).isEmpty();
        load("draft", "changed", ENTITIES, ENTITIES + 1);
        assertThat(folders()).containsExactly("0");
        awaitFound("draft", "changed", List.of("draft", "main"), 0, ENTITIES + 1);
        assertThat(find("draft", "original").documents).isEqualTo(40 - ENTITIES - 1);
        assertThat(find("main", "original")).isEqualTo(new Found(List.of("main"), 0, 40));
        // A branch of the branch reads both, and what was written since directly.
        branch("nested", "draft");
        load("nested", "nested", 0, 3);
        awaitFound("nested", "changed", List.of("draft", "main"), 3, ENTITIES + 1 - 3);
        assertThat(storage.search().status().branches())
                .extracting(SearchStatus.BranchIndex::incarnation, SearchStatus.BranchIndex::ownEntities)
                .containsExactly(org.assertj.core.groups.Tuple.tuple(incarnation("draft"), ENTITIES + 1L));
        // What a program reads beside is the same, from the files.
        load("draft", "later", 20, 22);
        awaitFound("draft", "later", List.of("draft", "main"), 0, 2);
        storage.close();
        try (ReadOnlyGraphStorage beside = ReadOnlyGraphStorage.open(temporary.resolve("graph"), OPTIONS)) {
            for (String name : List.of("main", "draft", "nested")) {
                assertThat(beside.compareSearch(name).compared()).isTrue();
                assertThat(beside.compareSearch(name).difference()).isNull();
            }
        }
        storage = LmdbGraphStorage.open(temporary.resolve("graph"), OPTIONS);
        await().until(() ->
                storage.search().status().branches().stream().anyMatch(each -> each.ownEntities() == ENTITIES + 3));
        TestEngine.graph(storage).deleteBranch("draft", null).join();
        await().until(this::folders, List.of("0")::equals);
        assertThat(storage.search().status().branches()).isEmpty();
        awaitFound("nested", "changed", List.of("main"), ENTITIES + 1, ENTITIES + 1 - 3);
    }

    @Test
    void thoseGoThatWereNotSearchedForLongest() throws IOException {
        for (String name : List.of("a", "b", "c")) {
            branch(name, "main");
            load(name, name, 0, 20);
            awaitFound(name, name, List.of(name, "main"), 0, 20);
        }
        await().until(this::folders, List.of("0", "" + incarnation("b"), "" + incarnation("c"))::equals);
        assertThat(find("a", "original").documents).isEqualTo(20);
        awaitFound("a", "a", List.of("a", "main"), 0, 20);
        await().until(this::folders, List.of("0", "" + incarnation("a"), "" + incarnation("c"))::equals);
    }

    @Test
    void noTextAfterCleanup() throws IOException {
        branch("draft", "main");
        load("draft", "secretword", 0, 20);
        awaitFound("draft", "secretword", List.of("draft", "main"), 0, 20);
        load("draft", "publicword", 0, 20);
        awaitFound("draft", "publicword", List.of("draft", "main"), 0, 20);
        storage.cleanup().run(new RetentionPolicy(1L, null), Duration.ZERO);
        try (Stream<Path> files = Files.walk(temporary.resolve("graph").resolve(SearchOptions.DIRECTORY))) {
            assertThat(files.filter(Files::isRegularFile)).noneMatch(BranchIndexesTest::hasSecret);
        }
        assertThat(find("draft", "publicword")).isEqualTo(new Found(List.of("draft", "main"), 0, 20));
    }

    private static boolean hasSecret(Path file) {
        try {
            return new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1).contains("secretword");
        } catch (IOException e) {
            throw new AssertionError(file + " cannot be read", e);
        }
    }
}
