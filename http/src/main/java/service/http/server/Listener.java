package service.http.server;

import io.undertow.UndertowOptions;
import io.undertow.server.HttpHandler;
import io.undertow.server.HttpServerExchange;
import io.undertow.server.protocol.http.HttpOpenListener;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.UnknownHostException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.xnio.ChannelListeners;
import org.xnio.IoUtils;
import org.xnio.OptionMap;
import org.xnio.Options;
import org.xnio.StreamConnection;
import org.xnio.Xnio;
import org.xnio.XnioIoThread;
import org.xnio.XnioWorker;
import org.xnio.channels.AcceptingChannel;
import service.core.error.StartRefusedException;
import service.http.limit.Holder;

/**
 * The listening socket and its I/O threads, one for each processor. Each connection belongs to one of them. It does
 * what {@code io.undertow.Undertow} does for one HTTP listener, and in addition puts {@link ParseRefusals} below the
 * parser of each connection, for which that class has no option. Thread rule: any thread.
 */
final class Listener {
    private static final Logger LOG = LoggerFactory.getLogger(Listener.class);

    /** Brief calls run on these threads, so that one thread would leave the other processors idle. */
    private static final int IO_THREADS = Runtime.getRuntime().availableProcessors();

    private static final int BUFFER_BYTES = 16 << 10;

    /** 16 MiB: more buffers than are lent at a time, but for thousands of requests that have begun to arrive. */
    private static final int BUFFERS_KEPT = 1_024;

    private static final int BACKLOG = 1_000;

    private static final long SUSPEND_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long ACCEPTED_WAIT_SECONDS = 1;

    private final XnioWorker worker;
    private final AcceptingChannel<? extends StreamConnection> acceptor;
    private final AcceptGuard guard;
    private final InetSocketAddress asked;

    private Listener(
            XnioWorker worker,
            AcceptingChannel<? extends StreamConnection> acceptor,
            AcceptGuard guard,
            InetSocketAddress asked) {
        this.worker = worker;
        this.acceptor = acceptor;
        this.guard = guard;
        this.asked = asked;
    }

    /**
     * Listens; connections are accepted when this returns.
     *
     * @param options the options of Undertow's parser
     * @param handler called on the I/O thread of the connection for each request that was parsed
     * @param times limits of a connection without an exchange
     * @param connections gives each connection its place
     * @param refusal makes the complete answer to a request that cannot be parsed; called on an I/O thread
     * @throws IOException when the address cannot be bound
     */
    static Listener open(
            InetSocketAddress address,
            OptionMap options,
            HttpHandler handler,
            ConnectionDeadline.Times times,
            Connections connections,
            Supplier<byte[]> refusal)
            throws IOException {
        XnioWorker worker = Xnio.getInstance(Listener.class.getClassLoader())
                .createWorker(OptionMap.builder()
                        .set(Options.WORKER_IO_THREADS, IO_THREADS)
                        .set(Options.WORKER_TASK_CORE_THREADS, 1)
                        .set(Options.WORKER_TASK_MAX_THREADS, 1)
                        .set(Options.CONNECTION_HIGH_WATER, connections.acceptedMax())
                        .set(Options.CONNECTION_LOW_WATER, connections.acceptedMax())
                        .set(Options.TCP_NODELAY, true)
                        .set(Options.CORK, true)
                        .getMap());
        try {
            HttpOpenListener http = new HttpOpenListener(
                    new BufferPool(BUFFER_BYTES, BUFFERS_KEPT),
                    OptionMap.builder()
                            .addAll(options)
                            // A refusal would be written after the buffered answers, and these would be lost.
                            .set(UndertowOptions.BUFFER_PIPELINED_DATA, false)
                            .getMap());
            http.setRootHandler(exchange -> begin(handler, exchange));
            AcceptingChannel<? extends StreamConnection> acceptor = worker.createStreamConnectionServer(
                    address,
                    ChannelListeners.openListenerAdapter((StreamConnection connection) -> {
                        Connections.Seat seat = connections.open(
                                connection, Holder.address(connection.getPeerAddress(InetSocketAddress.class), true));
                        byte[] noPlace = seat.refusal();
                        ConnectionDeadline deadline = ConnectionDeadline.start(connection, times, seat);
                        ParseRefusals refusals = ParseRefusals.install(
                                connection, deadline, seat, noPlace == null ? refusal : () -> noPlace);
                        if (noPlace == null) {
                            http.handleEvent(connection);
                        } else {
                            refusals.refuseConnection();
                        }
                        deadline.endWithConnection();
                    }),
                    OptionMap.builder()
                            .set(Options.WORKER_IO_THREADS, IO_THREADS)
                            .set(Options.TCP_NODELAY, true)
                            .set(Options.CONNECTION_HIGH_WATER, connections.acceptedMax())
                            .set(Options.CONNECTION_LOW_WATER, connections.acceptedMax())
                            .set(Options.REUSE_ADDRESSES, true)
                            .set(Options.BALANCING_TOKENS, 1)
                            .set(Options.BALANCING_CONNECTIONS, 2)
                            .set(Options.BACKLOG, BACKLOG)
                            .getMap());
            acceptor.resumeAccepts();
            return new Listener(worker, acceptor, AcceptGuard.start(acceptor, worker.getIoThread()), address);
        } catch (IOException | RuntimeException e) {
            worker.shutdownNow();
            throw e;
        }
    }

