package service.http.server;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.undertow.UndertowOptions;
import io.undertow.server.HttpServerExchange;
import io.undertow.util.SameThreadExecutor;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.LoggerFactory;
import org.xnio.OptionMap;
import org.xnio.XnioExecutor;
import service.core.cluster.ServedCluster;
import service.core.error.StartRefusedException;
import service.http.auth.Authenticator;
import service.http.auth.Everyone;
import service.http.auth.Policies;
import service.http.limit.Admission;
import service.http.limit.Limit;
import service.http.limit.Limits;
import service.http.limit.WaitingConsumers;
import service.http.observe.RequestCounters;
import service.http.route.RouteTable;
import service.http.stream.IoTimer;

/**
 * Serves a cluster over HTTP/1.1 from {@link #start} to {@link #close}. It neither opens nor closes graphs; close them
 * after the server.
 *
 * <p>The I/O threads parse requests, write answers and run brief calls. All other work runs on {@link RequestThreads}.
 * Thread rule: any thread.
 */
public final class ServiceServer implements AutoCloseable {
    private static final org.slf4j.Logger LOG = LoggerFactory.getLogger(ServiceServer.class);
    /** Maximum number of headers, of query parameters and of cookies, so that looking them up stays cheap. */
    private static final int HEADERS_MAX = 1 << 10;

    /** {@link RequestChecks} answers headers above the limit; the listener drops those above limit plus slack. */
    private static final int HEADER_BYTES_SLACK = 32 << 10;

    private static final long DRAIN_POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private final Listener listener;
    private final ServerContext context;
    private final XnioExecutor.Key ticks;
    private final AtomicBoolean closed = new AtomicBoolean();

    private ServiceServer(Listener listener, ServerContext context, XnioExecutor.Key ticks) {
        this.listener = listener;
        this.context = context;
        this.ticks = ticks;
    }

    /**
     * Begins on another thread with what {@link #start} needs of its libraries, while the caller reads configuration
     * and opens graphs. Nothing depends on it. Call it once a logger exists.
     */
    public static void prepare() {
        Listener.prepare();
    }

    /** Starts a server of a cluster without policies. */
    public static ServiceServer start(ServerOptions options, ServedCluster cluster, Authenticator authenticator) {
        return start(options, cluster, authenticator, Policies.NONE);
    }

    /**
     * Starts to listen; requests are answered when this returns.
     *
     * @throws StartRefusedException {@code address_in_use}
     */
    public static ServiceServer start(
            ServerOptions options, ServedCluster cluster, Authenticator authenticator, Policies policies) {
        return start(
                options,
                cluster,
                authenticator,
                policies,
                RouteTable.standard(
                        options.version(), !(authenticator instanceof Everyone), authenticator.protectedResource()));
    }

    /** {@link #start} with another route table. */
    public static ServiceServer start(
            ServerOptions options,
            ServedCluster cluster,
            Authenticator authenticator,
            Policies policies,
            RouteTable routes) {
        ServerContext context = ServerContext.of(options, cluster, authenticator, policies, routes);
        Listener listener;
        try {
            listener = Listener.open(
                    new InetSocketAddress(InetAddress.getByName(options.host()), options.port()),
                    parserOptions(options.limits()),
                    exchange -> accept(context, exchange),
                    new ConnectionDeadline.Times(
                            seconds(options.limits(), Limit.IDLE_TIMEOUT_SECONDS),
                            seconds(options.limits(), Limit.HEADER_TIMEOUT_SECONDS)),
                    context.capacity().connections(),
                    () -> Unparsed.answer(context));
        } catch (IOException e) {
            var unused = context.threads().close();
            throw Listener.refusal("--bind", options.host(), options.port(), e);
        }
        XnioExecutor.Key ticks =
                IoTimer.every(listener.ioThread(), () -> tick(context), Heartbeats.TICK_SECONDS, TimeUnit.SECONDS);
        return new ServiceServer(listener, context, ticks);
    }

