package service.cli.boot;

import ch.qos.logback.classic.LoggerContext;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.slf4j.LoggerFactory;
import service.core.error.StartRefusedException;
import service.core.graph.GraphEngine;
import service.http.auth.Authenticator;
import service.http.limit.Limit;
import service.http.limit.Limits;
import service.http.server.ServerOptions;
import service.http.server.ServiceServer;

/**
 * Serves a cluster in this process until it is told to stop (SIGTERM, Ctrl-C).
 *
 * @param cluster the cluster's directory
 * @param requireAllGraphs refuse to start when a graph cannot be opened
 * @param allowedHosts further hosts for which it answers without authentication
 * @param version what {@code /healthz} reports
 */
public record Server(
        String cluster,
        boolean requireAllGraphs,
        InetSocketAddress address,
        Authenticator authenticator,
        List<String> allowedHosts,
        String version) {
    /** Lets everyone do everything: what {@code --unauthenticated} asks for. */
    public static final Authenticator UNAUTHENTICATED = Authenticator.fromEnvironment(Map.of(), true);

    /**
     * Opens the graphs, listens, and returns once both are closed again.
     *
     * @param serving hears the address when requests are answered
     * @throws StartRefusedException with the code of {@code cluster.md} §4
     */
    public void serve(Consumer<InetSocketAddress> serving) throws InterruptedException {
        Limits limits = Limits.fromEnvironment(System.getenv());
        GraphEngine engine = Engines.ofEnvironment(System.getenv());
        CountDownLatch told = new CountDownLatch(1);
        CompletableFuture<Void> ended = new CompletableFuture<>();
        try (ServedGraphs graphs = ServedGraphs.open(cluster, requireAllGraphs, engine);
                ServiceServer server = ServiceServer.start(
                        new ServerOptions(
                                address.getHostString(),
                                address.getPort(),
                                version,
                                limits,
                                engine.process(),
                                allowedHosts),
                        graphs.cluster(),
                        authenticator)) {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(told, ended), "shutdown"));
            graphs.keepRetention(Duration.ofSeconds(limits.get(Limit.RETENTION_INTERVAL_SECONDS)));
            serving.accept(server.address());
            told.await();
        } catch (RuntimeException failure) {
            ended.completeExceptionally(failure);
            throw failure;
        }
        ended.complete(null);
    }

    /**
     * Runs when the JVM is told to end: waits until everything is closed, and ends it with 0. Left to itself a JVM that
     * SIGTERM ends exits with 143, which a supervisor takes for a failure.
     */
    private static void stop(CountDownLatch told, CompletableFuture<Void> ended) {
        told.countDown();
        int exitCode = ended.handle((done, failure) -> failure == null ? 0 : 1).join();
        ((LoggerContext) LoggerFactory.getILoggerFactory()).stop();
        System.out.flush();
        Runtime.getRuntime().halt(exitCode);
    }

    /**
     * Reads {@code HOST:PORT}; an IPv6 address stands in brackets.
     *
     * @throws StartRefusedException {@code config_invalid}
     */
    public static InetSocketAddress address(String bind) {
        int colon = bind.lastIndexOf(':');
        String host = colon < 0 ? "" : bind.substring(0, colon);
        String port = bind.substring(colon + 1);
        if (host.isEmpty() || !port.matches("[0-9]{1,5}") || Integer.parseInt(port) > 65_535) {
            throw new StartRefusedException(
                    "config_invalid", "--bind is HOST:PORT, such as 127.0.0.1:8080, not `" + bind + "`");
        }
        boolean bracketed = host.startsWith("[") && host.endsWith("]");
        return InetSocketAddress.createUnresolved(
                bracketed ? host.substring(1, host.length() - 1) : host, Integer.parseInt(port));
    }
}
