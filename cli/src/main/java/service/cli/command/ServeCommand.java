package service.cli.command;

import ch.qos.logback.classic.Level;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import service.cli.boot.Server;
import service.cli.log.Logging;
import service.core.error.StartRefusedException;
import service.http.auth.AllowedHosts;
import service.http.auth.Authenticator;
import service.http.server.ServiceServer;

/** Serves the applied state of a cluster until SIGTERM. */
@Command(
        name = "service-server",
        description = "Serves every healthy graph of one applied cluster.",
        footer = {
            "",
            "Each option may be given by the environment variable that it names; the option wins.",
            "",
            "Example:",
            "  service-server --cluster company --bind 127.0.0.1:8080 --unauthenticated"
        })
final class ServeCommand implements Callable<Integer> {
    @Spec
    private @Nullable CommandSpec spec;

    @Option(
            names = "--cluster",
            paramLabel = "DIR",
            defaultValue = "${env:SERVICE_CLUSTER}",
            description = "The cluster's directory (SERVICE_CLUSTER).")
    private @Nullable String cluster;

    @Option(
            names = "--bind",
            paramLabel = "HOST:PORT",
            defaultValue = "${env:SERVICE_BIND:-127.0.0.1:8080}",
            description = "Where to listen; port 0 takes a free one (SERVICE_BIND).")
    private String bind = "127.0.0.1:8080";

    @Option(
            names = "--require-all-graphs",
            arity = "0..1",
            fallbackValue = "true",
            defaultValue = "${env:SERVICE_REQUIRE_ALL_GRAPHS:-false}",
            description = "Refuse to start when a graph cannot be opened (SERVICE_REQUIRE_ALL_GRAPHS).")
    private String requireAllGraphs = "false";

    @Option(
            names = "--unauthenticated",
            description = "Serve everyone who can reach the address (SERVICE_UNAUTHENTICATED=1).")
    private boolean unauthenticated;

    @Option(
            names = "--allowed-host",
            paramLabel = "HOST",
            description = "Without authentication, answer also requests for this name; repeatable"
                    + " (SERVICE_ALLOWED_HOSTS, comma separated).")
    private List<String> allowedHosts = new ArrayList<>();

    @Option(
            names = "--log-format",
            paramLabel = "json|text",
            defaultValue = "${env:SERVICE_LOG_FORMAT:-json}",
            description = "One JSON object a line, or text for people (SERVICE_LOG_FORMAT).")
    private String logFormat = "json";

    @Option(
            names = "--log-level",
            paramLabel = "LEVEL",
            defaultValue = "${env:SERVICE_LOG_LEVEL:-info}",
            description = "error, warn, info, debug or trace (SERVICE_LOG_LEVEL).")
    private String logLevel = "info";

    @Override
    public Integer call() throws InterruptedException {
        PrintWriter err = Objects.requireNonNull(spec).commandLine().getErr();
        try {
            serve();
            return 0;
        } catch (StartRefusedException refusal) {
            err.println(refusal.code() + ": " + refusal.getMessage());
            err.flush();
            return 1;
        } finally {
            Logging.stop();
        }
    }

    private void serve() throws InterruptedException {
        Map<String, String> environment = System.getenv();
        Logging.configure(logFormat, level());
        ServiceServer.initLogging();
        InetSocketAddress address = Server.address(bind);
        Authenticator authenticator = Authenticator.fromEnvironment(
                environment, unauthenticated || "1".equals(environment.get("SERVICE_UNAUTHENTICATED")));
        if (cluster == null) {
            throw new StartRefusedException("config_invalid", "no cluster is named; give --cluster DIR");
        }
        List<String> hosts = AllowedHosts.names(allowedHosts, environment);
        new Server(cluster, Boolean.parseBoolean(requireAllGraphs), address, authenticator, hosts, Version.TEXT)
                .serve(this::tell);
    }

    private void tell(InetSocketAddress bound) {
        PrintWriter out = Objects.requireNonNull(spec).commandLine().getOut();
        out.println("SERVICE_LISTEN_ADDR=" + bound.getHostString() + ":" + bound.getPort());
        out.flush();
    }

    private Level level() {
        Level level = Level.toLevel(logLevel, null);
        if (level == null) {
            throw new StartRefusedException(
                    "config_invalid", "--log-level is error, warn, info, debug or trace, not `" + logLevel + "`");
        }
        return level;
    }
}
