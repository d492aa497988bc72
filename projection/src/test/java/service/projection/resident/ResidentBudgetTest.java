package service.projection.resident;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import service.core.batch.EntityColumn;
import service.core.batch.ExpandBatch;
import service.core.event.EntityChange;
import service.core.port.BlockGauges;
import service.core.port.GraphSession;
import service.core.port.GraphView;
import service.core.testkit.Seed;
import service.core.testkit.SmallGraph;
import service.core.value.Direction;
import service.projection.TestGraph;
import service.projection.storage.LmdbGraphStorage;
import service.projection.storage.StorageOptions;
import service.projection.temporal.Chain;
import service.projection.view.ViewSource;

/** The memory for blocks of two graphs together, with threads that read and write. */
class ResidentBudgetTest {
    private static final int ENTITIES = 600;
    private static final int READERS = 2;
    private static final int COMMITS = Integer.getInteger("service.commits", 30);

    /** Room for some of the blocks of one graph only. */
    private static final long BYTES = 16_000;

    /** Blocks that are built while there is room for half of them: each takes the readers a fifth of a second. */
    private static final int BUILT = 20;

    @TempDir
    Path temporary;

    /** Nanoseconds of the clock of {@link #memory}. */
    private long now;

    @Test
    void twoGraphsShareTheMemoryWhileTheyAreReadAndWritten(@Seed long seed) throws Exception {
        ResidentMemory memory = new ResidentMemory(BYTES, 0);
        StorageOptions options = TestGraph.options().withResident(memory);
        AtomicBoolean done = new AtomicBoolean();
        List<Future<Integer>> readers = new ArrayList<>();
        try (LmdbGraphStorage one = filled("one", options);
                LmdbGraphStorage two = filled("two", options);
                ExecutorService threads = Executors.newCachedThreadPool()) {
            List<LmdbGraphStorage> graphs = List.of(one, two);
            try {
                for (int i = 0; i < READERS * graphs.size(); i++) {
                    LmdbGraphStorage graph = graphs.get(i % graphs.size());
                    Random random = new Random(seed + i);
                    readers.add(threads.submit(() -> {
                        int reads = 0;
                        for (; !done.get(); reads++) {
                            ViewRows.compareHead(graph, "main", random);
                        }
                        return reads;
                    }));
                }
                Future<Long> watch = threads.submit(() -> {
                    long most = 0;
                    while (!done.get()) {
                        most = Math.max(most, memory.gauges().bytes());
                        LockSupport.parkNanos(200_000);
                    }
                    return most;
                });
                Random random = new Random(seed);
                for (int i = 0; i < COMMITS; i++) {
                    for (LmdbGraphStorage graph : graphs) {
                        SmallGraph.commit(graph.log(), SmallGraph.branch(graph, "main"), changes(random, i));
                    }
                }
                // More blocks were made than there is room for, so some were dropped.
                Awaitility.await().until(() -> memory.gauges().built() > BUILT || failed(readers));
                done.set(true);
                for (Future<Integer> reader : readers) {
                    assertThat(reader.get()).isPositive();
                }
                assertThat(watch.get()).isBetween(1L, BYTES);
                BlockGauges gauges = memory.gauges();
                System.out.println("ResidentBudgetTest: seed " + seed + ", " + gauges);
                assertThat(gauges.blocks()).isLessThan(BUILT);
                assertThat(gauges.fromBlocks()).isPositive();
            } finally {
                done.set(true);
            }
        }
        Awaitility.await().until(() -> memory.gauges().bytes() == 0);
    }

    /** While the memory is locked, as during an eviction, and no block can be made, reads end nevertheless. */
    @Test
    void aReadDoesNotWaitForAnEviction(@Seed long seed) throws Exception {
        ResidentMemory memory = new ResidentMemory(1 << 20, 0);
        try (LmdbGraphStorage graph = filled("one", TestGraph.options().withResident(memory));
                ExecutorService threads = Executors.newSingleThreadExecutor()) {
            ViewRows.compareHead(graph, "main", new Random(seed));
            Awaitility.await().until(() -> memory.gauges().built() > 3);
            memory.building.acquireUninterruptibly();
            try {
                long before = memory.gauges().fromBlocks();
                synchronized (memory) {
                    // Another thread than the one with the lock; the test hangs if a read needs it.
                    threads.submit(() -> ViewRows.compareHead(graph, "main", new Random(seed)))
                            .get();
                }
                assertThat(memory.gauges().fromBlocks()).isGreaterThan(before);
            } finally {
                memory.building.release();
            }
        }
    }