    /**
     * Why a start is refused that cannot listen.
     *
     * @param option that names the address
     */
    static StartRefusedException refusal(String option, String host, int port, IOException failure) {
        if (failure instanceof UnknownHostException) {
            return new StartRefusedException(
                    "config_invalid",
                    "the host of %s %s:%d is unknown; name an address of this machine, or 0.0.0.0 for all of them"
                            .formatted(option, host, port));
        }
        if (failure instanceof BindException && !isOfThisMachine(host)) {
            return new StartRefusedException(
                    "config_invalid",
                    "the host of %s %s:%d is no address of this machine; name one that it has, or 0.0.0.0 for all"
                            .formatted(option, host, port));
        }
        return new StartRefusedException(
                failure instanceof BindException ? "address_in_use" : "config_invalid",
                "cannot listen on %s:%d: %s; stop the other process or choose another %s"
                        .formatted(host, port, failure.getMessage(), option));
    }

    private static boolean isOfThisMachine(String host) {
        try {
            InetAddress address = InetAddress.getByName(host);
            return address.isAnyLocalAddress() || NetworkInterface.getByInetAddress(address) != null;
        } catch (IOException e) {
            return true;
        }
    }

    private static void begin(HttpHandler handler, HttpServerExchange exchange) throws Exception {
        ParseRefusals.begin(exchange);
        handler.handleRequest(exchange);
    }

    /**
     * Starts to load XNIO on another thread. It registers itself with the management beans of the JVM, which takes a
     * quarter of a start. Call it after logging is initialized, because SLF4J gives other threads no logger meanwhile.
     */
    static void prepare() {
        Thread.ofPlatform().daemon().name("xnio-start").start(() -> Xnio.getInstance(Listener.class.getClassLoader()));
    }

    /** The address at which the server listens, with the actual port. */
    InetSocketAddress address() {
        InetSocketAddress bound = (InetSocketAddress) acceptor.getLocalAddress();
        // The socket names 0.0.0.0 as the address of IPv6 that stands for all.
        return asked.getAddress().isAnyLocalAddress()
                ? new InetSocketAddress(asked.getAddress(), bound.getPort())
                : bound;
    }

    /** One of the I/O threads. */
    XnioIoThread ioThread() {
        return worker.getIoThread();
    }

    /** Stops listening, closes every connection and ends the I/O threads. */
    void close() {
        stopAccepting();
        IoUtils.safeClose(acceptor);
        worker.shutdown();
        try {
            worker.awaitTermination();
        } catch (InterruptedException e) {
            worker.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Stops accepting and lets the I/O threads take the connections that were accepted. XNIO logs errors when
     * connections wait for an I/O thread while the worker stops. It has no signal for the accepting thread being
     * suspended, so this method pauses first.
     */
    private void stopAccepting() {
        guard.stop();
        LockSupport.parkNanos(SUSPEND_NANOS);
        CountDownLatch taken = new CountDownLatch(IO_THREADS);
        for (int i = 0; i < IO_THREADS; i++) {
            XnioIoThread ioThread = worker.getIoThread(i);
            // Taking a connection may queue one more task, so wait for two rounds of the queue.
            ioThread.execute(() -> ioThread.execute(taken::countDown));
        }
        try {
            if (!taken.await(ACCEPTED_WAIT_SECONDS, TimeUnit.SECONDS)) {
                LOG.warn("an I/O thread is busy; the server stops anyway");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
