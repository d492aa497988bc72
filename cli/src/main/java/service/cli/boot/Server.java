package service.cli.boot;

import ch.qos.logback.classic.LoggerContext;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.ServiceLoader;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import service.core.cluster.AppliedCluster;
import service.core.cluster.AppliedPolicies;
import service.core.error.StartRefusedException;
import service.core.lifecycle.Closing;
import service.core.port.ObjectStoreException;
import service.http.auth.Authenticator;
import service.http.auth.CredentialSources;
import service.http.auth.Everyone;
import service.http.auth.Policies;
import service.http.auth.SecretSource;
import service.http.auth.token.ProtectedResource;
import service.http.auth.token.TrustBinding;
import service.http.console.ConsoleRoutes;
import service.http.limit.Limit;
import service.http.metrics.Metrics;
import service.http.metrics.ServerState;
import service.http.observe.Observation;
import service.http.observe.RequestMeter;
import service.http.route.RouteTable;
import service.http.server.ListenAddress;
import service.http.server.MetricsServer;
import service.http.server.ServerOptions;
import service.http.server.ServiceServer;
import service.mcp.Mcp;

/**
 * Serves a cluster in this process until SIGTERM or Ctrl-C.
 *
 * @param version reported by {@code /healthz}
 */
public record Server(ServiceConfig config, CredentialSources credentials, String version) {
    /** Allows every request of every caller, for {@code --unauthenticated}. */
    public static final Authenticator UNAUTHENTICATED = new Everyone();

    private static final Logger LOG = LoggerFactory.getLogger("service.server");

    /** A server that answers requests. Closing it stops it and closes its graphs. */
    public record Running(
            ServedGraphs graphs,
            ServiceServer server,
            @Nullable MetricsServer metrics,
            CredentialSources credentials,
            HeapGuard heap)
            implements AutoCloseable {
        public InetSocketAddress address() {
            return server.address();
        }

        /** Where metrics are served; null for nowhere. */
        public @Nullable InetSocketAddress metricsAddress() {
            return metrics == null ? null : metrics.address();
        }

        @Override
        public void close() {
            Closing.all(server, metrics == null ? () -> {} : metrics, credentials, graphs, heap);
        }
    }

    /**
     * Checks the credentials against the cluster, opens the graphs and listens.
     *
     * @throws StartRefusedException with a code of {@code docs/operations/deploy.md}
     */
    public Running start() {
        ServiceConfig.Serving serving = config.serving();
        if (serving.cluster() == null) {
            throw new StartRefusedException("config_invalid", "no cluster is named; give --cluster DIR");
        }
        try {
            return start(serving, serving.cluster());
        } catch (ObjectStoreException e) {
            throw StorageKinds.refusal(e);
        }
    }

    private Running start(ServiceConfig.Serving serving, String cluster) {
        config.requireSpillDirectory();
        AppliedCluster applied = applied(cluster, serving.follow() == null);
        Authenticator authenticator = authenticator(applied);
        Metrics metrics = config.observing().metrics() == null ? null : new Metrics(version);
        Engine engine = metrics == null ? Engine.of(config) : Engine.of(config).measuring(metrics::commits);
        // Its libraries take a part of a start, so it is made only where it is served.
        Mcp mcp = authenticator.protectedResource() == null ? null : new Mcp(version, config.limits());
        ServedGraphs graphs = ServedGraphs.open(
                applied,
                serving.requireAllGraphs(),
                engine,
                serving.follow(),
                OpenGraphs.Bounds.of(
                        config.limits().getInt(Limit.OPEN_GRAPHS_MAX),
                        Duration.ofSeconds(config.limits().get(Limit.GRAPH_IDLE_SECONDS))));
        try {
            ServerOptions options = new ServerOptions(
                    serving.address().getHostString(),
                    serving.address().getPort(),
                    version,
                    config.limits(),
                    engine.process(),
                    serving.allowedHosts(),
                    observation(metrics));
            ServiceServer server = ServiceServer.start(
                    options,
                    graphs.cluster(),
                    authenticator,
                    policies(applied.policies(), serving),
                    routes(authenticator, mcp));
            MetricsServer scraped = null;
            if (metrics != null) {
                try {
                    scraped = serve(metrics, graphs, server, engine, mcp);
                } catch (RuntimeException failure) {
                    server.close();
                    throw failure;
                }
            }
            if (serving.follow() == null) {
                graphs.keepRetention(Duration.ofSeconds(config.limits().get(Limit.RETENTION_INTERVAL_SECONDS)));
                graphs.followOthers(config.bucket().follow());
            }
            graphs.watchStorage();
            credentials.start();
            return new Running(
                    graphs,
                    server,
                    scraped,
                    credentials,
                    HeapGuard.watch(engine.process().memory()));
        } catch (RuntimeException failure) {
            graphs.close();
            throw failure;
        }
    }

