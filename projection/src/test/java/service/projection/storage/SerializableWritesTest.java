package service.projection.storage;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import service.core.budget.RequestBudget;
import service.core.error.ServiceException;
import service.core.event.ChangeCounts;
import service.core.graph.GraphAccess;
import service.core.graph.load.LoadMode;
import service.core.graph.request.AnsweredRows;
import service.core.graph.request.CommitRecord;
import service.core.graph.request.MutationCall;
import service.core.graph.request.MutationResult;
import service.core.graph.request.ReadTarget;
import service.core.graph.request.Settings;
import service.core.graph.request.WriteOptions;
import service.core.json.Int64Form;
import service.core.schema.Catalog;
import service.core.schema.SchemaCompiler;
import service.core.testkit.Seed;
import service.projection.TestEngine;

/**
 * Writes that are prepared outside the writer's thread are serializable: the state that concurrent writers have
 * committed equals the state after the same writes one after the other, in the order of their commits. The predicates
 * need scans and the loads are large, so most writes are prepared in advance and validated; unique values,
 * cardinalities, ends of edges and deletions conflict often.
 */
final class SerializableWritesTest {
    private static final String SCHEMA = """
            node Person { name: String @key  age: I32?  email: String? @unique  mood: String? }
            edge Knows: Person -> Person @card(0..6) { since: I32?  @unique(src, dst) }
            """;
    private static final int THREADS = 4;
    private static final int WRITES = 50;
    private static final int NAMES = 500;
    private static final int LOADED = 300;

    /** A write that can be repeated. */
    private sealed interface Write {
        record Mutation(String source) implements Write {}

        record Load(String records) implements Write {}
    }

    /** @param answer the rows that it returned, without ids; empty for none */
    private record Done(CommitRecord commit, Write write, String answer) {}

    /** @param commit null when nothing changed */
    private record Outcome(@Nullable CommitRecord commit, String answer) {}

    @TempDir
    Path folder;

    private final AtomicInteger refused = new AtomicInteger();
    private final AtomicInteger unchanged = new AtomicInteger();

    @Test
    void concurrentWritesEqualTheSameWritesOneAfterTheOther(@Seed long seed) throws Exception {
        List<Done> done = new ArrayList<>();
        String concurrent;
        try (LmdbGraphStorage storage = create("concurrent")) {
            GraphAccess graph = TestEngine.graph(storage);
            Write first = load(new Random(seed));
            done.add(new Done(Objects.requireNonNull(run(graph, first).commit), first, ""));
            try (ExecutorService threads = Executors.newCachedThreadPool()) {
                List<Future<List<Done>>> all = new ArrayList<>();
                for (int i = 0; i < THREADS; i++) {
                    Random random = new Random(seed + i);
                    all.add(threads.submit(() -> writer(graph, random)));
                }
                for (Future<List<Done>> one : all) {
                    done.addAll(one.get());
                }
            }
            concurrent = export(graph);
        }
        done.sort(Comparator.comparingLong(one -> one.commit.logOffset()));
        System.out.printf(
                "SerializableWritesTest: %d commits, %d unchanged, %d refused%n",
                done.size(), unchanged.get(), refused.get());
        assertThat(done).hasSizeGreaterThan(THREADS * WRITES / 4);
        try (LmdbGraphStorage storage = create("serial")) {
            GraphAccess graph = TestEngine.graph(storage);
            for (Done one : done) {
                Outcome again;
                try {
                    again = run(graph, one.write);
                } catch (ServiceException e) {
                    throw new AssertionError("%s refused: %s".formatted(one, e.getMessage()), e);
                }
                assertThat(again.commit).as("%s", one).isNotNull();
                ChangeCounts counts = again.commit == null ? ChangeCounts.NONE : again.commit.counts();
                assertThat(counts).as("%s", one).isEqualTo(one.commit.counts());
                assertThat(again.answer).as("%s", one).isEqualTo(one.answer);
            }
            assertThat(export(graph)).isEqualTo(concurrent);
        }
    }

    private LmdbGraphStorage create(String name) {
        Catalog catalog = SchemaCompiler.compile(SCHEMA);
        return LmdbGraphStorage.create(
                folder.resolve(name),
                StorageOptions.defaults().withMapBytes(1L << 30, 4L << 30).withCheckpointEvents(0),
                TestEngine.schema(catalog),
                "tester");
    }

    private List<Done> writer(GraphAccess graph, Random random) {
        List<Done> done = new ArrayList<>();
        for (int i = 0; i < WRITES; i++) {
            Write write = write(random);
            try {
                Outcome outcome = run(graph, write);
                if (outcome.commit == null) {
                    unchanged.incrementAndGet();
                } else {
                    done.add(new Done(outcome.commit, write, outcome.answer));
                }
            } catch (ServiceException e) {
                // A violated constraint, or a missing end of an edge.
                assertThat(e.detail()).as("%s: %s", write, e).isNotNull();
                refused.incrementAndGet();
            }
        }
        return done;
    }

