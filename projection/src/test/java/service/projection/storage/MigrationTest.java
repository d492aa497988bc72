package service.projection.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import service.core.budget.RequestBudget;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.event.CommitKind;
import service.core.graph.GraphAccess;
import service.core.graph.branch.MergeRequest;
import service.core.graph.branch.UndoRequest;
import service.core.graph.load.LoadMode;
import service.core.graph.request.MutationCall;
import service.core.graph.request.ReadTarget;
import service.core.graph.request.Settings;
import service.core.graph.request.WriteOptions;
import service.core.graph.schema.MigrationResult;
import service.core.graph.schema.SchemaRequest;
import service.core.json.ByteChunks;
import service.core.json.Int64Form;
import service.core.schema.Catalog;
import service.core.schema.SchemaCompiler;
import service.core.schema.migrate.DropApproval;
import service.core.schema.migrate.MigrationPlan;
import service.core.wire.QueryResponse;
import service.projection.TestEngine;

/** Single migrations over the real tables: each check of live data, and what random sequences meet rarely. */
final class MigrationTest {
    @TempDir
    Path folder;

    private LmdbGraphStorage storage;
    private GraphAccess graph;

    private void open(String schema, String... records) {
        Catalog catalog = SchemaCompiler.compile(schema);
        storage = LmdbGraphStorage.create(
                folder.resolve("graph"),
                StorageOptions.defaults().withMapBytes(1L << 30, 4L << 30).withCheckpointEvents(0),
                TestEngine.schema(catalog),
                null);
        graph = TestEngine.graph(storage);
        load(String.join("\n", records));
    }

    @AfterEach
    void close() {
        storage.close();
    }

    private void load(String records) {
        load("main", records);
    }

    private void load(String branch, String records) {
        graph.load(
                        WriteOptions.NONE,
                        branch,
                        null,
                        LoadMode.MERGE,
                        new ByteArrayInputStream(records.getBytes(StandardCharsets.UTF_8)),
                        TestEngine.ample())
                .join();
    }

    private void mutate(String statement) {
        graph.mutate(
                        WriteOptions.NONE,
                        new MutationCall("main", "query q() { " + statement + " }", null, null),
                        Settings.DEFAULTS,
                        TestEngine.ample())
                .join();
    }

    private MigrationResult apply(String schema) {
        return graph.applySchema(new SchemaRequest(schema, DropApproval.none("approve %s"), null), TestEngine.ample());
    }

    private String export() {
        return export(ReadTarget.MAIN);
    }

