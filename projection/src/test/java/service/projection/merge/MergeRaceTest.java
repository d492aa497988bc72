package service.projection.merge;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import service.core.event.SchemaChange;
import service.core.graph.GraphAccess;
import service.core.graph.branch.MergeRequest;
import service.core.graph.branch.MergeResult;
import service.core.graph.request.CommitRecord;
import service.core.graph.request.MergeOutcome;
import service.core.graph.request.MutationResult;
import service.core.graph.request.Page;
import service.core.graph.request.ReadTarget;
import service.core.graph.request.Settings;
import service.core.graph.request.WriteOptions;
import service.core.json.Int64Form;
import service.core.schema.Catalog;
import service.core.schema.SchemaCompiler;
import service.core.testkit.SmallGraph;
import service.projection.TestEngine;
import service.projection.storage.GraphVerification;
import service.projection.storage.LmdbGraphStorage;
import service.projection.storage.StorageOptions;

/**
 * Two threads write to each of two branches, while others merge one branch into the other, or both ways. Each thread
 * inserts its own people, so nothing conflicts, and every merge commit must hold exactly the entities of its two
 * parents. When merges go one way only, a writer of the source also increases the age of one person; with merges both
 * ways that may conflict, since the youngest of several best common ancestors is the base.
 */
final class MergeRaceTest {
    private static final int WRITERS_EACH = 2;
    private static final int WRITES = 120;
    private static final String MAIN = "main";
    private static final String WORK = "work";
    private static final String OLDER = "older";
    private static final ObjectMapper JSON = new ObjectMapper();

    private record Attempt(Set<String> before, String target, MergeResult result) {}

    @TempDir
    Path folder;

    private final Set<String> names = ConcurrentHashMap.newKeySet();
    private final Set<String> mainCommits = ConcurrentHashMap.newKeySet();
    private final Set<String> workCommits = ConcurrentHashMap.newKeySet();
    private final AtomicInteger writing = new AtomicInteger(2 * WRITERS_EACH);

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void everyRacingMergeContainsTheChangesOfBothSides(boolean bothWays) throws Exception {
        Catalog catalog = SchemaCompiler.compile("node Person { name: String @key  age: I64 @index }");
        SchemaChange schema = TestEngine.schema(catalog);
        StorageOptions options =
                StorageOptions.defaults().withMapBytes(1L << 30, 4L << 30).withCheckpointEvents(0);
        Path store = folder.resolve("graph");
        try (LmdbGraphStorage storage = LmdbGraphStorage.create(store, options, schema, "tester")) {
            GraphAccess graph = TestEngine.graph(storage);
            write(graph, MAIN, "insert Person { name: \"older\", age: 0 }");
            graph.createBranch(WORK, MAIN, null).join();
            List<Attempt> merges = race(graph, bothWays);
            merges.add(merge(graph, WORK, MAIN));
            merges.add(merge(graph, MAIN, WORK));
            for (Attempt merge : merges) {
                check(graph, merge);
            }
            checkEnd(storage, graph, merges, bothWays ? 0 : WRITES);
        }
        Path scratch = Files.createDirectory(folder.resolve("scratch"));
        assertThat(GraphVerification.run(store, options, scratch).sound()).isTrue();
    }

    private List<Attempt> race(GraphAccess graph, boolean bothWays) throws Exception {
        List<Attempt> merges = new ArrayList<>();
        try (ExecutorService threads = Executors.newCachedThreadPool()) {
            List<Future<List<Attempt>>> all = new ArrayList<>();
            for (int i = 0; i < WRITERS_EACH; i++) {
                int number = i;
                all.add(threads.submit(() -> writer(graph, MAIN, number, false)));
                all.add(threads.submit(() -> writer(graph, WORK, number, number == 0 && !bothWays)));
            }
            all.add(threads.submit(merger(graph, WORK, MAIN)));
            if (bothWays) {
                all.add(threads.submit(merger(graph, MAIN, WORK)));
            }
            for (Future<List<Attempt>> one : all) {
                merges.addAll(one.get());
            }
        }
        return merges;
    }

    private List<Attempt> writer(GraphAccess graph, String branch, int number, boolean updates) {
        try {
            for (int i = 0; i < WRITES; i++) {
                String name = "%s.%d.%d".formatted(branch, number, i);
                write(graph, branch, "insert Person { name: \"" + name + "\", age: 1 }");
                names.add(name);
                if (updates) {
                    write(graph, branch, "update Person set { age: " + (i + 1) + " } where name = \"older\"");
                }
            }
            return List.of();
        } finally {
            writing.decrementAndGet();
        }
    }

