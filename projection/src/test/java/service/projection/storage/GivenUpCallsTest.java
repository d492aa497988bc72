package service.projection.storage;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import service.core.budget.NoWaiting;
import service.core.budget.RequestBudget;
import service.core.graph.GraphAccess;
import service.core.graph.feed.ChangeSelection;
import service.core.graph.feed.FeedPoll;
import service.core.graph.feed.FeedRequest;
import service.core.graph.feed.FeedStream;
import service.core.graph.feed.SharedPage;
import service.core.graph.request.MutationCall;
import service.core.graph.request.MutationResult;
import service.core.graph.request.ReadTarget;
import service.core.graph.request.Settings;
import service.core.graph.request.StoredQuerySource;
import service.core.graph.request.WriteOptions;
import service.core.json.ByteChunks;
import service.core.json.Int64Form;
import service.core.json.Json;
import service.core.port.Branch;
import service.core.port.GraphSession;
import service.core.port.GraphView;
import service.core.port.WritableGraphStorage;
import service.core.schema.Catalog;
import service.core.schema.SchemaCompiler;
import service.core.testkit.SmallGraph;
import service.core.value.Ulid;
import service.core.wire.EventStreamWriter;
import service.core.wire.FeedPage;
import service.core.wire.QueryResponse;
import service.projection.TestEngine;

/**
 * Each call that the I/O thread may run, given up at each call of the storage in turn, as if that had to wait. The call
 * is then repeated with the same budget. The answer and the commits must be those of a call that was not given up, and
 * no read transaction may stay open.
 */
class GivenUpCallsTest {
    private static final String ONE =
            "query one($k: String) { match { $p: Person { name: $k } } return { $p.age as age } }";
    private static final String SET =
            "query set($k: String, $n: I32) { update Person set { age: $n } where name = $k }";

    /** More than any call has. */
    private static final int POINTS_MAX = 200;

    @TempDir
    Path directory;

    private final AtomicInteger numbers = new AtomicInteger();
    private LmdbGraphStorage storage;
    private int calls;
    private int giveUpAt;
    private int open;

    /** A call of the I/O thread; the answer may come later. */
    private interface BriefCall {
        CompletableFuture<String> on(GraphAccess graph, RequestBudget budget);
    }

    @BeforeEach
    void create() {
        Catalog catalog = SchemaCompiler.compile("node Person { name: String @key  age: I32? }");
        storage = LmdbGraphStorage.create(
                directory.resolve("graph"),
                StorageOptions.defaults().withMapBytes(1L << 28, 1L << 30).withCheckpointEvents(0),
                TestEngine.schema(catalog),
                "tester");
        mutate(graph(), "query add() { insert Person { name: \"ada\", age: 36 } }", null)
                .join();
    }

    @AfterEach
    void close() {
        storage.close();
    }

    private GraphAccess graph() {
        return TestEngine.graph(
                (WritableGraphStorage) counted(WritableGraphStorage.class, storage),
                List.of(new StoredQuerySource("one", ONE), new StoredQuerySource("set", SET)));
    }

