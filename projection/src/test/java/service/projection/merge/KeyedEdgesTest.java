package service.projection.merge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletionException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import service.core.error.ServiceException;
import service.core.event.CommitKind;
import service.core.graph.GraphAccess;
import service.core.graph.branch.MergeRequest;
import service.core.graph.branch.UndoRequest;
import service.core.graph.load.LoadMode;
import service.core.graph.load.LoadResult;
import service.core.graph.request.ReadTarget;
import service.core.graph.request.Settings;
import service.core.graph.request.WriteOptions;
import service.core.graph.schema.SchemaRequest;
import service.core.json.Int64Form;
import service.core.json.Json;
import service.core.schema.Catalog;
import service.core.schema.SchemaCompiler;
import service.core.schema.migrate.DropApproval;
import service.core.testkit.Seed;
import service.projection.TestEngine;
import service.projection.storage.LmdbGraphStorage;
import service.projection.storage.StorageOptions;

/**
 * Edges whose ids are made of their ends and properties, written in every way before and after their ends are widened,
 * against a map. The model makes the ids itself.
 */
final class KeyedEdgesTest {
    private static final String NODES = "node P { name: String @key }\nnode C { name: String @key }\n";
    private static final String NARROW = NODES + """
            edge Knows: P -> P { note: I64?  @key(src, dst) }
            edge Stay: P -> P { note: I64?  year: I32  until: I64?  @key(src, dst, year) }
            """;
    private static final String WIDE = NARROW.replace("Stay: P -> P", "Stay: P -> C | P");
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Settings BY_PROPERTY =
            Settings.DEFAULTS.withRequest(Json.object().put("merge_granularity", "property"));
    private static final int STEPS = 200;

    @TempDir
    Path folder;

    private LmdbGraphStorage storage;
    private GraphAccess graph;

    @BeforeEach
    void open() {
        Catalog catalog = SchemaCompiler.compile(NARROW);
        storage = LmdbGraphStorage.create(
                folder.resolve("graph"),
                StorageOptions.defaults().withMapBytes(1L << 30, 4L << 30).withCheckpointEvents(0),
                TestEngine.schema(catalog),
                null);
        graph = TestEngine.graph(storage);
    }

    @AfterEach
    void close() {
        storage.close();
    }

    /** An edge of the model. The type of its destination is P or C. */
    private record Edge(String type, String from, String toType, String to, int year) {
        String id(String number) {
            ArrayNode key = JSON.createArrayNode().add(from);
            if (toType.equals("C")) {
                key.addArray().add(number).add(to);
            } else {
                key.add(to);
            }
            return (type.equals("Knows") ? key : key.add(Integer.toString(year))).toString();
        }
    }

    private LoadResult load(String branch, LoadMode mode, String lines) {
        return TestEngine.load(graph, branch, mode, lines);
    }

    private void mutate(String branch, String statements) {
        TestEngine.mutate(graph, branch, statements);
    }

    private static void refuses(ThrowingCallable call, String... message) {
        assertThatThrownBy(call)
                .satisfies(thrown -> assertThat(thrown instanceof CompletionException ? thrown.getCause() : thrown)
                        .isInstanceOf(ServiceException.class)
                        .hasMessageContainingAll(message));
    }

