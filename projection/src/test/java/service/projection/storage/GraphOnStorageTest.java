package service.projection.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import service.core.budget.RequestBudget;
import service.core.error.ErrorCode;
import service.core.error.ErrorDetail;
import service.core.error.ServiceException;
import service.core.event.SchemaChange;
import service.core.graph.GraphAccess;
import service.core.graph.load.LoadMode;
import service.core.graph.load.LoadResult;
import service.core.graph.request.MutationCall;
import service.core.graph.request.MutationResult;
import service.core.graph.request.ReadTarget;
import service.core.graph.request.Settings;
import service.core.graph.request.WriteOptions;
import service.core.json.ByteChunks;
import service.core.json.Int64Form;
import service.core.port.GraphSession;
import service.core.schema.Catalog;
import service.core.schema.SchemaCompiler;
import service.core.wire.QueryResponse;
import service.log.lmdb.KeyBuffer;
import service.log.lmdb.WriteTransaction;
import service.projection.TestEngine;
import service.projection.table.IdTable;
import service.projection.table.ProjectionEnvironment;
import service.projection.table.ProjectionTable;
import service.projection.table.TableAccess;

/** The use-cases over the real tables, for behaviour that a storage on the heap does not have. */
class GraphOnStorageTest {
    private static final String SCHEMA = """
            node Person {
              name: String @key
              email: String? @unique
              age: I32?
              mood: String? @index
            }
            node Note { text: String }
            edge Knows: Person -> Person { since: Date? @unique(src, dst) }
            edge Wrote: Person -> Note @card(0..2)
            """;

    @TempDir
    Path directory;

    private LmdbGraphStorage storage;
    private GraphAccess graph;

    @BeforeEach
    void open() {
        storage = LmdbGraphStorage.create(
                directory.resolve("graph"),
                StorageOptions.defaults().withMapBytes(1L << 30, 4L << 30).withCheckpointEvents(0),
                schema(),
                "tester");
        graph = TestEngine.graph(storage);
    }

    private static SchemaChange schema() {
        Catalog catalog = SchemaCompiler.compile(SCHEMA);
        return TestEngine.schema(catalog);
    }

    @AfterEach
    void close() {
        storage.close();
    }

    private LoadResult load(String... lines) {
        byte[] text = String.join("\n", lines).getBytes(StandardCharsets.UTF_8);
        return unwrap(() -> graph.load(
                        WriteOptions.NONE,
                        "main",
                        null,
                        LoadMode.MERGE,
                        new ByteArrayInputStream(text),
                        TestEngine.ample())
                .join());
    }

    private MutationResult mutate(String source) {
        return unwrap(() -> graph.mutate(
                        WriteOptions.NONE,
                        new MutationCall("main", source, null, null),
                        Settings.DEFAULTS,
                        TestEngine.ample())
                .join());
    }

    private static <T> T unwrap(java.util.function.Supplier<T> body) {
        try {
            return body.get();
        } catch (CompletionException e) {
            throw (RuntimeException) e.getCause();
        }
    }

