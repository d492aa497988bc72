package service.http.server;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.undertow.Undertow;
import io.undertow.UndertowOptions;
import io.undertow.server.HttpServerExchange;
import io.undertow.util.SameThreadExecutor;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.LoggerFactory;
import org.xnio.XnioIoThread;
import service.core.cluster.ServedCluster;
import service.core.error.StartRefusedException;
import service.http.auth.Authenticator;
import service.http.limit.Limit;
import service.http.limit.Limits;
import service.http.observe.RequestCounters;
import service.http.route.RouteTable;

/**
 * Serves a cluster over HTTP/1.1 from {@link #start} to {@link #close}. It does not open or close graphs: close them
 * after it.
 *
 * <p>One I/O thread parses, writes and runs brief calls (on two cores a second one costs more in the tail than it
 * brings); everything else runs on {@link RequestThreads}. Thread rule: any thread.
 */
public final class ServiceServer implements AutoCloseable {
    private static final org.slf4j.Logger LOG = LoggerFactory.getLogger(ServiceServer.class);
    private static final long ACCEPTED_WAIT_SECONDS = 1;

    /** A request without a client ends within milliseconds, but for a write that waits for its commit. */
    private static final int BUFFER_BYTES = 16 << 10;

    private static final int HEADERS_MAX = 100;

    /** {@link RequestChecks} answers whoever passes the limit; the listener drops whoever passes it by far. */
    private static final int HEADER_BYTES_SLACK = 32 << 10;

    private static final long DRAIN_POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private final Undertow undertow;
    private final ServerContext context;
    private final AtomicBoolean closed = new AtomicBoolean();

    private ServiceServer(Undertow undertow, ServerContext context) {
        this.undertow = undertow;
        this.context = context;
    }

    /**
     * Starts to listen; requests are answered when this returns.
     *
     * @throws StartRefusedException {@code address_in_use}
     */
    public static ServiceServer start(ServerOptions options, ServedCluster cluster, Authenticator authenticator) {
        return start(options, cluster, authenticator, RouteTable.standard(options.version()));
    }

    /** {@link #start} with a table of one's own. */
    public static ServiceServer start(
            ServerOptions options, ServedCluster cluster, Authenticator authenticator, RouteTable routes) {
        ServerContext context = ServerContext.of(options, cluster, authenticator, routes);
        Undertow undertow = listener(options, context);
        try {
            undertow.start();
        } catch (RuntimeException e) {
            var unused = context.threads().close();
            if (e.getCause() instanceof BindException) {
                throw new StartRefusedException(
                        "address_in_use",
                        "cannot listen on %s:%d: %s; stop the other process or choose another --bind"
                                .formatted(
                                        options.host(),
                                        options.port(),
                                        e.getCause().getMessage()));
            }
            throw e;
        }
        undertow.getWorker()
                .getIoThread()
                .executeAtInterval(
                        () -> context.heartbeats().tick(System.nanoTime()), Heartbeats.TICK_SECONDS, TimeUnit.SECONDS);
        return new ServiceServer(undertow, context);
    }

    private static Undertow listener(ServerOptions options, ServerContext context) {
        Limits limits = options.limits();
        return Undertow.builder()
                .addHttpListener(options.port(), options.host())
                .setIoThreads(1)
                .setWorkerThreads(1)
                .setBufferSize(BUFFER_BYTES)
                .setServerOption(UndertowOptions.DECODE_URL, false)
                .setServerOption(
                        UndertowOptions.MAX_HEADER_SIZE, limits.getInt(Limit.HEADER_BYTES_MAX) + HEADER_BYTES_SLACK)
                // Undertow ends a connection at 2 MiB by default: each route has a limit of its
                // own, and answers when it is passed.
                .setServerOption(UndertowOptions.MAX_ENTITY_SIZE, -1L)
                .setServerOption(UndertowOptions.MAX_HEADERS, HEADERS_MAX)
                .setServerOption(UndertowOptions.MAX_PARAMETERS, HEADERS_MAX)
                .setServerOption(UndertowOptions.MAX_COOKIES, HEADERS_MAX)
                .setServerOption(UndertowOptions.ALWAYS_SET_KEEP_ALIVE, false)
                .setServerOption(UndertowOptions.REQUEST_PARSE_TIMEOUT, millis(limits, Limit.HEADER_TIMEOUT_SECONDS))
                .setServerOption(UndertowOptions.NO_REQUEST_TIMEOUT, millis(limits, Limit.IDLE_TIMEOUT_SECONDS))
                .setHandler(exchange -> accept(context, exchange))
                .build();
    }

