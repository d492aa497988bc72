package service.projection.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import service.core.graph.GraphAccess;
import service.core.graph.load.LoadMode;
import service.core.graph.load.LoadResult;
import service.core.graph.request.ReadTarget;
import service.core.json.Int64Form;
import service.core.schema.Catalog;
import service.core.schema.SchemaCompiler;
import service.core.testkit.Seed;
import service.projection.TestEngine;

/**
 * Loads whose ids are looked up before the writer's turn, against a model of each branch, and against a replay, which
 * looks up every id in the tables.
 */
class ResolvedLoadTest {
    private static final String SCHEMA = """
            node Person { note: String? }
            node City { note: String? }
            edge Knows: Person -> Person { note: String? }
            edge LivesIn: Person -> City { note: String? }
            """;

    /** An id of this length is stored as a prefix and a digest. */
    private static final String LONG = "x".repeat(450);

    private static final int IDS = 2_000;
    private static final int ROUNDS = 12;

    @TempDir
    Path directory;

    private LmdbGraphStorage storage;
    private GraphAccess graph;

    /** Of each branch: each entity, as `type/id`, with its ends and its note. */
    private final Map<String, NavigableMap<String, String>> model = new TreeMap<>();

    private int edges;

    @BeforeEach
    void open() {
        Catalog catalog = SchemaCompiler.compile(SCHEMA);
        storage = LmdbGraphStorage.create(
                directory.resolve("graph"),
                StorageOptions.defaults().withMapBytes(1L << 30, 4L << 30).withCheckpointEvents(0),
                TestEngine.schema(catalog),
                "tester");
        graph = TestEngine.graph(storage);
        model.put("main", new TreeMap<>());
    }

    @AfterEach
    void close() {
        storage.close();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void loadsGiveTheTablesThatAReplayGives(long nth, @Seed long seed) {
        Random random = new Random(seed + nth);
        for (int round = 0; round < ROUNDS; round++) {
            List<String> branches = List.copyOf(model.keySet());
            String branch = branches.get(random.nextInt(branches.size()));
            if (round % 4 == 3) {
                String forked = "b" + round;
                graph.createBranch(forked, branch, null).join();
                model.put(forked, new TreeMap<>(model.get(branch)));
            }
            if (random.nextBoolean()) {
                delete(branch, random);
            }
            // The loads of two branches at once have ids in common, and only one of them is applied to the state in
            // which it has looked them up.
            String other = branches.get(random.nextInt(branches.size()));
            List<Batch> batches = new ArrayList<>(List.of(batch(branch, random)));
            if (!other.equals(branch)) {
                batches.add(batch(other, random));
            }
            loadAtOnce(batches);
            for (Batch batch : batches) {
                assertThat(exported(batch.branch)).as("round " + round).isEqualTo(model.get(batch.branch));
            }
        }
        assertReplayGivesTheSame();
    }

    /**
     * Loads of one branch at once with no id in common: each is prepared over a state without the others and keeps the
     * ordinals that it has looked up, unless a commit of another branch came between.
     */
    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void loadsOfOneBranchAtOnceGiveTheTablesThatAReplayGives(long nth, @Seed long seed) {
        Random random = new Random(seed + nth);
        Batch people = batch("main", random);
        loadAtOnce(List.of(people));
        graph.createBranch("side", "main", null).join();
        model.put("side", new TreeMap<>(model.get("main")));
        for (int round = 0; round < ROUNDS; round++) {
            List<Batch> batches = new ArrayList<>();
            List<String> known = ids(model.get("main"), "Person/");
            for (int i = 0; i < 4; i++) {
                batches.add(inserts("main", round + "-" + i, known, random));
            }
            if (round % 2 == 0) {
                // The same ids as one of the loads of main.
                batches.add(inserts("side", round + "-2", ids(model.get("side"), "Person/"), random));
            }
            loadAtOnce(batches);
            assertThat(exported("main")).as("round " + round).isEqualTo(model.get("main"));
            assertThat(exported("side")).as("round " + round).isEqualTo(model.get("side"));
        }
        assertReplayGivesTheSame();
    }

    /** New nodes, and edges between them and those that are known. */
    private Batch inserts(String branch, String name, List<String> known, Random random) {
        NavigableMap<String, String> state = model.get(branch);
        StringBuilder lines = new StringBuilder();
        List<String> ends = new ArrayList<>(known);
        int nodes = 300 + random.nextInt(300);
        for (int i = 0; i < nodes; i++) {
            String id = "i" + random.nextInt(IDS) + "-" + name;
            lines.append(node("Person", id, "new"));
            state.put("Person/" + id, "new");
            ends.add(id);
        }
        for (int i = 0; i < 300; i++) {
            String id = "e" + edges++;
            String from = ends.get(random.nextInt(ends.size()));
            String to = ends.get(random.nextInt(ends.size()));
            lines.append(edge("Knows", id, from, to, "n"));
            state.put("Knows/" + id, from + ">" + to + " n");
        }
        return new Batch(branch, lines.toString());
    }

    private void assertReplayGivesTheSame() {
        List<String> findings = new ArrayList<>();
        GraphVerification.compare(
                storage.events(), storage.environment(), StorageOptions.defaults(), directory, findings);
        assertThat(findings).isEmpty();
    }

    /** Of the larger load another thread checks all but the ends. */
    @ParameterizedTest
    @ValueSource(ints = {500, 9_000})
    void theFirstFaultOfALoadIsNamedByItsLine(int size) {
        StringBuilder nodes = new StringBuilder();
        List<String> ring = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            nodes.append(node("Person", "p" + i, "n"));
            ring.add(edge("Knows", "k" + i, "p" + i, "p" + (i + 1) % size, "n"));
        }
        load("main", LoadMode.MERGE, nodes.toString());
        mutate("main", "delete Person where @id = \"p77\"");
        assertThatThrownBy(() -> load("main", LoadMode.MERGE, String.join("", ring)))
                .hasMessageContaining("line 77: edge Knows `k76`: its destination, Person `p77`, does not exist");

        ring.set(40, edge("Knows", "k40", "p40", "nowhere", "n"));
        String whole = node("Person", "p77", "again") + String.join("", ring);
        assertThatThrownBy(() -> load("main", LoadMode.MERGE, whole))
                .hasMessageContaining("line 42: edge Knows `k40`: its destination, Person `nowhere`, does not exist");
        assertThat(exported("main")).hasSize(size - 1);

        load("main", LoadMode.MERGE, whole.replace("nowhere", "p41"));
        assertThat(exported("main")).hasSize(2 * size);
    }

