package service.projection.merge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.TextNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import service.core.error.ErrorCode;
import service.core.error.ErrorDetail;
import service.core.error.ServiceException;
import service.core.event.CommitKind;
import service.core.event.Note;
import service.core.graph.GraphAccess;
import service.core.graph.branch.Resolution;
import service.core.graph.branch.UndoRequest;
import service.core.graph.branch.UndoResult;
import service.core.graph.request.CommitRecord;
import service.core.graph.request.LeftOut;
import service.core.graph.request.ReadTarget;
import service.core.graph.request.WriteOptions;
import service.core.graph.schema.SchemaRequest;
import service.core.json.Int64Form;
import service.core.schema.Catalog;
import service.core.schema.SchemaCompiler;
import service.core.schema.migrate.DropApproval;
import service.core.testkit.Seed;
import service.projection.TestEngine;
import service.projection.storage.LmdbGraphStorage;
import service.projection.storage.StorageOptions;

/** Reverts, restores and picks in a random history, against a model with three maps. */
final class UndoOracleTest {
    private static final String SCHEMA = """
        node P { name: String @key  a: I32?  b: I32? }
        edge E: P -> P { a: I32?  b: I32?  @key(src, dst) }
        """;

    /** The nodes that edges join, which stay. */
    private static final List<String> HUBS = List.of("h0", "h1", "h2");

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int COMMITS = 40;

    /** The properties of each node by its name, and of each edge by its id, which is its key. */
    private static final class State extends TreeMap<String, NavigableMap<String, Integer>> {
        private static final long serialVersionUID = 1L;

        State copy() {
            State copy = new State();
            forEach((name, row) -> copy.put(name, new TreeMap<>(row)));
            return copy;
        }
    }

    @TempDir
    Path folder;

    private LmdbGraphStorage storage;
    private GraphAccess graph;
    private final List<State> states = new ArrayList<>();
    private final List<String> ids = new ArrayList<>();
    private int reverted;
    private int conflicts;

    @BeforeEach
    void open() {
        Catalog catalog = SchemaCompiler.compile(SCHEMA);
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

    private void mutate(String branch, String statements) {
        TestEngine.mutate(graph, branch, statements);
    }

    private String head(String branch) {
        return graph.branch(branch).head().toString();
    }

    private State state(String branch) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        graph.export(new ReadTarget.AtBranch(branch), List.of(), Int64Form.NUMBER, TestEngine.ample(), bytes);
        State state = new State();
        bytes.toString(StandardCharsets.UTF_8).lines().forEach(line -> {
            try {
                JsonNode entity = JSON.readTree(line);
                JsonNode data = entity.path("data");
                NavigableMap<String, Integer> row = new TreeMap<>();
                for (String property : List.of("a", "b")) {
                    if (data.path(property).isInt()) {
                        row.put(property, data.path(property).asInt());
                    }
                }
                state.put(data.path(entity.has("edge") ? "id" : "name").asText(), row);
            } catch (IOException e) {
                throw new AssertionError(line, e);
            }
        });
        return state;
    }

    private UndoResult undo(CommitKind kind, String ref, String branch, boolean byProperty) {
        Note note = Note.of(kind.wireName() + " " + ref, Map.of("on", branch));
        UndoResult result = graph.undo(
                WriteOptions.of(note),
                new UndoRequest(kind, ref, branch, byProperty, false, List.of()),
                TestEngine.ample());
        CommitRecord commit = result.merged().commit();
        if (commit != null) {
            assertThat(graph.commit(commit.id().toString()).stamp().note()).isEqualTo(note);
        }
        return result;
    }

    /** Writes commits on a branch and notes the states and ids. */
    private void write(String branch, int commits, Random random) {
        State now = state(branch);
        for (int i = 0; i < commits; i++) {
            StringBuilder statements = new StringBuilder();
            TreeSet<String> touched = new TreeSet<>();
            // A mutation deletes, or inserts and updates.
            boolean deletes = now.size() > 3 && random.nextInt(4) == 0;
            for (int left = 1 + random.nextInt(4); left > 0; left--) {
                List<String> live = now.keySet().stream()
                        .filter(name -> !HUBS.contains(name))
                        .toList();
                String name = deletes && !live.isEmpty()
                        ? live.get(random.nextInt(live.size()))
                        : random.nextBoolean() ? "n" + random.nextInt(12) : edge(random);
                if (touched.add(name)) {
                    statements.append(deletes ? delete(now, name) : change(now, name, random));
                }
            }
            mutate(branch, statements.toString());
            states.add(now.copy());
            ids.add(head(branch));
        }
    }

