package service.cli.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import service.cli.boot.GraphOpening.Writers;
import service.core.budget.NoWaiting;
import service.core.budget.RequestBudget;
import service.core.cluster.Quarantine;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.event.EventFormatException;
import service.core.graph.Graph;
import service.core.graph.GraphAccess;
import service.core.graph.feed.FeedOutcome;
import service.core.graph.request.ReadTarget;
import service.core.graph.schema.SchemaRequest;
import service.core.policy.Caller;
import service.core.port.Branch;
import service.core.port.CommitFollower;
import service.core.port.FeedHold;
import service.core.port.FollowLag;
import service.core.port.GraphRules;
import service.core.port.GraphSession;
import service.core.port.ObjectStore;
import service.core.port.RetentionPolicy;
import service.core.port.StateHold;
import service.core.schema.SchemaCompiler;
import service.core.schema.migrate.DropApproval;
import service.core.testkit.FaultyObjectStore;
import service.core.testkit.MemoryObjectStore;
import service.log.format.GraphLock;
import service.log.lmdb.CommitHook;
import service.log.object.RepeatedReads;
import service.log.segment.FollowedSegments;
import service.log.segment.SegmentStore;
import service.log.segment.SegmentedLog;
import service.projection.storage.FollowedGraphStorage;
import service.projection.storage.LmdbGraphStorage;
import service.projection.storage.ServedStorage;

/** Graphs that are closed and opened again while they are used. */
final class KnownGraphTest {
    private static final int GRAPHS = 200;
    private static final int OPEN_MAX = 10;
    private static final Duration NEVER = Duration.ofDays(1);
    private static final List<String> FILES = List.of("log/data.mdb", "projection/data.mdb", "projection.trust");

    private final Engine engine = Engine.of(ServiceConfig.of(Map.of()));
    private final List<KnownGraph<?>> known = new ArrayList<>();

    @TempDir
    Path folder;

    private OpenGraphs places = new OpenGraphs(new OpenGraphs.Bounds(OPEN_MAX, NEVER, Duration.ofMinutes(1)));

    @BeforeEach
    void create() {
        new GraphInDirectory(place(0)).create(SchemaCompiler.compile("node N { k: String @key }"), "tester");
    }

    @AfterEach
    void close() {
        places.close();
        known.forEach(KnownGraph::close);
    }

    private Path place(int number) {
        return folder.resolve("graphs").resolve("g" + number);
    }

    /** Graphs with the same history, without the syncs of a creation for each. */
    private void copy(int count) throws IOException {
        for (int i = 1; i < count; i++) {
            for (String file : FILES) {
                Path to = place(i).resolve(file);
                Files.createDirectories(to.getParent());
                Files.copy(place(0).resolve(file), to);
            }
        }
    }

    private KnownGraph<LmdbGraphStorage> know(int number) {
        return know(
                Writers.THIS,
                () -> new GraphInDirectory(place(number)).know(PlacedGraph.OPTIONS.withMapBytes(1 << 24, 1 << 24)));
    }

    private <S extends ServedStorage> KnownGraph<S> know(Writers writers, Supplier<GraphOpening.Place<S>> place) {
        KnownGraph<S> graph = new KnownGraph<>(
                new GraphOpening<>(
                        "g" + known.size(),
                        writers,
                        place,
                        storage -> {},
                        failure -> Quarantine.of(String.valueOf(failure.getMessage()))),
                places);
        graph.know();
        known.add(graph);
        return graph;
    }

    private GraphAccess access(KnownGraph<LmdbGraphStorage> storage) {
        return access(new KnownStorage.Written(storage));
    }

    private GraphAccess access(KnownStorage<?> storage) {
        return new Graph("g", storage, List.of(), GraphRules.NONE, engine.graphs()).as(Caller.unrestricted("a"));
    }

