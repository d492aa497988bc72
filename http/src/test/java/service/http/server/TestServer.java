package service.http.server;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import service.core.budget.ComputeShare;
import service.core.budget.MemoryPool;
import service.core.budget.ProcessBudget;
import service.core.budget.SpillSpace;
import service.core.cluster.Quarantine;
import service.core.cluster.ServedCluster;
import service.core.error.ServiceException;
import service.core.policy.Action;
import service.http.auth.Authenticator;
import service.http.auth.Everyone;
import service.http.auth.Policies;
import service.http.auth.token.ProtectedResource;
import service.http.console.ConsoleRoutes;
import service.http.limit.Limits;
import service.http.observe.Observation;
import service.http.route.Answer;
import service.http.route.BodyRule;
import service.http.route.Call;
import service.http.route.McpEndpoint;
import service.http.route.Media;
import service.http.route.Route;
import service.http.route.RouteTable;

/**
 * A real server on a free port with the service's own routes and a few that provoke one behaviour each. Its cluster has
 * no open graph.
 */
final class TestServer implements AutoCloseable {
    /** The result of {@code POST /test/later}. */
    final CompletableFuture<String> outcome = new CompletableFuture<>();

    /**
     * Counted down when a call of {@code POST /test/block} or {@code GET /test/busy} runs; the call returns when
     * {@link #release} is counted down.
     */
    final CountDownLatch blocked = new CountDownLatch(1);

    final CountDownLatch release = new CountDownLatch(1);

    /** Whether a call of {@code POST /test/block} was interrupted. */
    final AtomicBoolean interrupted = new AtomicBoolean();

    /** Bytes that {@code POST /test/endless} has written to its stream. */
    final AtomicLong produced = new AtomicLong();

    final CompletableFuture<Throwable> endlessFailure = new CompletableFuture<>();

    final Ticks ticks = new Ticks();

    final ServiceServer server;

    private static final long MEMORY_BYTES = 256L << 20;

    private static ProcessBudget process(long memoryBytes) {
        return new ProcessBudget(new MemoryPool(memoryBytes), new ComputeShare(2), memoryBytes, SpillSpace.NONE);
    }

    TestServer(Limits limits) {
        this(limits, new Everyone());
    }

    TestServer(Limits limits, Authenticator authenticator) {
        this(limits, authenticator, MEMORY_BYTES);
    }

    /** A server whose requests together may hold this number of bytes. */
    TestServer(Limits limits, Authenticator authenticator, long memoryBytes) {
        this(limits, authenticator, Policies.LISTING, memoryBytes, "127.0.0.1", List.of());
    }

    /** A server without authentication, bound to the host. */
    TestServer(Limits limits, String host, List<String> allowedHosts) {
        this(limits, new Everyone(), Policies.LISTING, MEMORY_BYTES, host, allowedHosts);
    }

    /** A server with these policies. */
    TestServer(Authenticator authenticator, Policies policies) {
        this(Limits.DEFAULTS, authenticator, policies, MEMORY_BYTES, "127.0.0.1", List.of());
    }

    TestServer(Limits limits, Authenticator authenticator, Policies policies) {
        this(limits, authenticator, policies, MEMORY_BYTES, "127.0.0.1", List.of());
    }

    private TestServer(
            Limits limits,
            Authenticator authenticator,
            Policies policies,
            long memoryBytes,
            String host,
            List<String> allowedHosts) {
        ServedCluster cluster = new ServedCluster(
                "sha256:aa",
                7,
                "sha256:bb",
                new TreeMap<>(),
                new TreeMap<>(Map.of("broken", Quarantine.of("event 17 is damaged"))));
        java.util.ArrayList<Route> routes = new java.util.ArrayList<>(
                RouteTable.standard("test", !(authenticator instanceof Everyone), authenticator.protectedResource())
                        .routes());
        routes.addAll(provocations());
        ProtectedResource resource = authenticator.protectedResource();
        routes.addAll(ConsoleRoutes.routes(resource));
        if (resource != null) {
            routes.add(McpEndpoint.route(resource, call -> Answer.whole(202, new byte[0])));
        }
        server = ServiceServer.start(
                new ServerOptions(host, 0, "test", limits, process(memoryBytes), allowedHosts, Observation.NONE),
                cluster,
                authenticator,
                policies,
                new RouteTable(routes));
    }

    RawConnection connect() throws IOException {
        return new RawConnection(server.address());
    }