    private String export() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        graph.export(ReadTarget.MAIN, List.of(), Int64Form.NUMBER, TestEngine.ample(), bytes);
        return bytes.toString(StandardCharsets.UTF_8);
    }

    @Test
    void idsThatShareALongBeginningAreExportedInOrder() {
        String beginning = "x".repeat(440);
        StringBuilder lines = new StringBuilder();
        List<String> ends = List.of("q", "a", "", "zz", "b", "aa", "m");
        for (String end : ends) {
            lines.append("{\"type\":\"Person\",\"data\":{\"name\":\"" + beginning + end + "\"}}\n");
        }
        load(lines.append("{\"type\":\"Person\",\"data\":{\"name\":\"y\"}}").toString());
        List<String> names = export().lines()
                .map(line -> line.replaceAll(".*\"name\":\"x*([^\"]*)\".*", "$1"))
                .toList();
        assertThat(names).containsExactly("", "a", "aa", "b", "m", "q", "zz", "y");
    }

    /** The first postings of the index all have one value, so they say nothing about the others. */
    @Test
    void distinctValuesOfASmallIndexAreCounted() {
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < 3000; i++) {
            String mood = i % 3 == 0 ? "angry" : i % 2 == 0 ? "calm" : "merry";
            lines.append("{\"type\":\"Person\",\"data\":{\"name\":\"p%d\",\"mood\":\"%s\"}}\n".formatted(i, mood));
        }
        load(lines.toString());
        assertThat(query(
                        "explain query q() { match { $p: Person { mood: \"calm\" } } return { count($p) } }",
                        Settings.DEFAULTS))
                .contains("\"IndexSeek\"", "\"estimated_rows\":1000.0");
    }

    private String query(String source, Settings settings) {
        return query(source, settings, TestEngine.ample());
    }

    private String query(String source, Settings settings, RequestBudget budget) {
        QueryResponse response = new QueryResponse(true);
        graph.query(ReadTarget.MAIN, source, null, null, settings, budget, response);
        return new String(ByteChunks.join(response.pieces()), StandardCharsets.UTF_8);
    }

    /** The first neighbour of a node decides; the others are not read. */
    @Test
    void anExistsBlockReadsOneNeighbourOfAHub() {
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < 3000; i++) {
            lines.append("{\"type\":\"Person\",\"data\":{\"name\":\"p" + i + "\"}}\n");
        }
        for (int i = 1; i < 3000; i++) {
            lines.append("{\"edge\":\"Knows\",\"from\":\"p0\",\"to\":\"p" + i + "\",\"data\":{}}\n");
        }
        for (int from : new int[] {1, 2, 7, 2999}) {
            lines.append("{\"edge\":\"Knows\",\"from\":\"p" + from + "\",\"to\":\"p0\",\"data\":{}}\n");
        }
        load(lines.toString());
        Settings few = Settings.ofEnvironment(java.util.Map.of("SERVICE_WORK_LIMIT", "5500"));
        String hubs =
                "query q() { match { $p: Person exists { $p knows $_ } }" + " return { $p.name } order { $p.name } }";
        assertThat(query(hubs, few))
                .contains("[{\"p.name\":\"p0\"},{\"p.name\":\"p1\"},{\"p.name\":\"p2\"},"
                        + "{\"p.name\":\"p2999\"},{\"p.name\":\"p7\"}]");
    }

    /** A bitmap of all ordinals would take 119 MiB. */
    @Test
    void aSearchOfAFewNodesNeedsLittleMemoryAmongABillionOrdinals() {
        giveOrdinal("Person", 1_000_000_000);
        load(
                "{\"type\":\"Person\",\"data\":{\"name\":\"a\"}}",
                "{\"type\":\"Person\",\"data\":{\"name\":\"b\"}}",
                "{\"type\":\"Person\",\"data\":{\"name\":\"c\"}}",
                "{\"edge\":\"Knows\",\"from\":\"a\",\"to\":\"b\",\"data\":{}}",
                "{\"edge\":\"Knows\",\"from\":\"b\",\"to\":\"c\",\"data\":{}}",
                "{\"edge\":\"Knows\",\"from\":\"c\",\"to\":\"a\",\"data\":{}}");
        RequestBudget little = TestEngine.budget(1 << 20, () -> false);
        assertThat(query(
                        "query q() { match { $p: Person { name: \"a\" } $p knows{1,5} $q }"
                                + " return { $q.name } order { $q.name } }",
                        Settings.DEFAULTS,
                        little))
                .contains("[{\"q.name\":\"a\"},{\"q.name\":\"b\"},{\"q.name\":\"c\"}]");
    }

    @Test
    void theLastOrdinalIsAssignedAndTheNextInsertIsRefused() {
        giveOrdinal("Person", IdTable.ORDINALS_MAX - 2);
        load("{\"type\":\"Person\",\"data\":{\"name\":\"a\"}}");
        assertThatThrownBy(() -> load("{\"type\":\"Person\",\"data\":{\"name\":\"b\"}}"))
                .hasMessageContaining("type `Person` has had 1073741824 entities, deleted ones included")
                .isInstanceOfSatisfying(ServiceException.class, refusal -> {
                    assertThat(refusal.code()).isEqualTo(ErrorCode.RESOURCE_LIMIT);
                    assertThat(refusal.detail())
                            .isEqualTo(new ErrorDetail.ResourceLimit(
                                    "entities_of_type", IdTable.ORDINALS_MAX, IdTable.ORDINALS_MAX + 1L));
                });
        load("{\"type\":\"Person\",\"data\":{\"name\":\"a\"}}");
    }

    /** Stores an ordinal as if entities of the type up to it had been inserted and deleted. */
    private void giveOrdinal(String type, int ordinal) {
        int identity = SchemaCompiler.compile(SCHEMA).nodes().stream()
                .filter(node -> node.name().equals(type))
                .findFirst()
                .orElseThrow()
                .identity();
        ProjectionEnvironment tables = storage.environment();
        try (WriteTransaction transaction = tables.environment().write()) {
            TableAccess access = tables.access(transaction);
            KeyBuffer key = access.key();
            IdTable.ordinalKey(key, identity, ordinal);
            DirectBuffer id =
                    new UnsafeBuffer(ByteBuffer.allocateDirect(4).put("gone".getBytes(StandardCharsets.US_ASCII)));
            access.put(ProjectionTable.ORDINALS, key.key(), id);
            access.end();
            transaction.commit();
        }
    }

    @Test
    void uniqueTuplesOfEndsAreFoundByTheirIndex() {
        mutate(
                "query m() { insert Person { name: \"a\", email: \"e\" } insert Person { name: \"b\" } insert Knows { from: \"a\", to: \"b\" } }");
        assertThatThrownBy(() -> mutate("query m() { insert Knows { from: \"a\", to: \"b\" } }"))
                .hasMessageContaining("same src, dst");
        assertThat(mutate("query m() { insert Knows { from: \"b\", to: \"a\" } }")
                        .affectedEdges())
                .isEqualTo(1);
        assertThatThrownBy(() -> mutate("query m() { update Person set { email: \"e\" } where name = \"b\" }"))
                .hasMessageContaining("same email as `a`");
        assertThatThrownBy(() -> load("{\"type\":\"Person\",\"data\":{\"name\":\"c\",\"email\":\"e\"}}"))
                .hasMessageStartingWith("line 1: ");
        MutationResult deleted = mutate("query m() { delete Person where name = \"a\" }");
        assertThat(deleted.affectedNodes()).isEqualTo(1);
        assertThat(deleted.affectedEdges()).isEqualTo(2);
        load("{\"type\":\"Person\",\"data\":{\"name\":\"c\",\"email\":\"e\"}}");
        assertThat(export().lines()).hasSize(2);
    }

    @Test
    void edgesBeyondTheirCardinalityAreRefused() {
        load(
                "{\"type\":\"Person\",\"data\":{\"name\":\"a\"}}",
                "{\"type\":\"Note\",\"data\":{\"id\":\"n\",\"text\":\"t\"}}",
                "{\"edge\":\"Wrote\",\"from\":\"a\",\"to\":\"n\",\"data\":{\"id\":\"w1\"}}",
                "{\"edge\":\"Wrote\",\"from\":\"a\",\"to\":\"n\",\"data\":{\"id\":\"w2\"}}");
        assertThatThrownBy(() -> mutate("query m() { insert Wrote { from: \"a\", to: \"n\" } }"))
                .hasMessageContaining("@card allows 0..2");
        assertThat(mutate("query m() { delete Wrote where @id = \"w1\" }").affectedEdges())
                .isEqualTo(1);
        assertThat(mutate("query m() { insert Wrote { from: \"a\", to: \"n\" } }")
                        .affectedEdges())
                .isEqualTo(1);
    }

    @Test
    void mutationsSeeTheStatementsBeforeThem() {
        MutationResult result =
                mutate("query m() { insert Person { name: \"a\", age: 1 } insert Person { name: \"b\", age: 2 }"
                        + " update Person set { age: age + 10 } where age < 2 }");
        assertThat(result.affectedNodes()).isEqualTo(2);
        assertThat(export()).contains("\"a\",\"age\":11").contains("\"b\",\"age\":2");
        assertThat(mutate("query m() { update Person set { age: 11 } where name = \"a\" }")
                        .commit())
                .isNull();
        assertThatThrownBy(() -> mutate("query m() { update Person set { age: age + 3000000000 } where name = \"a\" }"))
                .hasMessageContaining("I32");
    }

    @Test
    void aMissingBranchIsComparedWithTheNamesAroundIt() {
        List<CompletableFuture<?>> made = new ArrayList<>();
        for (int i = 0; i < 600; i++) {
            made.add(graph.createBranch("team/" + (1_000 + i), "main", null));
        }
        made.forEach(CompletableFuture::join);
        assertThatThrownBy(() -> graph.branch("team/130")).hasMessageContaining("did you mean `team/1300`?");
        assertThatThrownBy(() -> graph.branch("zzzz")).hasMessageEndingWith("does not exist");
        try (GraphSession session = storage.session()) {
            assertThat(session.branchCount()).isEqualTo(601);
            assertThat(session.branchNamesAround("team/1300", 4))
                    .containsExactly("team/1298", "team/1299", "team/1300", "team/1301");
            assertThat(session.branchNamesAround("", 2)).containsExactly("main", "team/1000");
            assertThat(session.branchNamesAround("a", 2)).containsExactly("main", "team/1000");
            assertThat(session.branchNamesAround("z".repeat(600), 4))
                    .containsExactly("team/1597", "team/1598", "team/1599");
        }
    }

    @Test
    void aLoadedExportIsExportedUnchanged() {
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < 3000; i++) {
            lines.append("{\"type\":\"Person\",\"data\":{\"name\":\"p" + i + "\",\"age\":" + i % 90 + "}}\n");
            lines.append("{\"edge\":\"Knows\",\"from\":\"p" + i + "\",\"to\":\"p" + (i * 7 + 1) % 3000 + "\"}\n");
        }
        LoadResult first = load(lines.toString());
        assertThat(first.commit().counts().edgesInserted()).isEqualTo(3000);
        String exported = export();
        assertThat(load(exported).commit()).isNull();
        assertThat(exported.lines().filter(line -> line.startsWith("{\"type\"")).toList())
                .isSorted()
                .hasSize(3000);
    }
}