    /**
     * Reads the applied state while the storage is probed, because both wait for answers of a store. The failure of the
     * probe is thrown first: it is the reason why other requests fail.
     */
    private static AppliedCluster applied(String cluster, boolean writes) {
        try (ExecutorService thread = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<AppliedCluster> reading = thread.submit(() -> ServedGraphs.applied(cluster));
            try {
                if (writes) {
                    StorageKinds.requireConditions(Clusters.root(cluster));
                }
            } catch (RuntimeException refusal) {
                // The reading would repeat its requests for seconds, and the executor waits for it.
                thread.shutdownNow();
                throw refusal;
            }
            return reading.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while the applied state was read", e);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException refusal ? refusal : new IllegalStateException(e.getCause());
        }
    }

    private Observation observation(@Nullable Metrics metrics) {
        long slow = config.observing().slowMillis();
        return new Observation(
                metrics == null ? RequestMeter.NONE : metrics.requests(),
                slow == 0 ? Long.MAX_VALUE : TimeUnit.MILLISECONDS.toNanos(slow));
    }

    private MetricsServer serve(
            Metrics metrics, ServedGraphs graphs, ServiceServer server, Engine engine, @Nullable Mcp mcp) {
        metrics.serve(
                graphs.observed(),
                new ServerState(
                        server.admission(),
                        server.consumers(),
                        () -> mcp == null ? 0 : mcp.refused(),
                        engine.process(),
                        () -> graphs.cluster().withheld().keySet(),
                        () -> graphs.cluster().damaged().keySet(),
                        engine.observed().caches(),
                        engine.observed().blocks()));
        metrics.embeddings(engine.observed().embeddings());
        metrics.searches(engine.observed().searches());
        return MetricsServer.start(
                Objects.requireNonNull(config.observing().metrics()),
                config.serving().allowedHosts(),
                Metrics.CONTENT_TYPE,
                metrics::scrape);
    }

    /** The routes for these callers; MCP is served to OIDC identities only. */
    private RouteTable routes(Authenticator authenticator, @Nullable Mcp mcp) {
        ProtectedResource resource = authenticator.protectedResource();
        RouteTable routes = RouteTable.standard(version, !(authenticator instanceof Everyone), resource);
        if (config.serving().console()) {
            routes = routes.with(ConsoleRoutes.routes(resource));
        }
        return resource == null || mcp == null ? routes : routes.with(mcp.route(resource));
    }

    /**
     * Opens the graphs, listens, and returns once both are closed again.
     *
     * @param started called once requests are answered
     * @throws StartRefusedException with a code of {@code docs/operations/deploy.md}
     */
    public void serve(Consumer<Running> started) throws InterruptedException {
        CountDownLatch stopping = new CountDownLatch(1);
        CompletableFuture<Void> ended = new CompletableFuture<>();
        try (Running running = start()) {
            log(running);
            Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(stopping, ended), "shutdown"));
            started.accept(running);
            LOG.info("ready");
            stopping.await();
            LOG.atInfo()
                    .addKeyValue("requests", running.server().requestsAtWork())
                    .log("draining: new requests are refused");
        } catch (RuntimeException failure) {
            ended.completeExceptionally(failure);
            throw failure;
        }
        LOG.info("stopped");
        ended.complete(null);
    }

    private void log(Running running) {
        InetSocketAddress address = running.address();
        LOG.atInfo()
                .addKeyValue("version", version)
                .addKeyValue("root", running.graphs().canonicalRoot())
                .addKeyValue(
                        "graphs_served", running.graphs().cluster().served().size())
                .addKeyValue(
                        "graphs_quarantined",
                        running.graphs().cluster().quarantined().size())
                .addKeyValue("mode", config.serving().follow() == null ? "writing" : "read-only")
                .addKeyValue("authentication", credentials.mode())
                .addKeyValue("address", ListenAddress.of(address))
                .log("started");
        if (credentials.mode().equals(CredentialSources.NO_AUTHENTICATION)
                && !address.getAddress().isLoopbackAddress()) {
            LOG.warn("--unauthenticated listens beyond this machine: everyone who can reach the address may read and"
                    + " change every graph; bind to 127.0.0.1, or configure tokens");
        }
    }

    /**
     * Reads the tokens and trust files that the variables name.
     *
     * @throws StartRefusedException {@code token_source_invalid} or {@code trust_invalid}
     */
    public static CredentialSources credentials(Map<String, String> variables, ServiceConfig config) {
        return CredentialSources.read(
                variables,
                config.serving().unauthenticated(),
                ServiceLoader.load(SecretSource.class).findFirst().orElse(null),
                config.limits().getInt(Limit.VERIFIED_TOKENS_MAX));
    }

    /** The decisions of the applied policies. */
    private static Policies policies(AppliedPolicies applied, ServiceConfig.Serving serving) {
        if (applied.isEmpty()) {
            return serving.listGraphs() ? Policies.LISTING : Policies.NONE;
        }
        return Policies.of(applied.graphs(), applied.cluster());
    }

    /** Checks the credentials against the cluster, before a graph is opened. */
    private Authenticator authenticator(AppliedCluster applied) {
        return credentials.authenticatorOf(
                new TrustBinding(
                        applied.cluster().canonicalRoot(),
                        applied.cluster().clusterId(),
                        applied.cluster().incarnation()),
                !applied.policies().isEmpty());
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