    /** A block takes the place of those that answer less than half as many rows a second for each byte. */
    @Test
    void theBlocksOfLeastUseAreDropped() {
        long bytes = kept(0, 0).bytes();
        ResidentMemory memory = memory(2 * bytes);
        ResidentBlocks graph = graph(memory);
        Kept useful = kept(1, 0);
        Kept idle = kept(2, 0);
        for (Kept each : List.of(useful, idle)) {
            assertThat(memory.reserve(bytes, 1)).isTrue();
            assertThat(graph.publish(each, graph.generation(), bytes)).isTrue();
        }
        memory.hit(useful, 2_000);
        memory.hit(idle, 20);
        now += 2_000_000_000;
        // The rates are the means of 0 before and 1,000 and 10 in the last two seconds.
        assertThat(memory.reserve(bytes, 9)).as("not twice the rate of any").isFalse();
        assertThat(memory.reserve(bytes + 1, 900))
                .as("not twice the rate of two that would have to go")
                .isFalse();
        assertThat(memory.reserve(bytes, 900)).isTrue();
        assertThat(memory.gauges().blocks()).isEqualTo(1);
        assertThat(memory.gauges().bytes()).isEqualTo(2 * bytes);
        memory.release(bytes);
        assertThat(memory.reserve(2 * bytes + 1, 1e12)).as("over the maximum").isFalse();
        assertThat(memory.gauges().blocks()).isEqualTo(1);
        for (int i = 0; i <= 10; i++) {
            now += 2_000_000_000;
            assertThat(memory.reserve(2 * bytes, 1)).isEqualTo(i == 10);
        }
        assertThat(memory.gauges().blocks())
                .as("its rate halves when it is not read")
                .isZero();
    }

    /** Parts that are all read alike do not take the place of each other. */
    @Test
    void whatIsReadAlikeStays() {
        long bytes = kept(0, 0).bytes();
        int room = 10;
        ResidentMemory memory = memory(room * bytes);
        ResidentBlocks graph = graph(memory);
        List<Kept> kept = new ArrayList<>();
        int made = 0;
        for (int round = 0; round < 50; round++) {
            for (int part = 0; part < 4 * room; part++) {
                if (part < kept.size()) {
                    memory.hit(kept.get(part), 100);
                } else if (memory.reserve(bytes, 100)) {
                    made++;
                    Kept block = kept(part, 100);
                    assertThat(graph.publish(block, graph.generation(), bytes)).isTrue();
                    kept.add(block);
                }
            }
            now += 1_000_000_000;
        }
        assertThat(made).isEqualTo(room);
        assertThat(memory.gauges().blocks()).isEqualTo(room);
    }

    /** More parts are read in turn than are counted; some of them are wanted nevertheless. */
    @Test
    void someOfManyPartsAreWanted() {
        ResidentBlocks graph = graph(new ResidentMemory(1 << 20, 100));
        int wanted = 0;
        for (int round = 0; round < 20; round++) {
            for (int incarnation = 0; incarnation < 5_000; incarnation++) {
                Chain chain = new Chain(new int[] {incarnation}, new long[] {0});
                if (graph.missed(new Part(Part.Kind.LIVE, 1, 0, incarnation), 10, false, chain, 0) != null) {
                    wanted++;
                }
            }
        }
        assertThat(wanted).isPositive();
    }

    private ResidentMemory memory(long bytesMax) {
        return new ResidentMemory(bytesMax, 0, Pace.STANDARD, () -> now);
    }

    private static ResidentBlocks graph(ResidentMemory memory) {
        return new ResidentBlocks(
                null,
                null,
                ViewSource.TABLES,
                memory,
                work -> {
                    work.run();
                    return CompletableFuture.completedFuture(null);
                },
                "unused");
    }