    private Object counted(Class<?> port, Object target) {
        return Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {port},
                (proxy, method, arguments) -> call(target, method, arguments));
    }

    private Object call(Object target, Method method, Object[] arguments) throws Throwable {
        boolean isClose = method.getName().equals("close");
        if (NoWaiting.isHere()) {
            if (isClose) {
                open--;
            } else if (++calls == giveUpAt) {
                NoWaiting.giveUp();
            }
        }
        try {
            Object result = method.invoke(target, arguments);
            if (result instanceof GraphSession || result instanceof GraphView) {
                open += NoWaiting.isHere() ? 1 : 0;
                return counted(method.getReturnType(), result);
            }
            return result;
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    /**
     * @param warm whether the call must have been made before to be brief
     * @param commits the commits of one call
     */
    private void check(boolean warm, int commits, BriefCall call) throws Exception {
        check(warm, commits, graph -> call);
    }

    /** @param made makes the call beforehand, on a thread that may wait */
    private void check(boolean warm, int commits, Function<GraphAccess, BriefCall> made) throws Exception {
        String expected = null;
        int points = 0;
        for (boolean gaveUp = true; gaveUp; points++) {
            GraphAccess graph = graph();
            BriefCall call = made.apply(graph);
            if (warm) {
                run(graph, call);
            }
            long before = head();
            CompletableFuture<String> answer = null;
            try (RequestBudget budget = TestEngine.ample()) {
                calls = 0;
                giveUpAt = points;
                try {
                    answer = NoWaiting.call(() -> call.on(graph, budget));
                    gaveUp = points == 0;
                } catch (NoWaiting.WouldWaitException e) {
                    assertThat(points).as("given up without a wait").isPositive();
                    answer = call.on(graph, budget);
                }
                String text = answer.get();
                assertThat(open)
                        .as("transactions left open after call %s", points)
                        .isZero();
                expected = expected == null ? text : expected;
                assertThat(text).as("given up at call %s", points).isEqualTo(expected);
                assertThat(head() - before)
                        .as("commits, given up at call %s", points)
                        .isEqualTo(commits);
            }
            assertThat(points).isLessThan(POINTS_MAX);
        }
        assertThat(points).as("points").isGreaterThan(3);
    }

    private static String run(GraphAccess graph, BriefCall call) throws Exception {
        try (RequestBudget budget = TestEngine.ample()) {
            return call.on(graph, budget).get();
        }
    }

    private long head() {
        return SmallGraph.branch(storage, Branch.MAIN).headOffset();
    }

    private static ObjectNode name() {
        return Json.object().put("k", "ada");
    }

    private ObjectNode change() {
        return name().put("n", numbers.incrementAndGet());
    }

    private static CompletableFuture<MutationResult> mutate(
            GraphAccess graph, String source, @Nullable ObjectNode params) {
        return graph.mutate(
                WriteOptions.NONE,
                new MutationCall("main", source, null, params),
                Settings.DEFAULTS,
                TestEngine.ample());
    }

    private static CompletableFuture<String> text(CompletableFuture<MutationResult> outcome) {
        return outcome.thenApply(result -> result.queryName() + " " + result.affectedNodes() + " " + result.replayed());
    }

    private static CompletableFuture<String> text(List<ByteBuffer> pieces) {
        return CompletableFuture.completedFuture(new String(ByteChunks.join(pieces), StandardCharsets.UTF_8));
    }

    @Test
    void reads() throws Exception {
        check(true, 0, (graph, budget) -> {
            QueryResponse response = new QueryResponse(true);
            graph.query(ReadTarget.MAIN, ONE, null, name(), Settings.DEFAULTS, budget, response);
            return text(response.pieces());
        });
    }

    @Test
    void storedReads() throws Exception {
        check(true, 0, (graph, budget) -> {
            QueryResponse response = new QueryResponse(true);
            graph.queryStored(ReadTarget.MAIN, "one", name(), Settings.DEFAULTS, budget, response);
            return text(response.pieces());
        });
    }

    @Test
    void mutations() throws Exception {
        check(
                true,
                1,
                (graph, budget) -> text(graph.mutate(
                        WriteOptions.NONE, new MutationCall("main", SET, null, change()), Settings.DEFAULTS, budget)));
    }

    @Test
    void mutationsUnderAKey() throws Exception {
        check(
                true,
                1,
                (graph, budget) -> text(graph.mutate(
                        new WriteOptions(null, "key-" + numbers, null),
                        new MutationCall("main", SET, null, change()),
                        Settings.DEFAULTS,
                        budget)));
    }

    @Test
    void storedMutations() throws Exception {
        check(
                true,
                1,
                (graph, budget) -> text(
                        graph.mutateStored(WriteOptions.NONE, "main", "set", change(), Settings.DEFAULTS, budget)));
    }

    /** One commit is due after the cursor, and none after the second one. */
    @Test
    void pollsOfAFeed() throws Exception {
        String before = cursor();
        mutate(graph(), SET, change()).join();
        for (String cursor : List.of(before, cursor())) {
            check(false, 0, (graph, budget) -> {
                try (FeedPoll poll = graph.openChanges(from(cursor))) {
                    SharedPage page = poll.page(FeedPage.ofFeed(10, graph.caller(), budget, Int64Form.NUMBER));
                    CompletableFuture<String> text = text(page.pieces());
                    page.leave();
                    return text;
                }
            });
        }
    }

    @Test
    void pollsThatBeginToWait() throws Exception {
        String cursor = cursor();
        check(false, 0, (graph, budget) -> {
            CompletableFuture<Boolean> news;
            try (FeedPoll poll = graph.openChanges(from(cursor))) {
                news = graph.awaitNews(poll.emptyOutcome());
            }
            boolean isDone = news.isDone();
            news.complete(false);
            return CompletableFuture.completedFuture("waits " + !isDone);
        });
    }

    @Test
    void piecesOfAStream() throws Exception {
        String cursor = cursor();
        mutate(graph(), SET, change()).join();
        mutate(graph(), SET, change()).join();
        check(false, 0, graph -> {
            FeedStream stream = graph.changeStream(
                    from(cursor), new EventStreamWriter(graph.caller(), TestEngine.ample(), Int64Form.NUMBER));
            return (same, budget) -> {
                SharedPage piece = stream.next();
                CompletableFuture<String> text = text(piece.pieces());
                piece.leave();
                return text;
            };
        });
    }

    @Test
    void commitsThatAreHere() throws Exception {
        Ulid head = SmallGraph.branch(storage, Branch.MAIN).head();
        check(
                false,
                0,
                (graph, budget) -> graph.awaitCommit(head, Duration.ZERO).thenApply(String::valueOf));
    }

    private static FeedRequest from(String cursor) {
        return new FeedRequest(null, cursor, null, null, ChangeSelection.ALL, Settings.DEFAULTS);
    }

    private String cursor() {
        try (FeedPoll poll =
                graph().openChanges(new FeedRequest(null, null, "now", null, ChangeSelection.ALL, Settings.DEFAULTS))) {
            return poll.emptyOutcome().cursor();
        }
    }
}