    /** The id of an edge between two hubs. */
    private static String edge(Random random) {
        return "[\"" + HUBS.get(random.nextInt(3)) + "\",\"" + HUBS.get(random.nextInt(3)) + "\"]";
    }

    /** A statement's type and condition for a node by its name, or an edge by its id. */
    private static String type(String name) {
        return name.startsWith("[") ? "E" : "P";
    }

    private static String where(String name) {
        return " where @id = " + TextNode.valueOf(name) + " ";
    }

    private static String delete(State now, String name) {
        now.remove(name);
        return "delete " + type(name) + where(name);
    }

    private static String change(State now, String name, Random random) {
        String property = random.nextBoolean() ? "a" : "b";
        int value = random.nextInt(1_000_000);
        boolean inserts = !now.containsKey(name);
        now.computeIfAbsent(name, any -> new TreeMap<>()).put(property, value);
        String key = name.startsWith("[")
                ? "from: " + name.substring(1, name.length() - 1).replace(",", ", to: ")
                : "name: \"" + name + "\"";
        return inserts
                ? "insert " + type(name) + " { " + key + ", " + property + ": " + value + " } "
                : "update " + type(name) + " set { " + property + ": " + value + " }" + where(name);
    }

    /** The three-way merge of one node; conflicts are counted in the last argument. */
    private static NavigableMap<String, Integer> merged(
            NavigableMap<String, Integer> base,
            NavigableMap<String, Integer> source,
            NavigableMap<String, Integer> target,
            boolean byProperty,
            int[] conflicts) {
        if (Objects.equals(source, target) || Objects.equals(base, source)) {
            return target;
        }
        if (Objects.equals(base, target)) {
            return source;
        }
        if (!byProperty || source == null || target == null) {
            conflicts[0]++;
            return target;
        }
        NavigableMap<String, Integer> all = new TreeMap<>(target);
        boolean open = false;
        for (String property : List.of("a", "b")) {
            Integer was = base == null ? null : base.get(property);
            Integer ours = source.get(property);
            Integer theirs = target.get(property);
            if (Objects.equals(ours, theirs) || Objects.equals(was, ours)) {
                continue;
            }
            if (!Objects.equals(was, theirs)) {
                open = true;
            } else if (ours == null) {
                all.remove(property);
            } else {
                all.put(property, ours);
            }
        }
        conflicts[0] += open ? 1 : 0;
        return all;
    }

    private static State merged(State base, State source, State target, boolean byProperty, int[] conflicts) {
        State all = new State();
        TreeSet<String> names = new TreeSet<>(base.keySet());
        names.addAll(source.keySet());
        names.addAll(target.keySet());
        for (String name : names) {
            NavigableMap<String, Integer> row =
                    merged(base.get(name), source.get(name), target.get(name), byProperty, conflicts);
            if (row != null) {
                all.put(name, row);
            }
        }
        return all;
    }

    private void revertsAsTheModel(String ref, State base, State source, boolean byProperty) {
        int[] open = {0};
        State before = state("main");
        State expected = merged(base, source, before, byProperty, open);
        if (open[0] > 0) {
            conflicts++;
            assertThatThrownBy(() -> undo(CommitKind.REVERT, ref, "main", byProperty))
                    .isInstanceOfSatisfying(ServiceException.class, refusal -> {
                        assertThat(refusal.code()).isEqualTo(ErrorCode.CONFLICT);
                        assertThat(((ErrorDetail.MergeConflicts) refusal.detail()).count())
                                .isEqualTo(open[0]);
                    });
            assertThat(state("main")).isEqualTo(before);
            return;
        }
        UndoResult result = undo(CommitKind.REVERT, ref, "main", byProperty);
        assertThat(state("main")).as("revert of " + ref).isEqualTo(expected);
        assertThat(result.merged().commit() == null).isEqualTo(expected.equals(before));
        if (result.merged().commit() != null) {
            reverted++;
            assertThat(result.merged().commit().kind()).isEqualTo(CommitKind.REVERT);
            undo(CommitKind.REVERT, head("main"), "main", byProperty);
            assertThat(state("main")).as("revert of the revert of " + ref).isEqualTo(before);
        }
    }