    private Callable<List<Attempt>> merger(GraphAccess graph, String source, String target) {
        return () -> {
            List<Attempt> merges = new ArrayList<>();
            while (writing.get() > 0) {
                merges.add(merge(graph, source, target));
            }
            return merges;
        };
    }

    private Attempt merge(GraphAccess graph, String source, String target) {
        Set<String> before = new HashSet<>();
        for (String name : names) {
            if (name.startsWith(source)) {
                before.add(name);
            }
        }
        MergeResult result =
                graph.merge(WriteOptions.NONE, MergeRequest.of(source, target), Settings.DEFAULTS, TestEngine.ample());
        return new Attempt(before, target, result);
    }

    private void write(GraphAccess graph, String branch, String statement) {
        MutationResult written = TestEngine.mutate(graph, branch, statement);
        String id = Objects.requireNonNull(written.commit()).id().toString();
        (branch.equals(MAIN) ? mainCommits : workCommits).add(id);
    }

    private static void check(GraphAccess graph, Attempt merge) throws Exception {
        CommitRecord commit = merge.result.commit();
        if (commit == null) {
            assertThat(merge.result.outcome()).isEqualTo(MergeOutcome.ALREADY_UP_TO_DATE);
            assertThat(people(graph, new ReadTarget.AtBranch(merge.target)).keySet())
                    .containsAll(merge.before);
            return;
        }
        Map<String, Long> merged = people(graph, at(commit.id().toString()));
        assertThat(merged.keySet()).containsAll(merge.before);
        if (merge.result.outcome() == MergeOutcome.MERGED) {
            Map<String, Long> both = people(
                    graph, at(Objects.requireNonNull(commit.lineage().parent()).toString()));
            people(
                            graph,
                            at(Objects.requireNonNull(commit.lineage().mergedParent())
                                    .toString()))
                    .forEach((name, age) -> both.merge(name, age, Math::max));
            assertThat(merged).as("merge %s", commit).isEqualTo(both);
        } else {
            assertThat(merge.result.outcome()).isEqualTo(MergeOutcome.FAST_FORWARD);
        }
    }

    private void checkEnd(LmdbGraphStorage storage, GraphAccess graph, List<Attempt> merges, long age)
            throws Exception {
        Set<String> everybody = new HashSet<>(names);
        everybody.add(OLDER);
        assertThat(everybody).hasSize(2 * WRITERS_EACH * WRITES + 1);
        for (String branch : List.of(MAIN, WORK)) {
            Map<String, Long> people = people(graph, new ReadTarget.AtBranch(branch));
            assertThat(people.keySet()).as(branch).isEqualTo(everybody);
            assertThat(people.get(OLDER)).as(branch).isEqualTo(age);
            Set<String> history = history(graph, branch);
            assertThat(history).hasSize((int) SmallGraph.branch(storage, branch).historyLength());
            assertThat(history).containsAll(branch.equals(MAIN) ? mainCommits : workCommits);
            for (Attempt merge : merges) {
                CommitRecord commit = merge.result.commit();
                if (merge.target.equals(branch) && commit != null) {
                    assertThat(history).contains(commit.id().toString());
                }
            }
        }
        assertThat(merges)
                .as("the race made real merges")
                .anyMatch(merge -> merge.result.outcome() == MergeOutcome.MERGED);
    }

    /** Ids from the head to the first commit; each commit must be the parent of the one before it in this order. */
    private static Set<String> history(GraphAccess graph, String branch) {
        Set<String> ids = new HashSet<>();
        String expected = graph.branch(branch).head().toString();
        @Nullable String before = null;
        do {
            Page page = graph.commits(branch, 100, before);
            for (CommitRecord commit : page.commits()) {
                assertThat(commit.id()).hasToString(expected);
                assertThat(ids.add(expected)).as("once").isTrue();
                expected = String.valueOf(commit.lineage().parent());
            }
            before = page.nextBefore();
        } while (before != null);
        assertThat(expected).as("the parent of the genesis").isEqualTo("null");
        return ids;
    }

    private static ReadTarget at(String commitId) {
        return new ReadTarget.AtSnapshot(commitId);
    }

    private static Map<String, Long> people(GraphAccess graph, ReadTarget target) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        graph.export(target, List.of("Person"), Int64Form.NUMBER, TestEngine.ample(), bytes);
        Map<String, Long> people = new TreeMap<>();
        for (String line : bytes.toString(StandardCharsets.UTF_8).lines().toList()) {
            JsonNode data = JSON.readTree(line).path("data");
            people.put(data.path("name").asText(), data.path("age").asLong());
        }
        return people;
    }
}
