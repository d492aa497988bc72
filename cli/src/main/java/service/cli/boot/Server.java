package service.cli.boot;

import ch.qos.logback.classic.LoggerContext;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.slf4j.LoggerFactory;
import service.core.error.StartRefusedException;
import service.http.auth.Authenticator;
import service.http.limit.Limit;
import service.http.limit.Limits;
import service.http.server.ServerOptions;
import service.http.server.ServiceServer;

/**
 * Serves a cluster in this process until SIGTERM or Ctrl-C.
 *
 * @param version reported by {@code /healthz}
 */
public record Server(ServiceConfig config, Authenticator authenticator, String version) {
    /** Allows every request of every caller, for {@code --unauthenticated}. */
    public static final Authenticator UNAUTHENTICATED = Authenticator.fromEnvironment(Map.of(), true);

    /**
     * Opens the graphs, listens, and returns once both are closed again.
     *
     * @param started called with the address once requests are answered
     * @throws StartRefusedException with the code of {@code cluster.md} §4
     */
    public void serve(Consumer<InetSocketAddress> started) throws InterruptedException {
        ServiceConfig.Serving serving = config.serving();
        if (serving.cluster() == null) {
            throw new StartRefusedException("config_invalid", "no cluster is named; give --cluster DIR");
        }
        Limits limits = config.limits();
        InetSocketAddress address = serving.address();
        Engine engine = Engine.of(config);
        CountDownLatch stopping = new CountDownLatch(1);
        CompletableFuture<Void> ended = new CompletableFuture<>();
        try (ServedGraphs graphs = ServedGraphs.open(serving.cluster(), serving.requireAllGraphs(), engine);
                ServiceServer server = ServiceServer.start(
                        new ServerOptions(
                                address.getHostString(),
                                address.getPort(),
                                version,
                                limits,
                                engine.process(),
                                serving.allowedHosts()),
                        graphs.cluster(),
                        authenticator)) {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(stopping, ended), "shutdown"));
            graphs.keepRetention(Duration.ofSeconds(limits.get(Limit.RETENTION_INTERVAL_SECONDS)));
            started.accept(server.address());
            stopping.await();
        } catch (RuntimeException failure) {
            ended.completeExceptionally(failure);
            throw failure;
        }
        ended.complete(null);
    }

    /**
     * Runs in the shutdown hook: waits until everything is closed, then exits with 0. Without it a JVM exits with 143
     * on SIGTERM, which a supervisor counts as a failure.
     */
    private static void stop(CountDownLatch stopping, CompletableFuture<Void> ended) {
        stopping.countDown();
        int exitCode = ended.handle((done, failure) -> failure == null ? 0 : 1).join();
        ((LoggerContext) LoggerFactory.getILoggerFactory()).stop();
        System.out.flush();
        Runtime.getRuntime().halt(exitCode);
    }
}