    private static Write write(Random random) {
        int age = random.nextInt(12);
        return switch (random.nextInt(18)) {
            case 12 ->
                mutation(("match { $a: Person $a.age = %d } update $a set { age: $a.age + 1, mood: \"x\" }"
                                + " return { $a.name, $a.age } order { $a.name }")
                        .formatted(age));
            case 13 ->
                mutation(("match { $a: Person { name: \"%s\" } $b: Person { age: %d } not { $a knows $b } }"
                                + " insert Knows { from: $a, to: $b } as $k"
                                + " return { $b.name, $k.@src as src } order { $b.name } limit 3")
                        .formatted(name(random), age));
            case 14 ->
                mutation("match { $a $k:knows $b $b.age > $a.age } update $a set { mood: \"younger\" } delete $k"
                        + " return { count(*) as n, count(distinct $a) as people }");
            case 15 -> mutation("match { $a $k:knows $b } update $a set { age: $b.age }");
            case 16 -> mutation("match { $a: Person { age: %d } not { $a knows $_ } } delete $a".formatted(age));
            case 17 ->
                mutation(("match { $a: Person $a.age < %d } with { max($a.age) as $most, count(*) as $n }"
                                + " insert Person { name: \"%s\", age: $most } as $p"
                                + " update $p set { mood: \"of many\" } return { $n, $p.age }")
                        .formatted(1 + random.nextInt(4), name(random)));
            case 10 -> {
                String name = name(random);
                yield mutation("delete Person where age = %d or name = \"%s\" insert Person { name: \"%s\", age: %d }"
                        .formatted(age, name, name, random.nextInt(12)));
            }
            case 11 ->
                mutation("insert Person { name: \"%s\" } delete Knows where @src = \"%s\""
                        .formatted(name(random), name(random)));
            case 0 -> mutation("insert Person { name: \"%s\", age: %d }".formatted(name(random), age));
            case 1 ->
                mutation("update Person set { email: \"e%d\" } where name = \"%s\""
                        .formatted(random.nextInt(20), name(random)));
            case 2 -> mutation("update Person set { age: age + 1 } where age = %d".formatted(age));
            case 3 -> mutation("update Person set { mood: \"m%d\" } where age < %d".formatted(random.nextInt(5), age));
            case 4 -> mutation("delete Person where age = 11 and mood = \"m%d\"".formatted(random.nextInt(5)));
            case 5, 6 ->
                mutation("insert Knows { from: \"%s\", to: \"%s\", since: %d }"
                        .formatted(name(random), name(random), age));
            case 7 -> mutation("delete Knows where since = %d".formatted(age));
            default -> load(random);
        };
    }

    private static Write mutation(String body) {
        return new Write.Mutation("query w() { " + body + " }");
    }

    private static Write load(Random random) {
        StringBuilder records = new StringBuilder();
        String last = name(random);
        for (int i = 0; i < LOADED; i++) {
            String name = name(random);
            records.append("{\"type\":\"Person\",\"data\":{\"name\":\"%s\",\"age\":%d}}%n"
                    .formatted(name, random.nextInt(12)));
            if (i > 0 && random.nextInt(200) == 0) {
                records.append("{\"edge\":\"Knows\",\"from\":\"%s\",\"to\":\"%s\"}%n".formatted(name, last));
            }
            last = name;
        }
        return new Write.Load(records.toString());
    }

    private static String name(Random random) {
        return "n" + random.nextInt(NAMES);
    }

    private static Outcome run(GraphAccess graph, Write write) {
        try (RequestBudget budget = graph.budget(() -> false)) {
            return switch (write) {
                case Write.Mutation mutation -> {
                    MutationResult result = graph.mutate(
                                    WriteOptions.NONE,
                                    new MutationCall("main", mutation.source, null, null),
                                    Settings.DEFAULTS,
                                    budget)
                            .join();
                    AnsweredRows answer = result.answer();
                    yield new Outcome(result.commit(), answer == null ? "" : answer.numbers());
                }
                case Write.Load load ->
                    new Outcome(
                            graph.load(
                                            WriteOptions.NONE,
                                            "main",
                                            null,
                                            LoadMode.MERGE,
                                            new ByteArrayInputStream(load.records.getBytes(StandardCharsets.UTF_8)),
                                            budget)
                                    .join()
                                    .commit(),
                            "");
            };
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }

    /** The state, without the ids of edges, which the server chooses. */
    private static String export(GraphAccess graph) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        graph.export(ReadTarget.MAIN, List.of(), Int64Form.NUMBER, TestEngine.ample(), bytes);
        return bytes.toString(StandardCharsets.UTF_8)
                .lines()
                .map(line -> line.contains("\"edge\"") ? line.replaceAll("\"id\":\"[^\"]*\",?", "") : line)
                .sorted()
                .reduce("", (all, line) -> all + line + "\n");
    }
}