    /** Leaves Undertow's call at once: from then on only the conversation decides when the exchange ends. */
    private static void accept(ServerContext context, HttpServerExchange exchange) {
        exchange.dispatch(SameThreadExecutor.INSTANCE, () -> new Conversation(context, exchange).begin());
    }

    private static int millis(Limits limits, Limit limit) {
        return Math.toIntExact(TimeUnit.SECONDS.toMillis(limits.get(limit)));
    }

    /** Where it listens; the port is the real one. */
    public InetSocketAddress address() {
        return (InetSocketAddress) undertow.getListenerInfo().getFirst().getAddress();
    }

    /** Requests that are being worked on just now. */
    public int requestsAtWork() {
        return context.capacity().admission().executing();
    }

    /** Requests that are ready to be worked on and wait for a place just now. */
    public int requestsWaiting() {
        return context.capacity().admission().waiting();
    }

    /** Consumers of feeds that wait for news just now. */
    public int waitingConsumers() {
        return context.capacity().consumers().size();
    }

    /** Waits of consumers for news begun so far; one that was woken for nothing begins another. */
    public long waitsBegun() {
        return context.capacity().consumers().begun();
    }

    /** Streams that are open and written to just now; idle consumers of feeds are none. */
    public int streamsAtWork() {
        return context.capacity().admission().streams();
    }

    /** What was answered so far. */
    public RequestCounters counters() {
        return context.counters();
    }

    /**
     * Refuses new requests with 503 {@code shutting_down} and waits until those in flight are answered, at most
     * {@link Limit#DRAIN_TIMEOUT_SECONDS}.
     *
     * @return whether all were
     */
    public boolean drain() {
        context.lifecycle().draining().set(true);
        context.capacity().consumers().wakeAll();
        long deadline = System.nanoTime()
                + TimeUnit.SECONDS.toNanos(context.capacity().limits().get(Limit.DRAIN_TIMEOUT_SECONDS));
        while (context.lifecycle().present().get() > 0) {
            if (System.nanoTime() - deadline >= 0) {
                return false;
            }
            LockSupport.parkNanos(DRAIN_POLL_NANOS);
        }
        return true;
    }

    /**
     * {@link #drain}s, then stops listening, closes every connection, and waits a bounded time for what still runs.
     * Later calls do nothing.
     */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            drain();
            stopAccepting();
            undertow.stop();
            if (!context.threads().close()) {
                LOG.warn("requests still run; the server stops all the same");
            }
        }
    }

    /**
     * Lets the I/O thread take what was accepted already: XNIO logs errors of its own when connections still wait for
     * their I/O thread while the worker stops. Nothing tells when its accepting thread, which takes a bounded number at
     * a time, has seen that it is suspended; hence the pause.
     */
    private void stopAccepting() {
        undertow.getListenerInfo().forEach(Undertow.ListenerInfo::suspend);
        LockSupport.parkNanos(DRAIN_POLL_NANOS);
        CountDownLatch taken = new CountDownLatch(1);
        XnioIoThread ioThread = undertow.getWorker().getIoThread();
        // Taking a connection may put one more task behind those that wait.
        ioThread.execute(() -> ioThread.execute(taken::countDown));
        try {
            if (!taken.await(ACCEPTED_WAIT_SECONDS, TimeUnit.SECONDS)) {
                LOG.warn("the I/O thread is busy; the server stops all the same");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Holds the logs that would show bodies and tool arguments at WARN, whatever the global level. For every program
     * that embeds the server.
     */
    public static void initLogging() {
        for (String name : new String[] {"io.modelcontextprotocol", "reactor"}) {
            if (LoggerFactory.getLogger(name) instanceof Logger logger) {
                logger.setLevel(Level.WARN);
            }
        }
    }
}