    @Test
    void closingLosesNoCommitWhileManyGraphsShareFewPlaces() throws Exception {
        copy(GRAPHS);
        List<GraphAccess> graphs = new ArrayList<>();
        List<AtomicInteger> committed = new ArrayList<>();
        for (int i = 0; i < GRAPHS; i++) {
            graphs.add(access(know(i)));
            committed.add(new AtomicInteger());
        }
        assertThat(places.size()).isZero();
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        AtomicInteger most = new AtomicInteger();
        AtomicInteger unique = new AtomicInteger();
        try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
            List<Future<?>> clients = new ArrayList<>();
            for (int client = 0; client < 8; client++) {
                Random random = new Random(seed + client);
                clients.add(threads.submit(() -> {
                    for (int i = 0; i < 10; i++) {
                        // Half of the requests meet on graphs that are open already.
                        int graph = random.nextInt(random.nextBoolean() ? GRAPHS : OPEN_MAX);
                        graphs.get(graph)
                                .createBranch("b" + unique.incrementAndGet(), "main", null)
                                .join();
                        committed.get(graph).incrementAndGet();
                        most.accumulateAndGet(places.size(), Math::max);
                    }
                }));
            }
            for (Future<?> client : clients) {
                client.get();
            }
        }
        assertThat(most.get()).isEqualTo(OPEN_MAX);
        for (int i = 0; i < GRAPHS; i++) {
            if (committed.get(i).get() > 0) {
                try (GraphSession session = new KnownStorage<>(known.get(i)).session()) {
                    assertThat(session.branchCount())
                            .as("graph %d", i)
                            .isEqualTo(1 + committed.get(i).get());
                }
            }
        }
    }

    @Test
    void aFollowerGetsEachEventOnceWhileTheGraphIsClosedAndOpened() {
        KnownGraph<LmdbGraphStorage> storage = know(0);
        Queue<Long> taken = new ConcurrentLinkedQueue<>();
        storage.follow(new CommitFollower() {
            @Override
            public boolean isInterested(long offset) {
                return true;
            }

            @Override
            public void committed(long from, long to) {
                for (long offset = from; offset <= to; offset++) {
                    taken.add(offset);
                }
            }
        });
        GraphAccess graph = access(storage);
        for (int i = 0; i < 3; i++) {
            graph.createBranch("b" + i, "main", null).join();
            Awaitility.await().until(storage::closeIfUnused);
        }
        assertThat(storage.isOpen()).isFalse();
        assertThat(taken).containsExactly(1L, 2L, 3L);
        assertThat(new KnownStorage<>(storage).gauges()).isNull();
    }

    @Test
    void whatIsUsedStaysOpenAndMoreThanMayBeOpenIsRefused() throws IOException {
        places.close();
        places = new OpenGraphs(new OpenGraphs.Bounds(1, NEVER, Duration.ofMillis(1)));
        copy(2);
        KnownGraph<LmdbGraphStorage> first = know(0);
        KnownGraph<LmdbGraphStorage> second = know(1);
        KnownStorage<LmdbGraphStorage> firstStorage = new KnownStorage<>(first);
        Branch main;
        try (GraphSession session = firstStorage.session()) {
            main = session.branch(Branch.MAIN);
            assertThat(first.closeIfUnused()).isFalse();
            assertThatThrownBy(() -> new KnownStorage<>(second).session())
                    .isInstanceOfSatisfying(
                            ServiceException.class,
                            refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.OVERLOADED));
        }
        StateHold held = firstStorage.hold(main.headPoint());
        FeedHold feed = firstStorage.holdFeed(main.incarnation(), 0);
        assertThat(first.closeIfUnused()).isFalse();
        held.close();
        held.close();
        assertThat(first.closeIfUnused()).isFalse();
        feed.close();
        // An I/O thread does not wait for an opening; nothing has happened when it gives up.
        assertThatThrownBy(() -> NoWaiting.call(() -> {
                    second.open();
                    return null;
                }))
                .isInstanceOf(NoWaiting.WouldWaitException.class);
        second.open();
        assertThat(first.isOpen()).isFalse();
        assertThat(second.isOpen()).isTrue();
    }

    @Test
    void filesBoundOpenGraphs() {
        OpenGraphs.Bounds bounds = OpenGraphs.Bounds.of(1_000, NEVER);
        assertThat(bounds.within(65_536, 10_000)).isEqualTo(bounds);
        assertThat(bounds.within(20_000, 10_000).max()).isEqualTo(250);
        assertThat(bounds.within(100, 5_000).max()).isEqualTo(1);
        assertThat(bounds.within(Long.MAX_VALUE, 10_000)).isEqualTo(bounds);
    }

    @Test
    void anIdleGraphIsClosedByItself() {
        places.close();
        places = new OpenGraphs(OpenGraphs.Bounds.of(OPEN_MAX, Duration.ofMillis(20)));
        KnownGraph<LmdbGraphStorage> graph = know(0);
        graph.open();
        Awaitility.await().until(() -> !graph.isOpen());
        // Closed or not, no other process may write it.
        assertThatThrownBy(() -> GraphLock.takeBeside(place(0), GraphLock.Purpose.SERVING))
                .isInstanceOf(ServiceException.class);
    }

    @Test
    void aGraphThatCannotBeOpenedIsQuarantinedAndGivenBack() throws IOException {
        KnownGraph<LmdbGraphStorage> graph = know(0);
        try (FileChannel data = FileChannel.open(place(0).resolve("log/data.mdb"), StandardOpenOption.WRITE)) {
            data.truncate(8_192);
        }
        assertThatThrownBy(() -> new KnownStorage<>(graph).session())
                .isInstanceOfSatisfying(
                        ServiceException.class,
                        refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.GRAPH_QUARANTINED))
                .hasMessageContaining("graph `g0` is quarantined: ");
        assertThat(graph.detached()).contains("is cut off").doesNotContain(folder.toString());
        assertThat(graph.detachedWhileOpen()).isNull();
        assertThat(places.size()).isZero();
        GraphLock.takeBeside(place(0), GraphLock.Purpose.RESTORING).close();
    }

    @Test
    void anotherGraphInTheSamePlaceIsNotServed() throws IOException {
        KnownGraph<LmdbGraphStorage> graph = know(0);
        access(graph).createBranch("b", "main", null).join();
        Awaitility.await().until(graph::closeIfUnused);
        Path away = folder.resolve("away");
        Files.move(place(0), away);
        LmdbGraphStorage.create(
                        place(0),
                        PlacedGraph.OPTIONS,
                        PlacedGraph.genesis(SchemaCompiler.compile("node N { k: String @key }")),
                        "other")
                .close();
        assertThatThrownBy(() -> new KnownStorage<>(graph).session())
                .hasMessageContaining("another graph was put in its place");
    }

    /** The fsyncs of an opening are those of the mark of the tables and of their closing. */
    @Test
    void anOpeningForAReadLeavesTheMarkOfTheTables() throws IOException {
        KnownGraph<LmdbGraphStorage> graph = know(0);
        Path mark = place(0).resolve("projection.trust");
        Object file = Files.readAttributes(mark, BasicFileAttributes.class).fileKey();
        try (GraphSession session = new KnownStorage<>(graph).session()) {
            assertThat(session.branchCount()).isEqualTo(1);
        }
        assertThat(graph.closeIfUnused()).isTrue();
        assertThat(Files.readAttributes(mark, BasicFileAttributes.class).fileKey())
                .isEqualTo(file);
        GraphAccess access = access(graph);
        access.createBranch("b", "main", null).join();
        assertThat(mark).content().startsWith("open ");
        Awaitility.await().until(graph::closeIfUnused);
        assertThat(mark).content().startsWith("clean ");
        try (GraphSession session = new KnownStorage<>(graph).session()) {
            assertThat(session.branchCount()).isEqualTo(2);
        }
    }

    /** What is closed does not follow other servers, so it stays open while a consumer waits for them. */
    @Test
    void aGraphInABucketThatIsWaitedForStaysOpen() {
        MemoryObjectStore bucket = new MemoryObjectStore();
        createIn(bucket);
        KnownGraph<LmdbGraphStorage> graph = knowInBucket(bucket);
        graph.followOthers(Duration.ofMillis(10));
        GraphAccess access = access(graph);
        Branch main;
        try (GraphSession session = new KnownStorage<>(graph).session()) {
            main = session.branch(Branch.MAIN);
        }
        Awaitility.await().until(graph::closeIfUnused);
        CompletableFuture<Boolean> news =
                access.awaitNews(new FeedOutcome(null, null, true, main.incarnation(), main.headOffset()));
        assertThat(graph.isOpen()).isTrue();
        try (LmdbGraphStorage other = LmdbGraphStorage.open(inBucket(bucket, "other"), PlacedGraph.OPTIONS)) {
            assertThat(graph.closeIfUnused()).isFalse();
            migrate(other, "node N { k: String @key  p: String? }");
            assertThat(news.join()).isTrue();
            Awaitility.await().until(graph::closeIfUnused);
            migrate(other, "node N { k: String @key  p: String?  q: String? }");
        }
        // What others committed meanwhile is there when it is opened again.
        assertThat(access.schema(ReadTarget.MAIN).source()).contains("q");
    }

    /** A process cannot open a graph twice, so that the one that writes it is closed here when it is read. */
    @Test
    void aGraphThatIsOnlyReadIsOpenedAndClosed() throws IOException {
        KnownGraph<LmdbGraphStorage> written = know(0);
        GraphAccess writer = access(written);
        KnownGraph<ServedStorage> read = know(
                Writers.OTHERS_HERE,
                () -> new GraphInDirectory(place(0))
                        .knowForReading(PlacedGraph.OPTIONS, Duration.ofMillis(10), () -> Duration.ZERO));
        KnownStorage<ServedStorage> storage = new KnownStorage<>(read);
        for (int i = 0; i < 3; i++) {
            writer.createBranch("b" + i, "main", null).join();
            Awaitility.await().until(written::closeIfUnused);
            assertThat(storage.lag()).isNull();
            try (GraphSession session = storage.session()) {
                assertThat(session.branchCount()).isEqualTo(2 + i);
                assertThat(read.closeIfUnused()).isFalse();
                assertThat(storage.lag()).isEqualTo(new FollowLag(0, 0));
            }
            assertThat(read.closeIfUnused()).isTrue();
        }
        Files.move(place(0), folder.resolve("away"));
        new GraphInDirectory(place(0)).create(SchemaCompiler.compile("node N { k: String @key }"), "tester");
        assertThatThrownBy(storage::session).hasMessageContaining("another graph was put in its place");
        assertThat(places.size()).isZero();
    }

    @Test
    void aGraphInABucketThatIsOnlyReadStaysOpenWhileAConsumerWaits() {
        MemoryObjectStore bucket = new MemoryObjectStore();
        createIn(bucket);
        KnownGraph<ServedStorage> read = know(
                Writers.OTHERS_ELSEWHERE,
                () -> new GraphOpening.Place<>(
                        () -> FollowedGraphStorage.serve(
                                new FollowedSegments(segments(bucket), inBucket(bucket, "read"), () -> {}),
                                PlacedGraph.OPTIONS,
                                Duration.ofMillis(10)),
                        () -> {}));
        GraphAccess reader = access(new KnownStorage<>(read));
        GraphAccess writer = access(knowInBucket(bucket));
        Branch main;
        try (GraphSession session = new KnownStorage<>(read).session()) {
            main = session.branch(Branch.MAIN);
        }
        CompletableFuture<Boolean> news =
                reader.awaitNews(new FeedOutcome(null, null, true, main.incarnation(), main.headOffset()));
        assertThat(read.closeIfUnused()).isFalse();
        migrate(writer, "node N { k: String @key  p: String? }");
        assertThat(news.join()).isTrue();
        Awaitility.await().until(read::closeIfUnused);
        assertThatThrownBy(() -> reader.createBranch("mine", "main", null)).isInstanceOf(ServiceException.class);
        assertThat(read.isOpen()).isFalse();
        migrate(writer, "node N { k: String @key  p: String?  q: String? }");
        assertThat(reader.schema(ReadTarget.MAIN).source()).contains("q");
    }

    /** A server of a bucket is cut off while another one commits, cleans up, and deletes what its copy lacks. */
    @Test
    void aGraphThatWasLeftBehindIsMadeAgainFromTheNewestImage() {
        MemoryObjectStore bucket = new MemoryObjectStore();
        FaultyObjectStore client = new FaultyObjectStore(bucket, 0);
        createIn(bucket);
        try (LmdbGraphStorage other = LmdbGraphStorage.open(inBucket(bucket, "other"), PlacedGraph.OPTIONS)) {
            // It has the lease of the background work from now on.
            other.keepImage();
            KnownGraph<LmdbGraphStorage> graph = knowInBucket(client);
            KnownStorage<LmdbGraphStorage> storage = new KnownStorage<>(graph);
            GraphAccess access = access(graph);
            access.createBranch("before", "main", null).join();
            FeedHold feed = storage.holdFeed(0, 0);
            client.unreachable(true);
            for (int i = 0; i < 3; i++) {
                migrate(other, "node N { k: String @key  p" + i + ": String? }");
            }
            other.cleanup().run(new RetentionPolicy(1L, null), Duration.ZERO);
            Awaitility.await().until(() -> {
                other.cleanup().resume(Duration.ZERO);
                return bucket.list("graphs/g/log/", "", 10).size() == 2;
            });
            client.unreachable(false);
            assertThatThrownBy(() -> access.createBranch("after", "main", null).join())
                    .hasRootCauseInstanceOf(EventFormatException.class)
                    .cause()
                    .isInstanceOfSatisfying(
                            ServiceException.class,
                            refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.NOT_YET_HERE));
            storage.compareStored();
            Awaitility.await().until(() -> isMade(access));
            assertThat(access.schema(ReadTarget.MAIN).source()).contains("p2");
            feed.close();
            try (GraphSession session = storage.session()) {
                assertThat(session.branchCount()).isEqualTo(3);
            }
        }
    }

    /** Whether a branch is made; the only other answer is that the newest state is not here yet. */
    private static boolean isMade(GraphAccess graph) {
        try {
            graph.createBranch("after", "main", null).join();
            return true;
        } catch (ServiceException e) {
            assertThat(e.code()).isEqualTo(ErrorCode.NOT_YET_HERE);
            return false;
        } catch (CompletionException e) {
            assertThat(e.getCause())
                    .isInstanceOfSatisfying(
                            ServiceException.class,
                            refusal ->
                                    assertThat(refusal.code()).isIn(ErrorCode.NOT_YET_HERE, ErrorCode.SHUTTING_DOWN));
            return false;
        }
    }

    private void migrate(LmdbGraphStorage storage, String schema) {
        migrate(
                new Graph("g", storage, List.of(), GraphRules.NONE, engine.graphs()).as(Caller.unrestricted("a")),
                schema);
    }

    private static void migrate(GraphAccess graph, String schema) {
        try (RequestBudget budget = graph.budget(() -> false)) {
            graph.applySchema(new SchemaRequest(schema, DropApproval.every(), null), budget);
        }
    }

    private void createIn(ObjectStore bucket) {
        LmdbGraphStorage.create(
                        inBucket(bucket, "first"),
                        PlacedGraph.OPTIONS,
                        PlacedGraph.genesis(SchemaCompiler.compile("node N { k: String @key }")),
                        "tester")
                .close();
    }

    private KnownGraph<LmdbGraphStorage> knowInBucket(ObjectStore bucket) {
        return know(
                Writers.ALL,
                () -> new GraphOpening.Place<>(
                        () -> LmdbGraphStorage.open(inBucket(bucket, "own"), PlacedGraph.OPTIONS), () -> {}));
    }

    private static SegmentStore segments(ObjectStore store) {
        return new SegmentStore(new RepeatedReads(store), "g", Duration.ofMillis(50));
    }

    private SegmentedLog inBucket(ObjectStore store, String copy) {
        return new SegmentedLog(
                segments(store), folder.resolve(copy), PlacedGraph.OPTIONS.projection(), CommitHook.NONE, "boot");
    }
}
