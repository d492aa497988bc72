package service.http.server;

import io.undertow.UndertowOptions;
import io.undertow.server.HttpServerExchange;
import io.undertow.util.Headers;
import io.undertow.util.HttpString;
import io.undertow.util.Methods;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.xnio.IoUtils;
import org.xnio.OptionMap;
import org.xnio.XnioExecutor;
import service.core.error.ServiceException;
import service.core.error.StartRefusedException;
import service.http.auth.AllowedHosts;
import service.http.error.ErrorStatus;
import service.http.limit.Refusals;
import service.http.stream.IoTimer;

/**
 * Answers {@code GET} and {@code HEAD} of {@code /metrics} on a separate address, without a credential. It shares no
 * thread with the server, so a scrape is answered while the server is at its limits. At most {@value #SCRAPES_MAX}
 * requests are at work; further ones are 503. A connection is closed when its next request does not come within
 * {@link #IDLE}, or when its answer is not read {@value #ANSWER_SECONDS} s after the request.
 */
public final class MetricsServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(MetricsServer.class);
    private static final String PATH = "/metrics";
    private static final int SCRAPES_MAX = 8;
    private static final Duration IDLE = Duration.ofSeconds(30);
    private static final int ANSWER_SECONDS = 60;
    private static final int HEADER_BYTES_MAX = 16 << 10;
    private static final int CONNECTIONS_MAX = 256;
    private static final int ALL_PERCENT = 100;
    private static final byte[] MALFORMED = "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            .getBytes(StandardCharsets.US_ASCII);

    private final Listener listener;

    private MetricsServer(Listener listener) {
        this.listener = listener;
    }

    /**
     * Starts to listen.
     *
     * @param address unresolved; port 0 for a free port
     * @param allowedHosts further hosts for which it answers, as {@link AllowedHosts#names} returns them. It asks for
     *     no credential, so a page that points its own name at the address (DNS rebinding) must not be answered
     * @param scrape makes the body of an answer; may block
     * @throws StartRefusedException {@code address_in_use}, or {@code config_invalid} when the host is unknown
     */
    public static MetricsServer start(
            InetSocketAddress address, List<String> allowedHosts, String contentType, Supplier<byte[]> scrape) {
        Semaphore places = new Semaphore(SCRAPES_MAX);
        AllowedHosts hosts =
                new AllowedHosts("this address asks for no credential", address.getHostString(), allowedHosts);
        try {
            return new MetricsServer(Listener.open(
                    new InetSocketAddress(InetAddress.getByName(address.getHostString()), address.getPort()),
                    OptionMap.builder()
                            .set(UndertowOptions.MAX_HEADER_SIZE, HEADER_BYTES_MAX)
                            .set(UndertowOptions.MAX_ENTITY_SIZE, 0L)
                            .getMap(),
                    exchange -> {
                        AnswerHeaders.isolate(exchange.getResponseHeaders());
                        if (isForHere(exchange, hosts)) {
                            answer(exchange, places, contentType, scrape);
                        }
                    },
                    new ConnectionDeadline.Times(IDLE, IDLE),
                    new Connections(CONNECTIONS_MAX, ALL_PERCENT, new Refusals(), Unparsed::noPlace),
                    MALFORMED::clone));
        } catch (IOException e) {
            throw Listener.refusal("--metrics-bind", address.getHostString(), address.getPort(), e);
        }
    }

    /** Whether the request names this server as its host; it is answered with 403 otherwise. */
    private static boolean isForHere(HttpServerExchange exchange, AllowedHosts hosts) {
        InetSocketAddress local = exchange.getConnection().getLocalAddress(InetSocketAddress.class);
        try {
            hosts.require(
                    exchange.getRequestHeaders().getFirst(Headers.HOST), local == null ? null : local.getAddress());
            return true;
        } catch (ServiceException e) {
            exchange.setStatusCode(ErrorStatus.of(e.code()));
            exchange.getResponseHeaders().put(Headers.CONTENT_TYPE, "text/plain; charset=utf-8");
            exchange.getResponseSender().send(e.getMessage() + "\n");
            return false;
        }
    }

    private static void answer(
            HttpServerExchange exchange, Semaphore places, String contentType, Supplier<byte[]> scrape) {
        if (!exchange.getRequestPath().equals(PATH)) {
            end(exchange, 404);
        } else if (!exchange.getRequestMethod().equals(Methods.GET)
                && !exchange.getRequestMethod().equals(Methods.HEAD)) {
            exchange.getResponseHeaders().put(Headers.ALLOW, "GET, HEAD");
            end(exchange, 405);
        } else if (!places.tryAcquire()) {
            end(exchange, 503);
        } else {
            XnioExecutor.Key deadline = IoTimer.after(
                    exchange.getIoThread(),
                    () -> IoUtils.safeClose(exchange.getConnection()),
                    ANSWER_SECONDS,
                    TimeUnit.SECONDS);
            exchange.addExchangeCompleteListener((ended, next) -> {
                deadline.remove();
                places.release();
                next.proceed();
            });
            exchange.dispatch(exchange.getConnection().getWorker(), () -> send(exchange, contentType, scrape));
        }
    }

    private static void send(HttpServerExchange exchange, String contentType, Supplier<byte[]> scrape) {
        boolean compressed = Gzip.isAccepted(exchange);
        byte[] body;
        try {
            body = compressed ? Gzip.compress(scrape.get()) : scrape.get();
        } catch (IOException | RuntimeException e) {
            LOG.error("the metrics cannot be read", e);
            end(exchange, 500);
            return;
        }
        exchange.getResponseHeaders().put(Headers.CONTENT_TYPE, contentType);
        exchange.getResponseHeaders().put(HttpString.tryFromString("Cache-Control"), "no-store");
        exchange.getResponseHeaders().put(Headers.VARY, "Accept-Encoding");
        if (compressed) {
            exchange.getResponseHeaders().put(Headers.CONTENT_ENCODING, "gzip");
        }
        exchange.setResponseContentLength(body.length);
        if (exchange.getRequestMethod().equals(Methods.HEAD)) {
            exchange.endExchange();
        } else {
            exchange.getResponseSender().send(ByteBuffer.wrap(body));
        }
    }

    private static void end(HttpServerExchange exchange, int status) {
        exchange.setStatusCode(status);
        exchange.endExchange();
    }

    /** The address at which it listens, with the actual port. */
    public InetSocketAddress address() {
        return listener.address();
    }

    @Override
    public void close() {
        listener.close();
    }
}
