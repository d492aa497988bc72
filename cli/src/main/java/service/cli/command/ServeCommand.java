package service.cli.command;

import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import service.cli.boot.Server;
import service.cli.boot.ServiceConfig;
import service.cli.log.Logging;
import service.core.config.Variable;
import service.core.error.StartRefusedException;
import service.http.auth.AllowedHosts;
import service.http.auth.CredentialSources;
import service.http.server.ListenAddress;
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
            paramLabel = "DIR|URI",
            description = "The cluster's directory, or its root (SERVICE_CLUSTER).")
    private @Nullable String cluster;

    @Option(
            names = "--bind",
            paramLabel = "HOST:PORT",
            description = "Where to listen; port 0 takes a free one (SERVICE_BIND).")
    private @Nullable String bind;

    @Option(
            names = "--require-all-graphs",
            paramLabel = "true|false",
            arity = "0..1",
            fallbackValue = "true",
            description = "Refuse to start when a graph cannot be opened (SERVICE_REQUIRE_ALL_GRAPHS).")
    private @Nullable String requireAllGraphs;

    @Option(
            names = "--unauthenticated",
            description = "Serve everyone who can reach the address (SERVICE_UNAUTHENTICATED=1).")
    private boolean unauthenticated;

    @Option(
            names = "--list-graphs",
            description = "Without authentication, list the graphs for everyone (SERVICE_LIST_GRAPHS=1).")
    private boolean listGraphs;

    @Option(
            names = "--read-only",
            description = "Serve reads only, beside the server that writes the cluster (SERVICE_READ_ONLY=1).")
    private boolean readOnly;

    @Option(
            names = "--allowed-host",
            paramLabel = "HOST",
            description = "Without authentication, answer also requests for this name; repeatable"
                    + " (SERVICE_ALLOWED_HOSTS, comma separated).")
    private List<String> allowedHosts = new ArrayList<>();

    @Option(
            names = "--console",
            paramLabel = "on|off",
            description = "Whether to serve the browser console at /console/ (SERVICE_CONSOLE).")
    private @Nullable String console;

    @Option(
            names = "--data-token-trust",
            paramLabel = "FILE",
            description = "Trust file of signed data credentials (SERVICE_DATA_TOKEN_TRUST).")
    private @Nullable String dataTokenTrust;

    @Option(
            names = "--oidc-identity-trust",
            paramLabel = "FILE",
            description = "Trust file of OIDC identities, read again every 5 seconds (SERVICE_OIDC_IDENTITY_TRUST).")
    private @Nullable String oidcIdentityTrust;

    @Option(
            names = "--log-format",
            paramLabel = "json|text",
            description = "One JSON object a line, or text for people (SERVICE_LOG_FORMAT).")
    private @Nullable String logFormat;

    @Option(
            names = "--log-level",
            paramLabel = "LEVEL",
            description = "error, warn, info, debug or trace, also by prefix of the logger as in"
                    + " service.http.slow=error,info (SERVICE_LOG_LEVEL).")
    private @Nullable String logLevel;

    @Option(
            names = "--metrics-bind",
            paramLabel = "HOST:PORT",
            description = "Where to answer GET /metrics for Prometheus, without a credential; port 0 takes a free one"
                    + " (SERVICE_METRICS_BIND).")
    private @Nullable String metricsBind;

    @Override
    public Integer call() throws InterruptedException {
        PrintWriter err = Objects.requireNonNull(spec).commandLine().getErr();
        try {
            serve();
            return 0;
        } catch (StartRefusedException refusal) {
            err.println(refusal.code() + ": " + inWordsOfTheCommand(String.valueOf(refusal.getMessage())));
            err.flush();
            return 1;
        } finally {
            Logging.stop();
        }
    }

    /** The refusal of a value, with the option that gave it in place of the variable. */
    private String inWordsOfTheCommand(String message) {
        String variable = message.split(" ", 2)[0];
        String option = "--"
                + variable.replaceFirst("^SERVICE_", "")
                        .toLowerCase(Locale.ROOT)
                        .replace('_', '-');
        var parsed = Objects.requireNonNull(spec).commandLine().getParseResult();
        boolean given = variable.startsWith("SERVICE_") && parsed.hasMatchedOption(option);
        return given ? option + message.substring(variable.length()) : message;
    }

    private void serve() throws InterruptedException {
        Map<String, String> variables = variables();
        ServiceConfig config = ServiceConfig.of(variables);
        Logging.configure(config.observing().logFormat(), config.observing().logLevels());
        ServiceServer.initLogging();
        try (CredentialSources credentials = Server.credentials(variables, config)) {
            new Server(config, credentials, Version.TEXT).serve(this::printAddresses);
        }
    }

    /** The environment, in which each given option has replaced its variable. */
    private Map<String, String> variables() {
        Map<String, String> variables = new HashMap<>(ServiceConfig.environment());
        put(variables, ServiceConfig.CLUSTER, cluster);
        put(variables, ServiceConfig.BIND, bind);
        put(variables, ServiceConfig.REQUIRE_ALL_GRAPHS, requireAllGraphs);
        put(variables, ServiceConfig.UNAUTHENTICATED, unauthenticated ? "1" : null);
        put(variables, ServiceConfig.LIST_GRAPHS, listGraphs ? "1" : null);
        put(variables, ServiceConfig.READ_ONLY, readOnly ? "1" : null);
        put(variables, AllowedHosts.VARIABLE, allowedHosts.isEmpty() ? null : String.join(",", allowedHosts));
        put(variables, ServiceConfig.CONSOLE, console);
        put(variables, CredentialSources.DATA_TOKEN_TRUST, dataTokenTrust);
        put(variables, CredentialSources.OIDC_IDENTITY_TRUST, oidcIdentityTrust);
        put(variables, ServiceConfig.LOG_FORMAT, logFormat);
        put(variables, ServiceConfig.LOG_LEVEL, logLevel);
        put(variables, ServiceConfig.METRICS_BIND, metricsBind);
        return variables;
    }

    private static void put(Map<String, String> variables, Variable variable, @Nullable String option) {
        if (option != null) {
            variables.put(variable.name(), option);
        }
    }

    private void printAddresses(Server.Running running) {
        PrintWriter out = Objects.requireNonNull(spec).commandLine().getOut();
        out.println("SERVICE_LISTEN_ADDR=" + ListenAddress.of(running.address()));
        InetSocketAddress metrics = running.metricsAddress();
        if (metrics != null) {
            out.println("SERVICE_METRICS_ADDR=" + ListenAddress.of(metrics));
        }
        out.flush();
    }
}