    private String export(ReadTarget target) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        graph.export(target, List.of(), Int64Form.NUMBER, TestEngine.ample(), bytes);
        return bytes.toString(StandardCharsets.UTF_8);
    }

    private String rows(String query) throws Exception {
        QueryResponse response = new QueryResponse(false);
        graph.query(
                ReadTarget.MAIN,
                "query q() { " + query + " }",
                null,
                null,
                Settings.DEFAULTS,
                TestEngine.ample(),
                response);
        return new String(ByteChunks.join(response.pieces()), StandardCharsets.UTF_8)
                .replaceAll(".*\"rows\":(\\[.*?\\]).*", "$1");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            node P { a: String @key  b: I32?  c: String? } edge E: P -> P | PG-MF-107 | 2 entities of `P`, the first is `x`, which would have the id `one`
            node P { a: String  b: I32? @unique  c: String? } edge E: P -> P | PG-MF-107 | 1 entity of `P`, the first is `z`, which has the same values as `x`
            node P { a: String  b: I32?  c: String? @unique(b, c) } edge E: P -> P | |
            node P { a: String  b: I32?  c: String?  @range(b, 8..) } edge E: P -> P | PG-MF-107 | 2 entities of `P`, the first is `x`, which is out of the range
            node P { a: String  b: I32?  c: String?  @check(a, "o.*") } edge E: P -> P | PG-MF-107 | 1 entity of `P`, the first is `z`, which does not match
            node P { a: String  b: I32?  c: String } edge E: P -> P | PG-MF-104 | 2 entities of `P`, the first is `y`, which has none
            node P { a: String  b: I32?  c: String?  d: I32 } edge E: P -> P | PG-MF-103 | the first of 3 entities is `x`
            node P { a: String  b: I32?  c: String?  d: I32 @default(1) @unique } edge E: P -> P | PG-MF-107 | 2 entities of `P`, the first is `y`
            node P { a: String  b: I32?  c: String? } edge E: P -> P @card(0..1) | PG-MF-107 | 1 entity of `E`, the first is `x`, which has 2
            node P { a: String  b: I32?  c: String? } edge E: P -> P @card(2..) | PG-MF-107 | 1 entity of `E`, the first is `y`, which has 1
            node P { a: String  b: I32?  c: String? } edge E: P -> P { @unique(src, dst) } | PG-MF-107 | 1 entity of `E`, the first is `f`, which has the same values as `e`
            node P { a: String  b: I32?  c: String? } | PG-DS-103 | approve E
            """)
    void eachCheckNamesTheFirstOffenderAndTheCount(String schema, String code, String message) {
        open(
                "node P { a: String  b: I32?  c: String? } edge E: P -> P",
                "{\"type\":\"P\",\"data\":{\"id\":\"x\",\"a\":\"one\",\"b\":7,\"c\":\"t\"}}",
                "{\"type\":\"P\",\"data\":{\"id\":\"y\",\"a\":\"y\"}}".replace("\"a\":\"y\"", "\"a\":\"oy\""),
                "{\"type\":\"P\",\"data\":{\"id\":\"z\",\"a\":\"z\",\"b\":7}}",
                "{\"edge\":\"E\",\"from\":\"x\",\"to\":\"y\",\"data\":{\"id\":\"e\"}}",
                "{\"edge\":\"E\",\"from\":\"x\",\"to\":\"y\",\"data\":{\"id\":\"f\"}}",
                "{\"edge\":\"E\",\"from\":\"y\",\"to\":\"z\",\"data\":{\"id\":\"g\"}}");
        MigrationPlan plan = graph.planSchema(schema, DropApproval.none("approve %s"), TestEngine.ample());
        if (code == null) {
            assertThat(plan.refusals()).isEmpty();
        } else {
            assertThat(plan.refusals()).singleElement().satisfies(refusal -> {
                assertThat(refusal.code()).isEqualTo(code);
                assertThat(refusal.message()).contains(message);
            });
            assertThatThrownBy(() -> apply(schema)).hasMessageContaining(code);
        }
    }

    /** A row without the property is old, or has a null that was set since the property became nullable. */
    @Test
    void aNullAfterRelaxingIsNotTheOldDefault() throws Exception {
        open("node P { }", "{\"type\":\"P\",\"data\":{\"id\":\"old\"}}\n{\"type\":\"P\",\"data\":{\"id\":\"null\"}}");
        apply("node P { a: I32 @default(3)  s: String @default(\"t\") }");
        apply("node P { a: I32? @default(4) @index  s: String? @default(\"u\") }");
        mutate("update P set { a: null, s: null } where @id = \"null\"");
        mutate("insert P { a: 5 }");
        assertThat(rows("match { $p: P } return { $p.a as a, $p.s as s } order { a }"))
                .isEqualTo("[{\"a\":null,\"s\":null},{\"a\":3,\"s\":\"t\"},{\"a\":5,\"s\":\"u\"}]");
        assertThat(rows("match { $p: P { a: 3 } } return { $p.@id as id }")).isEqualTo("[{\"id\":\"old\"}]");
        assertThat(export())
                .contains("{\"id\":\"null\",\"a\":null,\"s\":null}", "{\"id\":\"old\",\"a\":3,\"s\":\"t\"}");
        assertThatThrownBy(() -> apply("node P { a: I32  s: String? }")).hasMessageContaining("`null`");
        mutate("update P set { a: 9 } where a is null");
        apply("node P { a: I32 @index  s: String? }");
        assertThat(rows("match { $p: P { a: 9 } } return { $p.@id as id }")).isEqualTo("[{\"id\":\"null\"}]");
    }

    /** The branch keeps the schema of its fork, beside a main with a later one. */
    @Test
    void aBranchFromBeforeAMigrationHasTheSchemaOfThen() throws Exception {
        String before = "node P { name: String @key  a: I32? }";
        open(before, "{\"type\":\"P\",\"data\":{\"name\":\"x\",\"a\":1}}");
        String old = graph.branch("main").head().toString();
        apply("node P { name: String @key  b: String? @index }  node Q { }");
        mutate("insert P { name: \"y\", b: \"two\" }");
        graph.createBranch("old", old, null).join();
        ReadTarget onOld = new ReadTarget.AtBranch("old");
        assertThat(graph.schema(onOld).source()).isEqualTo(before);
        load("old", "{\"type\":\"P\",\"data\":{\"name\":\"z\",\"a\":2}}");
        assertThatThrownBy(() -> load("old", "{\"type\":\"Q\",\"data\":{}}")).hasMessageContaining("`Q`");
        String shown = export(onOld);
        assertThat(shown)
                .contains("\"name\":\"x\",\"a\":1}", "\"name\":\"z\",\"a\":2}")
                .doesNotContain("\"y\"");
        assertThat(export()).contains("\"name\":\"y\",\"b\":\"two\"}").doesNotContain("\"z\"", "\"a\"");
        assertThatThrownBy(() -> graph.merge(
                        WriteOptions.NONE, MergeRequest.of("main", "old"), Settings.DEFAULTS, TestEngine.ample()))
                .hasMessageContaining("service branch upgrade old");
        assertThatThrownBy(() -> graph.merge(
                        WriteOptions.NONE, MergeRequest.of("old", "main"), Settings.DEFAULTS, TestEngine.ample()))
                .hasMessageContaining("the source wrote its `a`, which `main` does not have any more");
        apply("node P { name: String @key  b: String? @index  c: I32 @default(7) }  node Q { }");
        assertThat(export(onOld)).isEqualTo(shown);
        load("old", "{\"type\":\"P\",\"data\":{\"name\":\"w\",\"a\":3}}");
        shown = export(onOld);
        assertThat(shown).contains("\"name\":\"w\",\"a\":3}").doesNotContain("\"c\"");
        storage.close();
        LmdbGraphStorage.rebuild(folder.resolve("graph"), StorageOptions.defaults(), offset -> {});
        storage = LmdbGraphStorage.open(folder.resolve("graph"), StorageOptions.defaults());
        graph = TestEngine.graph(storage);
        assertThat(export(onOld)).isEqualTo(shown);
        assertThat(graph.schema(onOld).source()).isEqualTo(before);
    }

    /** A commit of a later schema says nothing of what that has dropped, so a pick leaves it as it is. */
    @Test
    void aPickFromALaterSchemaKeepsWhatThatHasDropped() {
        open("node P { name: String @key  a: I32?  c: I32? }", "{\"type\":\"P\",\"data\":{\"name\":\"x\",\"a\":1}}");
        graph.createBranch("old", "main", null).join();
        apply("node P { name: String @key  c: I32?  d: I32 @default(4) }");
        mutate("update P set { c: 7 } where name = \"x\"");
        mutate("update P set { d: 8 } where name = \"x\"");
        UndoRequest pick = new UndoRequest(CommitKind.PICK, "main~1", "old", false, false, List.of());
        assertThat(graph.undo(WriteOptions.NONE, pick, TestEngine.ample())
                        .merged()
                        .commit())
                .isNotNull();
        assertThat(export(new ReadTarget.AtBranch("old"))).contains("\"a\":1,\"c\":7}");
        UndoRequest restore = new UndoRequest(CommitKind.RESTORE, "main~2", "old", false, false, List.of());
        assertThat(graph.undo(WriteOptions.NONE, restore, TestEngine.ample())
                        .merged()
                        .commit())
                .isNotNull();
        assertThat(export(new ReadTarget.AtBranch("old"))).contains("\"a\":1}");
    }

    @Test
    void compiledSourcesEndWithTheirIdentities() throws Exception {
        String schema = "node A { p: I32? } node B { p: I32? }";
        open(schema, "{\"type\":\"A\",\"data\":{\"id\":\"x\",\"p\":1}}");
        String query = "match { $a: A } return { $a.p as p }";
        assertThat(rows(query)).isEqualTo("[{\"p\":1}]");
        apply("node A @rename_from(\"B\") { p: I32? } node B @rename_from(\"A\") { p: I32? }");
        assertThat(rows(query)).isEqualTo("[]");
        apply(schema);
        assertThat(rows(query)).isEqualTo("[]");
        apply("node A { } node B { p: I32? }");
        apply(schema);
        mutate("insert A { p: 2 }");
        assertThat(rows(query)).isEqualTo("[{\"p\":2}]");
    }

    @Test
    void anotherAcceptedSchemaThanExpectedIsAPrecondition() {
        open("node A { }", "");
        assertThatThrownBy(() -> graph.applySchema(
                        new SchemaRequest("node B { }", DropApproval.every(), "sha256:other"), TestEngine.ample()))
                .isInstanceOfSatisfying(
                        ServiceException.class,
                        refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.PRECONDITION_FAILED));
    }

    @Test
    void aCheckIsChargedToItsRequestAndCanBeCancelled() {
        open("node P { a: I32 }", "{\"type\":\"P\",\"data\":{\"a\":1}}");
        try (RequestBudget budget = TestEngine.budget(1 << 10, () -> false)) {
            assertThatThrownBy(() -> graph.planSchema("node P { a: I32 @unique }", DropApproval.every(), budget))
                    .hasMessageContaining("the check of unique values needs more than");
        }
        try (RequestBudget budget = TestEngine.budget(1 << 20, () -> true)) {
            assertThatThrownBy(
                            () -> graph.planSchema("node P { a: I32  @range(a, 0..) }", DropApproval.every(), budget))
                    .isInstanceOf(CancellationException.class);
        }
    }

    /** Writes that go on during a migration neither delay it for ever nor slip past its checks. */
    @Test
    void writesDuringAMigrationAreChecked() throws Exception {
        open("node P { a: I32?  b: I32? }", "");
        AtomicBoolean done = new AtomicBoolean();
        try (ExecutorService threads = Executors.newCachedThreadPool()) {
            Future<?> writer = threads.submit(() -> {
                for (int i = 0; !done.get(); i++) {
                    mutate("insert P { a: " + i + (i % 2 == 0 ? ", b: 1" : "") + " }");
                }
            });
            for (int round = 0; round < 20; round++) {
                apply("node P { a: I32? @unique @index  b: I32?  c" + round + ": I32 @default(" + round + ") }");
                apply("node P { a: I32?  b: I32? }");
            }
            done.set(true);
            writer.get();
        }
        assertThatThrownBy(() -> apply("node P { a: I32?  b: I32 }")).hasMessageContaining("PG-MF-104");
        apply("node P { a: I32 @unique  b: I32? }");
    }
}