    private String export(String branch) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        graph.export(new ReadTarget.AtBranch(branch), List.of(), Int64Form.NUMBER, TestEngine.ample(), bytes);
        return bytes.toString(StandardCharsets.UTF_8);
    }

    /** Live edges by id, as text. */
    private NavigableMap<String, String> edges(String branch) throws IOException {
        NavigableMap<String, String> edges = new TreeMap<>();
        for (String line : export(branch).lines().toList()) {
            JsonNode record = JSON.readTree(line);
            if (record.has("edge")) {
                edges.put(
                        record.path("edge").asText() + record.at("/data/id").asText(),
                        record.at("/data/note").asText());
            }
        }
        return edges;
    }

    /** What every way of writing does to a map. */
    private final class Script {
        final Random random;
        final NavigableMap<String, String> model = new TreeMap<>();
        final NavigableMap<String, Edge> edges = new TreeMap<>();
        final Set<String> people = new TreeSet<>();
        final Set<String> cities = new TreeSet<>();
        String number = "";
        boolean wide;

        Script(Random random) {
            this.random = random;
        }

        Edge edge() {
            boolean toCity = wide && random.nextInt(3) == 0 && !cities.isEmpty();
            String type = toCity || random.nextBoolean() ? "Stay" : "Knows";
            return new Edge(type, pick(people), toCity ? "C" : "P", pick(toCity ? cities : people), random.nextInt(2));
        }

        private String pick(Set<String> names) {
            List<String> all = List.copyOf(names);
            return all.get(random.nextInt(all.size()));
        }

        private String record(Edge edge, int note, boolean named) {
            ObjectNode record = JSON.createObjectNode().put("edge", edge.type).put("from", edge.from);
            if (isTyped(edge)) {
                record.putObject("to").put("type", edge.toType).put("id", edge.to);
            } else {
                record.put("to", edge.to);
            }
            ObjectNode data = record.putObject("data").put("note", note);
            if (edge.type.equals("Stay")) {
                data.put("year", edge.year);
            }
            if (named) {
                // An export of another graph has other numbers.
                data.put("id", edge.id(random.nextBoolean() ? number : "99"));
            }
            return record + "\n";
        }

        /** Whether to write the type of the destination: where the id alone does not say it, and sometimes else. */
        private boolean isTyped(Edge edge) {
            boolean both = people.contains(edge.to) && cities.contains(edge.to);
            return wide && edge.type.equals("Stay") && (both || random.nextBoolean());
        }

        void put(Edge edge, int note) {
            String id = edge.type + edge.id(number);
            model.put(id, Integer.toString(note));
            edges.put(id, edge);
        }

        void people() {
            StringBuilder lines = new StringBuilder();
            for (int i = 0; i < 4; i++) {
                boolean city = random.nextInt(3) == 0;
                String name = "é\"" + random.nextInt(8);
                (city ? cities : people).add(name);
                ObjectNode record = JSON.createObjectNode().put("type", city ? "C" : "P");
                record.putObject("data").put("name", name);
                lines.append(record).append('\n');
            }
            KeyedEdgesTest.this.load("main", LoadMode.MERGE, lines.toString());
        }

        void load() {
            StringBuilder lines = new StringBuilder();
            for (int i = random.nextInt(6); i >= 0; i--) {
                Edge edge = edge();
                int note = random.nextInt(100);
                lines.append(record(edge, note, random.nextBoolean()));
                put(edge, note);
            }
            KeyedEdgesTest.this.load("main", LoadMode.MERGE, lines.toString());
        }

        void append() {
            Edge edge = edge();
            int note = random.nextInt(100);
            String line = record(edge, note, false);
            if (model.containsKey(edge.type + edge.id(number))) {
                refuses(
                        () -> KeyedEdgesTest.this.load("main", LoadMode.APPEND, line),
                        "line 1: edge " + edge.type + " `" + edge.id(number) + "` exists already");
            } else {
                KeyedEdgesTest.this.load("main", LoadMode.APPEND, line);
                put(edge, note);
            }
        }

        void insert() {
            Edge edge = edge();
            int note = random.nextInt(100);
            mutate(
                    "main",
                    "insert %s { from: \"%s\", to: %s, note: %d%s }"
                            .formatted(
                                    edge.type,
                                    gq(edge.from),
                                    isTyped(edge)
                                            ? "{type: \"" + edge.toType + "\", id: \"" + gq(edge.to) + "\"}"
                                            : "\"" + gq(edge.to) + "\"",
                                    note,
                                    edge.type.equals("Stay") ? ", year: " + edge.year : ""));
            put(edge, note);
        }

        void update() {
            Edge edge = edge();
            int note = random.nextInt(100);
            String id = edge.type + edge.id(number);
            String where = random.nextBoolean()
                    ? "@id = \"" + gq(edge.id(number)) + "\""
                    : "@src = \"" + gq(edge.from) + "\" and @dst = \"" + gq(edge.to) + "\""
                            + (wide && edge.type.equals("Stay") ? " and @dst_type = \"" + edge.toType + "\"" : "")
                            + (edge.type.equals("Stay") ? " and year = " + edge.year : "");
            mutate("main", "update %s set { note: %d } where %s".formatted(edge.type, note, where));
            model.replace(id, Integer.toString(note));
        }

        void deleteSome() {
            if (random.nextInt(6) == 0) {
                String name = pick(people);
                mutate("main", "delete P where name = \"" + gq(name) + "\"");
                people.remove(name);
                edges.values()
                        .removeIf(edge -> edge.from.equals(name) || (edge.toType.equals("P") && edge.to.equals(name)));
                model.keySet().retainAll(edges.keySet());
            } else if (!model.isEmpty()) {
                String id = List.copyOf(model.keySet()).get(random.nextInt(model.size()));
                Edge edge = edges.get(id);
                mutate("main", "delete %s where @id = \"%s\"".formatted(edge.type, gq(edge.id(number))));
                model.remove(id);
                edges.remove(id);
            }
        }
    }

    private static String gq(String text) {
        return text.replace("\\", "\\\\").replace("\"", "\\\"");
    }

    @Test
    void everyWriteFindsAnEdgeByItsKey(@Seed long seed) throws IOException {
        Script script = new Script(new Random(seed));
        for (int step = 0; step < STEPS; step++) {
            if (step == STEPS / 3) {
                graph.applySchema(new SchemaRequest(WIDE, DropApproval.every(), null), TestEngine.ample());
                script.wide = true;
                script.number = number();
            }
            if (step % 10 == 0) {
                script.people();
            }
            while (script.people.isEmpty()) {
                script.people();
            }
            switch (script.random.nextInt(6)) {
                case 0, 1 -> script.load();
                case 2 -> script.append();
                case 3 -> script.insert();
                case 4 -> script.update();
                default -> script.deleteSome();
            }
            assertThat(edges("main")).as("step " + step).isEqualTo(script.model);
        }
        String exported = export("main");
        assertThat(load("main", LoadMode.OVERWRITE, exported).commit()).isNull();
    }

    /** The number of the type C. */
    private String number() {
        Catalog narrow = SchemaCompiler.compile(NARROW);
        return Integer.toString(Objects.requireNonNull(narrow.node("C")).identity());
    }

    private void refuse(String branch, String statements, String... message) {
        refuses(() -> mutate(branch, statements), message);
    }

    @Test
    void neitherEndsNorKeyPropertiesChange() {
        load("main", LoadMode.MERGE, """
                {"type":"P","data":{"name":"a"}}
                {"type":"P","data":{"name":"b"}}
                {"edge":"Knows","from":"a","to":"b","data":{"note":1}}
                {"edge":"Stay","from":"a","to":"b","data":{"year":1}}
                """);
        refuse("main", "update Knows set { from: \"b\" } where @src = \"a\"", "T16", "insert that one");
        refuse("main", "update Stay set { year: 2 } where @src = \"a\"", "T16", "part of the key");
        refuse("main", "match { $a $s:stay $b } update $s set { year: 2 }", "T16", "part of the key");
        refuse("main", "insert Stay { from: \"a\", to: \"b\" }", "T12", "`year`");
        refuse("main", "insert Knows { from: \"a\", to: \"c\" }", "names the P `c`, which does not exist");
        refuse(
                "main",
                "match { $a: P  $b: P { name: \"b\" } } with { $b, count($a) as $n } match { $a: P } "
                        + "insert Knows { from: $b, to: $b, note: length($a.name) + coalesce(index_of($a.name, \"b\"), 0) }",
                "R5",
                "Knows `[\"b\",\"b\"]` different values of `note`");
        String line = "{\"edge\":\"Stay\",\"from\":\"a\",\"to\":\"b\",\"data\":{%s}}";
        refuses(
                () -> load("main", LoadMode.MERGE, line.formatted("\"id\":\"x\",\"year\":1")),
                "line 1: data.id is `x`, but the key of the Stay gives `[\"a\",\"b\",\"1\"]`");
        refuses(
                () -> load("main", LoadMode.MERGE, line.formatted("\"id\":\"[\\\"a\\\",\\\"b\\\",\\\"1\\\"]\"")),
                "line 1: a Stay needs a value for its key property `year`");
        refuses(
                () -> load(
                        "main",
                        LoadMode.MERGE,
                        line.formatted("\"year\":1").replace("\"b\"", "\"" + "c".repeat(1020) + "\"")),
                "line 1: the id that the key of the Stay gives is longer than 1024 bytes");
        assertThat(load("main", LoadMode.MERGE, line.formatted("\"year\":1,\"note\":null"))
                        .commit())
                .isNull();
    }

    @Test
    void branchesMergeByTheKey() throws IOException {
        load("main", LoadMode.MERGE, """
                {"type":"P","data":{"name":"a"}}
                {"type":"P","data":{"name":"b"}}
                """);
        graph.createBranch("side", "main", null).join();
        mutate("main", "insert Stay { from: \"a\", to: \"b\", year: 1, note: 1 }");
        mutate("side", "insert Stay { from: \"a\", to: \"b\", year: 1, until: 2 }");
        mutate("side", "insert Stay { from: \"a\", to: \"b\", year: 2 }");
        MergeRequest merge = MergeRequest.of("side", "main");
        refuses(() -> graph.merge(WriteOptions.NONE, merge, Settings.DEFAULTS, TestEngine.ample()), "conflict");
        graph.merge(WriteOptions.NONE, merge, BY_PROPERTY, TestEngine.ample());
        assertThat(export("main"))
                .contains(
                        "\"data\":{\"id\":\"[\\\"a\\\",\\\"b\\\",\\\"1\\\"]\",\"note\":1,\"year\":1,\"until\":2}",
                        "\"id\":\"[\\\"a\\\",\\\"b\\\",\\\"2\\\"]\"");
        assertThat(edges("main")).hasSize(2);
    }

    /** What a commit before the key brings back must have the id that the key gives. */
    @Test
    void anEarlierStateKeepsTheKey() {
        String free = NARROW.replace("@key(src, dst)", "");
        load(
                "main",
                LoadMode.MERGE,
                "{\"type\":\"P\",\"data\":{\"name\":\"a\"}}\n{\"type\":\"P\",\"data\":{\"name\":\"b\"}}");
        mutate("main", "insert Knows { from: \"a\", to: \"b\", note: 1 }");
        graph.applySchema(new SchemaRequest(free, DropApproval.every(), null), TestEngine.ample());
        load("main", LoadMode.MERGE, """
                {"edge":"Knows","from":"b","to":"b","data":{"id":"[\\"a\\",\\"b\\"]","note":2}}
                {"edge":"Knows","from":"b","to":"b","data":{"id":"x"}}
                """);
        String moved = graph.branch("main").head().toString();
        refuses(
                () -> graph.applySchema(new SchemaRequest(NARROW, DropApproval.every(), null), TestEngine.ample()),
                "PG-MF-107",
                "edge type `Knows` cannot get @key(src, dst) while it has edges");
        mutate("main", "delete Knows where true");
        graph.applySchema(new SchemaRequest(NARROW, DropApproval.every(), null), TestEngine.ample());
        mutate("main", "insert Knows { from: \"a\", to: \"b\", note: 3 }");
        refuses(
                () -> graph.undo(
                        WriteOptions.NONE,
                        new UndoRequest(CommitKind.RESTORE, moved, "main", false, false, List.of()),
                        TestEngine.ample()),
                "must have the id");
    }
}