    private static void tick(ServerContext context) {
        context.heartbeats().tick(System.nanoTime());
        context.access().watch().tick(context.threads().streams());
    }

    private static OptionMap parserOptions(Limits limits) {
        return OptionMap.builder()
                .set(UndertowOptions.DECODE_URL, false)
                .set(UndertowOptions.MAX_HEADER_SIZE, limits.getInt(Limit.HEADER_BYTES_MAX) + HEADER_BYTES_SLACK)
                // Undertow's default closes the connection at 2 MiB. Each route has its own limit, with an answer.
                .set(UndertowOptions.MAX_ENTITY_SIZE, -1L)
                .set(UndertowOptions.MAX_HEADERS, HEADERS_MAX)
                .set(UndertowOptions.MAX_PARAMETERS, HEADERS_MAX)
                .set(UndertowOptions.MAX_COOKIES, HEADERS_MAX)
                .set(UndertowOptions.ALWAYS_SET_KEEP_ALIVE, false)
                .getMap();
    }

    /** Returns from Undertow's call at once, so that only the conversation ends the exchange. */
    private static void accept(ServerContext context, HttpServerExchange exchange) {
        exchange.dispatch(SameThreadExecutor.INSTANCE, () -> new Conversation(context, exchange).begin());
    }

    private static Duration seconds(Limits limits, Limit limit) {
        return Duration.ofSeconds(limits.get(limit));
    }

    /** The address at which the server listens, with the actual port. */
    public InetSocketAddress address() {
        return listener.address();
    }

    /** Number of executing requests. */
    public int requestsAtWork() {
        return context.capacity().admission().executing();
    }

    /** Number of requests that have arrived completely and wait for a place. */
    public int requestsWaiting() {
        return context.capacity().admission().waiting();
    }

    /** Number of change-feed consumers that wait for a commit. */
    public int waitingConsumers() {
        return context.capacity().consumers().size();
    }

    /** Number of waits of change-feed consumers since the start; a needless wake-up begins another wait. */
    public long waitsBegun() {
        return context.capacity().consumers().begun();
    }

    /** Number of signatures that are verified or wait for it. */
    public long verificationsPending() {
        return context.capacity().verifications().pending();
    }

    /** Number of open connections. */
    public int connections() {
        return context.capacity().connections().size();
    }

    /** Number of open streams, without idle event streams. */
    public int streamsAtWork() {
        return context.capacity().admission().streams();
    }

    /** The places of requests, for metrics. */
    public Admission admission() {
        return context.capacity().admission();
    }

    /** The waiting consumers, for metrics. */
    public WaitingConsumers consumers() {
        return context.capacity().consumers();
    }

    /** Counts of the answers so far. */
    public RequestCounters counters() {
        return context.observed().counters();
    }

    /**
     * Refuses new requests with 503 {@code shutting_down} and waits until the requests in flight are answered, at most
     * {@link Limit#DRAIN_TIMEOUT_SECONDS}.
     *
     * @return whether all were answered
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
     * Calls {@link #drain}, ends the waits for clients, stops listening, closes every connection, and waits a bounded
     * time for running requests. Later calls have no effect.
     */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            drain();
            context.capacity().deadlines().waits().end();
            ticks.remove();
            listener.close();
            if (!context.threads().close()) {
                LOG.warn("requests are still running; the server stops anyway");
            }
        }
    }

    /**
     * Sets the loggers that would log bodies and tool arguments to WARN, regardless of the global level. Call it from
     * every program that embeds the server.
     */
    public static void initLogging() {
        for (String name : new String[] {"io.modelcontextprotocol", "reactor", "software.amazon.awssdk"}) {
            if (LoggerFactory.getLogger(name) instanceof Logger logger) {
                logger.setLevel(Level.WARN);
            }
        }
    }
}