    private List<Route> provocations() {
        return List.of(
                Route.get(
                        "/test/name/{name}",
                        Action.READ,
                        call -> whole(call.line().segments().get(2))),
                Route.get("/test/large", Action.READ, call -> whole("x".repeat(5_000))),
                Route.get(
                                "/test/parameters",
                                Action.READ,
                                call -> whole(new TreeMap<>(call.line().parameters()).toString()))
                        .with("a", "b"),
                Route.get("/test/fault", Action.READ, call -> fault()),
                Route.post("/test/echo", Action.READ, BodyRule.JSON, call -> echo(call.body())),
                Route.post("/test/brief", Action.READ, BodyRule.JSON, call -> echo(call.body()))
                        .with(call -> true),
                Route.post(
                                "/test/condition",
                                Action.CHANGE,
                                BodyRule.JSON,
                                call -> whole(call.headers().condition()))
                        .with(Route.Condition.REQUIRED),
                Route.post(
                        "/test/lines", Action.READ, BodyRule.NDJSON, call -> whole("" + lines(call.body().stream()))),
                Route.post(
                        "/test/later",
                        Action.CHANGE,
                        BodyRule.OPTIONAL_JSON,
                        call -> new Answer.Async<>(outcome, TestServer::whole)),
                Route.get("/test/busy", Action.READ, this::busy),
                Route.post("/test/block", Action.READ, BodyRule.OPTIONAL_JSON, call -> block()),
                Route.get("/test/ticks", Action.READ, call -> new Answer.Events(ticks, null)),
                Route.get("/test/flood", Action.READ, call -> new Answer.Events(new Flood(), null)),
                Route.get(
                        "/test/wait",
                        Action.READ,
                        call -> new Answer.LongPoll(
                                new CompletableFuture<>(), Duration.ofSeconds(30), true, () -> whole("waited"))),
                Route.get("/test/cut", Action.READ, call -> Answer.streamed(Media.NDJSON, this::cut)),
                Route.get("/test/early", Action.READ, call -> Answer.streamed(Media.NDJSON, this::early)),
                Route.get("/test/endless", Action.READ, call -> Answer.streamed(Media.NDJSON, this::endless)),
                Route.get("/test/million", Action.READ, call -> Answer.streamed(Media.NDJSON, TestServer::million)));
    }

    /** The events of {@code GET /test/ticks}: one at each {@link #more}. */
    static final class Ticks implements Answer.EventSource {
        private static final byte[] TICK = "event: tick\ndata: 1\n\n".getBytes(StandardCharsets.US_ASCII);

        final AtomicInteger given = new AtomicInteger();
        final AtomicInteger released = new AtomicInteger();
        private volatile CompletableFuture<Boolean> news = new CompletableFuture<>();

        @Override
        public Piece next(Refused refused) {
            given.incrementAndGet();
            return new Piece(ByteBuffer.wrap(TICK), After.NEWS, released::incrementAndGet);
        }

        @Override
        public Piece refuse(ServiceException refusal, Refused refused) {
            return error(refusal, refused);
        }

        @Override
        public CompletableFuture<Boolean> news() {
            CompletableFuture<Boolean> next = new CompletableFuture<>();
            news = next;
            return next;
        }

        void more() {
            news.complete(true);
        }
    }

    /** The events of {@code GET /test/flood}: more than any client takes. */
    private static final class Flood implements Answer.EventSource {
        private static final byte[] MANY = ":\n\n".repeat(20_000).getBytes(StandardCharsets.US_ASCII);

        @Override
        public Piece next(Refused refused) {
            return new Piece(ByteBuffer.wrap(MANY), After.EVENTS, () -> {});
        }

        @Override
        public Piece refuse(ServiceException refusal, Refused refused) {
            return error(refusal, refused);
        }

        @Override
        public CompletableFuture<Boolean> news() {
            throw new IllegalStateException("there are always more");
        }
    }

    private static Answer.EventSource.Piece error(ServiceException refusal, Answer.EventSource.Refused refused) {
        String body = new String(refused.body(refusal), StandardCharsets.UTF_8);
        byte[] event = ("event: error\ndata: " + body + "\n\n").getBytes(StandardCharsets.UTF_8);
        return new Answer.EventSource.Piece(ByteBuffer.wrap(event), Answer.EventSource.After.END, () -> {});
    }

    private static Answer whole(String text) {
        return Answer.json(json -> json.string(text));
    }

    private static Answer echo(Call.Body body) {
        return Answer.whole(200, Arrays.copyOf(body.bytes(), body.length()));
    }

    private static Answer fault() {
        throw new IllegalStateException("secret internals");
    }

    private static int lines(java.io.InputStream stream) throws IOException {
        BufferedReader reader = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8));
        int count = 0;
        while (reader.readLine() != null) {
            count++;
        }
        return count;
    }

    /** Works until the client leaves. */
    private Answer busy(Call call) {
        blocked.countDown();
        while (release.getCount() > 0) {
            call.budget().checkpoint(() -> {});
            Thread.onSpinWait();
        }
        return whole("released");
    }

    private Answer block() throws InterruptedException {
        blocked.countDown();
        try {
            release.await();
        } catch (InterruptedException e) {
            interrupted.set(true);
            throw e;
        }
        return whole("released");
    }

    private void cut(java.io.OutputStream into) throws IOException {
        try (into) {
            into.write(new byte[100_000]);
            throw ServiceException.notFound("half-way");
        }
    }

    private void early(java.io.OutputStream into) throws IOException {
        into.write(new byte[100]);
        throw ServiceException.notFound("before the first byte left");
    }

    private void endless(java.io.OutputStream into) throws IOException {
        byte[] chunk = new byte[1_000];
        try {
            while (true) {
                into.write(chunk);
                produced.addAndGet(chunk.length);
            }
        } catch (IOException e) {
            endlessFailure.complete(e);
            throw e;
        }
    }

    private static void million(java.io.OutputStream into) throws IOException {
        byte[] line = "0123456789\n".getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < 1_000_000; i++) {
            into.write(line);
        }
    }

    @Override
    public void close() {
        release.countDown();
        outcome.complete("closed");
        server.close();
    }
}