    private Kept kept(int property, double perSecond) {
        return Kept.of(
                new Part(Part.Kind.COLUMN, 1, property, 0),
                0,
                0,
                new DirtySet(48),
                new Block.Longs(new long[48], null, 0),
                new Usage(perSecond, now));
    }

    private static boolean failed(List<Future<Integer>> readers) {
        return readers.stream().anyMatch(Future::isDone);
    }

    @Test
    void theSizeOfAStateIsAboutWhatItsBlocksTake(@Seed long seed) {
        ResidentMemory memory = new ResidentMemory(1 << 26, 0);
        try (LmdbGraphStorage graph = filled("one", TestGraph.options().withResident(memory))) {
            long size;
            try (GraphSession session = graph.session();
                    GraphView view = session.view(java.util.Objects.requireNonNull(session.branch("main"))
                            .headPoint())) {
                size = ResidentSize.bytes(view);
            }
            // The different texts are not in the size.
            Awaitility.await().untilAsserted(() -> {
                ViewRows.compareHead(graph, "main", new Random(seed));
                assertThat((double) memory.gauges().bytes()).isBetween(0.7 * size, 1.4 * size);
            });
        }
    }

    /**
     * Queries that only follow edges do not pay for what those need that bind them.
     *
     * @param bytes room for both forms of the block at a time, or for the larger one alone
     */
    @ParameterizedTest
    @ValueSource(ints = {1 << 20, 9_000})
    void aBlockHasTheEdgesOnceTheyAreAskedFor(int bytes) {
        // The clock stands, so all blocks promise the same rate, and none takes the place of another one for that.
        ResidentMemory memory = new ResidentMemory(bytes, 0, Pace.STANDARD, () -> now);
        try (LmdbGraphStorage graph = filled("one", TestGraph.options().withResident(memory))) {
            Awaitility.await()
                    .until(() -> follow(graph, false) && memory.gauges().blocks() == 1);
            long without = memory.gauges().bytes();
            Awaitility.await().untilAsserted(() -> {
                follow(graph, true);
                // 600 edges of 10 bits each, and a word.
                assertThat(memory.gauges().bytes() - without).isEqualTo(Long.BYTES * (600 * 10 / 64 + 2));
            });
            BlockGauges before = memory.gauges();
            assertThat(follow(graph, true) && follow(graph, false)).isTrue();
            BlockGauges after = memory.gauges();
            assertThat(after.fromTables()).isEqualTo(before.fromTables());
            assertThat(after.fromBlocks()).isEqualTo(before.fromBlocks() + 2 * ENTITIES);
        }
    }

    /** Follows the edges from all persons; returns true. */
    private static boolean follow(LmdbGraphStorage graph, boolean withEdges) {
        try (GraphSession session = graph.session();
                GraphView view = session.view(
                        java.util.Objects.requireNonNull(session.branch("main")).headPoint())) {
            EntityColumn persons = new EntityColumn();
            persons.reset(ENTITIES);
            for (int i = 0; i < ENTITIES; i++) {
                persons.set(i, SmallGraph.PERSON, i, EntityColumn.NO_RECORD);
            }
            ExpandBatch found = new ExpandBatch(withEdges);
            int edges = 0;
            try (GraphView.Expansion expansion = view.expand(SmallGraph.KNOWS, Direction.OUT, persons, ENTITIES)) {
                while (expansion.next(found)) {
                    edges += found.size;
                }
            }
            return edges == ENTITIES;
        }
    }

    private LmdbGraphStorage filled(String name, StorageOptions options) {
        LmdbGraphStorage graph = LmdbGraphStorage.create(temporary.resolve(name), options, SmallGraph.SCHEMA, "tester");
        SmallGraph.commit(graph.log(), SmallGraph.branch(graph, "main"), SmallGraph.circle(ENTITIES));
        return graph;
    }

    private static List<EntityChange> changes(Random random, int round) {
        List<EntityChange> changes = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            String id = "n" + round + "-" + i;
            changes.add(SmallGraph.person(id, random.nextInt(50)));
            changes.add(SmallGraph.knows("k" + id, id, "p" + random.nextInt(ENTITIES)));
            changes.add(SmallGraph.knows("l" + id, "p" + random.nextInt(ENTITIES), id));
        }
        return changes;
    }
}