    private record Batch(String branch, String lines) {}

    private Batch batch(String branch, Random random) {
        NavigableMap<String, String> state = model.get(branch);
        StringBuilder lines = new StringBuilder();
        int nodes = random.nextInt(3) == 0 ? 0 : 200 + random.nextInt(400);
        for (int i = 0; i < nodes; i++) {
            String type = random.nextInt(4) == 0 ? "City" : "Person";
            String id = (random.nextInt(20) == 0 ? LONG : "") + "n" + random.nextInt(IDS);
            String note = "note" + random.nextInt(3);
            lines.append(node(type, id, note));
            state.put(type + "/" + id, note);
        }
        List<String> people = ids(state, "Person/");
        List<String> cities = ids(state, "City/");
        int count = random.nextInt(600);
        for (int i = 0; i < count && !people.isEmpty() && !cities.isEmpty(); i++) {
            boolean knows = random.nextBoolean();
            String id = "e" + edges++;
            String from = people.get(random.nextInt(people.size()));
            List<String> ends = knows ? people : cities;
            String to = ends.get(random.nextInt(ends.size()));
            lines.append(edge(knows ? "Knows" : "LivesIn", id, from, to, "n"));
            state.put((knows ? "Knows/" : "LivesIn/") + id, from + ">" + to + " n");
        }
        return new Batch(branch, lines.toString());
    }

    private static List<String> ids(NavigableMap<String, String> state, String type) {
        return state.tailMap(type, true).keySet().stream()
                .takeWhile(name -> name.startsWith(type))
                .map(name -> name.substring(type.length()))
                .toList();
    }

    private static String node(String type, String id, String note) {
        return "{\"type\":\"%s\",\"data\":{\"id\":\"%s\",\"note\":\"%s\"}}\n".formatted(type, id, note);
    }

    private static String edge(String type, String id, String from, String to, String note) {
        return "{\"edge\":\"%s\",\"from\":\"%s\",\"to\":\"%s\",\"data\":{\"id\":\"%s\",\"note\":\"%s\"}}\n"
                .formatted(type, from, to, id, note);
    }

    private void loadAtOnce(List<Batch> batches) {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<CompletableFuture<Void>> loads = new ArrayList<>();
            for (Batch batch : batches) {
                loads.add(CompletableFuture.runAsync(() -> load(batch.branch, LoadMode.MERGE, batch.lines), threads));
            }
            loads.forEach(CompletableFuture::join);
        }
    }

    private LoadResult load(String branch, LoadMode mode, String lines) {
        return TestEngine.load(graph, branch, mode, lines);
    }

    private void mutate(String branch, String statement) {
        TestEngine.mutate(graph, branch, statement);
    }

    /** Deletes some nodes, and with them their edges. */
    private void delete(String branch, Random random) {
        NavigableMap<String, String> state = model.get(branch);
        List<String> people = new ArrayList<>(ids(state, "Person/"));
        Collections.shuffle(people, random);
        TreeSet<String> gone = new TreeSet<>(people.subList(0, Math.min(10, people.size())));
        for (String id : gone) {
            mutate(branch, "delete Person where @id = \"" + id + "\"");
            state.remove("Person/" + id);
        }
        state.entrySet().removeIf(entry -> {
            boolean knows = entry.getKey().startsWith("Knows/");
            if (!knows && !entry.getKey().startsWith("LivesIn/")) {
                return false;
            }
            String ends = entry.getValue();
            int arrow = ends.indexOf('>');
            return gone.contains(ends.substring(0, arrow))
                    || (knows && gone.contains(ends.substring(arrow + 1, ends.indexOf(' '))));
        });
    }

    private NavigableMap<String, String> exported(String branch) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        graph.export(ReadTarget.of(branch, null, null), List.of(), Int64Form.NUMBER, TestEngine.ample(), bytes);
        NavigableMap<String, String> entities = new TreeMap<>();
        bytes.toString(StandardCharsets.UTF_8).lines().forEach(line -> {
            String note = field(line, "note");
            String from = field(line, "from");
            String type = from.isEmpty() ? field(line, "type") : field(line, "edge");
            String value = from.isEmpty() ? note : from + ">" + field(line, "to") + " " + note;
            entities.put(type + "/" + field(line, "id"), value);
        });
        return entities;
    }

    private static String field(String line, String name) {
        int at = line.indexOf("\"" + name + "\":\"");
        int from = at + name.length() + 4;
        return at < 0 ? "" : line.substring(from, line.indexOf('"', from));
    }
}