    @Test
    void eachIsAsTheModelSays(@Seed long seed) {
        Random random = new Random(seed);
        HUBS.forEach(name -> mutate("main", "insert P { name: \"" + name + "\" }"));
        write("main", COMMITS, random);
        for (int i = 1; i < COMMITS; i++) {
            revertsAsTheModel(ids.get(i), states.get(i), states.get(i - 1), random.nextBoolean());
        }
        for (int round = 0; round < 8; round++) {
            int from = random.nextInt(COMMITS - 1);
            int to = from + random.nextInt(COMMITS - from);
            revertsAsTheModel(
                    ids.get(from) + ".." + ids.get(to), states.get(to), states.get(from), random.nextBoolean());
            int at = random.nextInt(COMMITS);
            undo(CommitKind.RESTORE, ids.get(at), "main", false);
            assertThat(state("main")).isEqualTo(states.get(at));
            assertThat(undo(CommitKind.RESTORE, ids.get(at), "main", false)
                            .merged()
                            .commit())
                    .isNull();
        }
        assertThat(reverted).as("reverts").isPositive();
        assertThat(conflicts).as("conflicts").isPositive();
        // Picking everything in order onto the fork gives the branch.
        graph.createBranch("copy", ids.getFirst(), null).join();
        for (int i = 1; i < COMMITS; i++) {
            undo(CommitKind.PICK, ids.get(i), "copy", false);
            assertThat(state("copy")).isEqualTo(states.get(i));
        }
    }

    @Test
    void whatTheSchemaDoesNotHaveAnyMoreIsLeftOut() {
        mutate("main", "insert P { name: \"x\", a: 1, b: 1 } insert P { name: \"y\", b: 2 }");
        String first = head("main");
        mutate("main", "update P set { a: 5, b: 6 } where name = \"x\"");
        mutate("main", "delete P where name = \"y\"");
        String range = first + ".." + head("main");
        graph.applySchema(
                new SchemaRequest(
                        SCHEMA.replace("a: I32?  b: I32? }\nedge", "a: I32?  c: I32 @default(7) }\nedge"),
                        DropApproval.every(),
                        null),
                TestEngine.ample());
        UndoResult result = undo(CommitKind.REVERT, range, "main", false);
        assertThat(result.leftOut()).containsExactly(new LeftOut(service.core.value.EntityKind.NODE, "P", "b", 2));
        assertThat(state("main")).hasToString("{x={a=1}, y={}}");
        mutate("main", "delete P where name = \"y\"");
        assertThat(undo(CommitKind.RESTORE, first, "main", false).merged().commit())
                .isNotNull();
        assertThat(state("main")).hasToString("{x={a=1}, y={}}");
        String schema = graph.commits("main", 100, null).commits().stream()
                .filter(commit -> commit.kind() == CommitKind.SCHEMA)
                .findFirst()
                .orElseThrow()
                .id()
                .toString();
        for (CommitKind kind : List.of(CommitKind.REVERT, CommitKind.PICK)) {
            assertThatThrownBy(() -> undo(kind, schema, "main", false)).hasMessageContaining("the schema alone");
            assertThatThrownBy(() -> undo(kind, "main~99", "main", false)).hasMessageContaining("does not exist");
        }
    }

    @Test
    void resolutionsDecideConflicts() {
        mutate("main", "insert P { name: \"x\", a: 1 }");
        mutate("main", "update P set { a: 2 } where name = \"x\"");
        mutate("main", "update P set { a: 3 } where name = \"x\"");
        for (Resolution.Side side : List.of(Resolution.Side.TARGET, Resolution.Side.SOURCE)) {
            UndoResult result = graph.undo(
                    WriteOptions.NONE,
                    new UndoRequest(
                            CommitKind.REVERT,
                            "main~1",
                            "main",
                            false,
                            false,
                            List.of(Resolution.of("node", "P", "x", null, side))),
                    TestEngine.ample());
            assertThat(result.merged().commit() == null).isEqualTo(side == Resolution.Side.TARGET);
        }
        assertThat(state("main")).hasToString("{x={a=1}}");
        assertThatThrownBy(() -> undo(CommitKind.REVERT, "main..main~1", "main", false))
                .hasMessageContaining("does not come before");
    }
}
