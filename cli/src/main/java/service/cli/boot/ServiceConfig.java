package service.cli.boot;

import java.net.InetSocketAddress;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import service.cli.log.LogLevels;
import service.core.config.Variable;
import service.core.error.StartRefusedException;
import service.core.graph.request.Setting;
import service.core.graph.request.Settings;
import service.http.auth.AllowedHosts;
import service.http.auth.CredentialSources;
import service.http.auth.StaticTokenSource;
import service.http.limit.Limit;
import service.http.limit.Limits;
import service.log.spill.FileSpillSpace;
import service.projection.search.index.SearchOptions;

/**
 * The configuration of a process, read once from its environment variables; an option of the command line replaces its
 * variable. {@code docs/limits.md} lists the variables, and a test compares it with them.
 *
 * @param limits limits of the server
 * @param settings initial settings of every request
 */
public record ServiceConfig(
        Limits limits,
        Settings settings,
        Memory memory,
        Serving serving,
        Observing observing,
        Bucket bucket,
        Embedding embedding,
        Search search) {
    public static final Variable.Text CLUSTER = new Variable.Text(
            "SERVICE_CLUSTER",
            "none",
            "a directory, or a root such as s3://bucket/prefix",
            "the cluster to serve (`--cluster`)");
    public static final Variable.Text BIND = new Variable.Text(
            "SERVICE_BIND",
            "127.0.0.1:8080",
            "HOST:PORT, such as 127.0.0.1:8080 or [::1]:8080",
            "where the server listens; port 0 takes a free one (`--bind`)");
    public static final Variable.Flag REQUIRE_ALL_GRAPHS = new Variable.Flag(
            "SERVICE_REQUIRE_ALL_GRAPHS",
            "whether the server refuses to start when a graph cannot be opened (`--require-all-graphs`)");
    public static final Variable.Flag UNAUTHENTICATED = new Variable.Flag(
            "SERVICE_UNAUTHENTICATED", "1 serves everyone who can reach the address (`--unauthenticated`)");
    public static final Variable.Flag LIST_GRAPHS = new Variable.Flag(
            "SERVICE_LIST_GRAPHS",
            "1 lists the graphs for everyone (`GET /graphs`) on a server without authentication (`--list-graphs`); elsewhere"
                    + " a policy grants `graph_list`");
    public static final Variable.Flag READ_ONLY = new Variable.Flag(
            "SERVICE_READ_ONLY", "1 serves reads only, beside the server that writes the cluster (`--read-only`)");
    public static final Variable.Word CONSOLE = new Variable.Word(
            "SERVICE_CONSOLE",
            List.of("on", "off"),
            "on",
            "whether the server serves the browser console at `/console/` (`--console`)");
    private static final Variable.WholeNumber FOLLOW_MILLIS = new Variable.WholeNumber(
            "SERVICE_FOLLOW_MS",
            "milliseconds",
            500,
            10,
            60_000,
            "how often a server polls for commits of other servers: one that only reads, and one that writes to a bucket");
    public static final Variable.Word LOG_FORMAT = new Variable.Word(
            "SERVICE_LOG_FORMAT",
            List.of("json", "text"),
            "json",
            "one JSON object a line, or text for people (`--log-format`)");
    public static final Variable.Text LOG_LEVEL = new Variable.Text(
            "SERVICE_LOG_LEVEL",
            "info",
            LogLevels.ALLOWED,
            "the least severe lines that are written, of all loggers and by prefix (`--log-level`)");
    public static final Variable.Text METRICS_BIND = new Variable.Text(
            "SERVICE_METRICS_BIND",
            "none",
            "HOST:PORT, such as 127.0.0.1:9464",
            "where `GET /metrics` is answered, without a credential; port 0 takes a free one (`--metrics-bind`)");
    private static final Variable.WholeNumber SLOW_MILLIS = new Variable.WholeNumber(
            "SERVICE_SLOW_MILLIS",
            "milliseconds",
            0,
            0,
            3_600_000,
            "time from which a query or mutation is logged as slow; 0 for never");

    private static final Variable.WholeNumber EMBED_TIMEOUT = new Variable.WholeNumber(
            "SERVICE_EMBED_TIMEOUT_MS",
            "milliseconds",
            5_000,
            10,
            600_000,
            "time of one call of an embedding provider, with its wait for one of eight places");

    private static final long BYTES_MAX = 1L << 40;
    private static final long MEMORY_MIN = 16L << 20;

    /** The pool's share of the heap. The rest is for garbage and for memory that is charged to no request. */
    private static final int HEAP_PERCENT = 60;

    /** Resident blocks may take one part in so many of the heap. */
    private static final int RESIDENT_PART = 4;

    private static final Variable.WholeNumber MEMORY = new Variable.WholeNumber(
            "SERVICE_MEMORY_BYTES",
            "bytes",
            Math.max(MEMORY_MIN, Runtime.getRuntime().maxMemory() / 100 * HEAP_PERCENT),
            HEAP_PERCENT + " % of the maximum heap",
            MEMORY_MIN,
            BYTES_MAX,
            "heap that all requests together hold");
    private static final Variable.WholeNumber QUERY_MEMORY = new Variable.WholeNumber(
            "SERVICE_QUERY_MEMORY_MAX", "bytes", 256L << 20, 1L << 20, BYTES_MAX, "heap that one query holds");
    private static final Variable.WholeNumber SPILL = new Variable.WholeNumber(
            "SERVICE_SPILL_BYTES", "bytes", 16L << 30, 1L << 20, BYTES_MAX, "temporary files of all requests together");
    private static final Variable.WholeNumber RESIDENT = new Variable.WholeNumber(
            "SERVICE_RESIDENT_BYTES",
            "bytes",
            Runtime.getRuntime().maxMemory() / RESIDENT_PART,
            "a quarter of the maximum heap",
            0,
            BYTES_MAX,
            "heap that resident blocks of all graphs together hold; 0 for none");
    private static final Variable.WholeNumber SEARCH_RESERVE = new Variable.WholeNumber(
            "SERVICE_SEARCH_DISK_RESERVE",
            "bytes",
            SearchOptions.DISK_RESERVE_BYTES,
            0,
            BYTES_MAX,
            "bytes of the disk that search indexes leave free");
    private static final Variable.WholeNumber SEARCH_MEMORY = new Variable.WholeNumber(
            "SERVICE_SEARCH_MEMORY_MAX",
            "bytes",
            SearchOptions.MEMORY_BYTES_MAX,
            1 << 20,
            BYTES_MAX,
            "heap in which searches of all graphs keep what they learned of their states, out of `SERVICE_MEMORY_BYTES`");
    private static final Variable.Text SPILL_DIRECTORY = new Variable.Text(
            "SERVICE_SPILL_DIRECTORY", "the JVM's `java.io.tmpdir`", "a directory", "where temporary files are made");

    private static final Variable.Text CACHE_DIRECTORY = new Variable.Text(
            "SERVICE_CACHE_DIR",
            "`service` in `$XDG_CACHE_HOME` or `~/.cache`",
            "a directory",
            "where copies of graphs in a bucket are kept");
    private static final Variable.Flag PATH_STYLE = new Variable.Flag(
            "SERVICE_S3_PATH_STYLE",
            "1 puts the bucket in the path of URLs, for stores without a host name for each bucket");
    private static final Variable.WholeNumber LINGER = new Variable.WholeNumber(
            "SERVICE_S3_LINGER_MS",
            "milliseconds",
            0,
            0,
            1_000,
            "time for which the first write of a group to a bucket waits for others");
    private static final Variable.WholeNumber RECLAIM_DELAY = new Variable.WholeNumber(
            "SERVICE_RECLAIM_DELAY_SECONDS",
            "seconds",
            600,
            1,
            86_400,
            "how long a bucket keeps what packing and cleanup have replaced; the same for all servers and commands of a"
                    + " root");

    /** Variables that {@link ClientConfig} and {@link Credentials} read. */
    private static final List<Variable> CLIENT = List.of(
            new Variable.Text(
                    "SERVICE_HOME", "`~/.service`", "a directory", "where `config.yaml` and `credentials` are"),
            new Variable.Text(
                    "SERVICE_TOKEN_<NAME>", "none", "a token", "the token that the CLI sends to the named server"),
            new Variable.Text(
                    "SERVICE_BEARER_TOKEN", "none", "a token", "the token for every server that has no token variable"),
            new Variable.Text(
                    ClientConfig.CA_FILE,
                    "none",
                    "a file in PEM",
                    "authorities that the CLI trusts to sign certificates of servers, beside those of its Java"));

    /** The configuration of a process whose environment sets no variable. */
    public static final ServiceConfig DEFAULTS = of(Map.of());

    /**
     * Memory and disk space of requests.
     *
     * @param poolBytes heap of all requests together
     * @param queryBytesMax heap of one query
     * @param spillBytesMax temporary files of all requests together
     * @param residentBytesMax heap of resident blocks; 0 for none
     */
    public record Memory(
            long poolBytes, long queryBytesMax, long spillBytesMax, long residentBytesMax, Path spillDirectory) {}

    /**
     * Options of {@code service-server}.
     *
     * @param cluster a directory or a root; null when none is set
     * @param unauthenticated whether every caller that can reach the address is served
     * @param listGraphs whether everyone may list the graphs of a server without authentication
     * @param allowedHosts further values of the Host header that a server without authentication accepts
     * @param console whether the browser console is served
     * @param follow how often a server that only reads polls for new commits; null for a server that writes
     */
    public record Serving(
            @Nullable String cluster,
            InetSocketAddress address,
            boolean requireAllGraphs,
            boolean unauthenticated,
            boolean listGraphs,
            List<String> allowedHosts,
            boolean console,
            @Nullable Duration follow) {}

    /**
     * What {@code service-server} reports.
     *
     * @param metrics where metrics are served; null for nowhere
     * @param slowMillis time from which queries are logged; 0 for never
     */
    public record Observing(
            String logFormat, LogLevels logLevels, @Nullable InetSocketAddress metrics, long slowMillis) {}

    /**
     * How graphs in a bucket are reached. Region, credentials and endpoint come from the variables of AWS.
     *
     * @param cacheDirectory of copies
     * @param pathStyle whether the bucket is in the path of URLs
     * @param lingerMillis how long the first write of a group waits for others
     * @param reclaimDelay how long packing and cleanup keep what they have replaced
     * @param follow how often a server that writes polls for commits of others
     */
    public record Bucket(
            Path cacheDirectory, boolean pathStyle, long lingerMillis, Duration reclaimDelay, Duration follow) {}

    /**
     * How providers of embeddings are asked.
     *
     * @param timeoutMillis of one call
     * @param variables the environment, which has the keys of the providers under the names that a cluster gives
     */
    public record Embedding(long timeoutMillis, Function<String, @Nullable String> variables) {}

    /**
     * What search indexes may take.
     *
     * @param diskReserveBytes that they leave free
     * @param memoryBytesMax heap of what searches keep
     */
    public record Search(long diskReserveBytes, long memoryBytesMax) {}

    /** The environment of this process. It is read only here. */
    public static Map<String, String> environment() {
        return System.getenv();
    }

    /** The configuration of this process, without options. */
    public static ServiceConfig ofProcess() {
        return of(environment());
    }

    /**
     * Reads every variable.
     *
     * @throws StartRefusedException {@code limit_invalid} or {@code config_invalid}, naming the variable, its value and
     *     what is allowed
     */
    public static ServiceConfig of(Map<String, String> environment) {
        return new ServiceConfig(
                Limits.fromEnvironment(environment),
                Settings.ofEnvironment(environment),
                new Memory(
                        MEMORY.read(environment),
                        QUERY_MEMORY.read(environment),
                        SPILL.read(environment),
                        RESIDENT.read(environment),
                        directory(SPILL_DIRECTORY, System.getProperty("java.io.tmpdir"), environment)),
                new Serving(
                        CLUSTER.read(environment),
                        address(BIND, Objects.requireNonNullElse(BIND.read(environment), BIND.defaultText())),
                        REQUIRE_ALL_GRAPHS.read(environment),
                        UNAUTHENTICATED.read(environment),
                        LIST_GRAPHS.read(environment),
                        AllowedHosts.names(environment),
                        CONSOLE.read(environment).equals("on"),
                        follow(environment)),
                new Observing(
                        LOG_FORMAT.read(environment),
                        logLevels(environment),
                        metrics(environment),
                        SLOW_MILLIS.read(environment)),
                new Bucket(
                        directory(CACHE_DIRECTORY, cacheFallback(environment), environment),
                        PATH_STYLE.read(environment),
                        LINGER.read(environment),
                        Duration.ofSeconds(RECLAIM_DELAY.read(environment)),
                        Duration.ofMillis(FOLLOW_MILLIS.read(environment))),
                new Embedding(EMBED_TIMEOUT.read(environment), environment::get),
                new Search(SEARCH_RESERVE.read(environment), SEARCH_MEMORY.read(environment)));
    }

    private static String cacheFallback(Map<String, String> environment) {
        String caches = environment.get("XDG_CACHE_HOME");
        return (caches == null || caches.isEmpty() ? System.getProperty("user.home") + "/.cache" : caches) + "/service";
    }

    private static Path directory(Variable.Text variable, String fallback, Map<String, String> environment) {
        String text = Objects.requireNonNullElse(variable.read(environment), fallback);
        if (text.isEmpty()) {
            throw variable.refusal(text);
        }
        try {
            return Path.of(text);
        } catch (InvalidPathException e) {
            throw variable.refusal(text);
        }
    }

    /**
     * Checks that temporary files can be made. A server does this at its start: the first large request is too late.
     *
     * @throws StartRefusedException {@code config_invalid}
     */
    void requireSpillDirectory() {
        String why = FileSpillSpace.unusable(memory.spillDirectory());
        if (why != null) {
            throw new StartRefusedException(
                    SPILL_DIRECTORY.code(),
                    "no temporary file can be made in `%s` (%s); set %s to a directory that the server can write, or"
                                    .formatted(memory.spillDirectory(), why, SPILL_DIRECTORY.name())
                            + " unset it for " + SPILL_DIRECTORY.defaultText());
        }
    }

    private static @Nullable Duration follow(Map<String, String> environment) {
        long millis = FOLLOW_MILLIS.read(environment);
        return READ_ONLY.read(environment) ? Duration.ofMillis(millis) : null;
    }

    private static LogLevels logLevels(Map<String, String> environment) {
        String given = Objects.requireNonNullElse(LOG_LEVEL.read(environment), LOG_LEVEL.defaultText());
        LogLevels levels = LogLevels.parse(given);
        if (levels == null) {
            throw LOG_LEVEL.refusal(given);
        }
        return levels;
    }

    private static @Nullable InetSocketAddress metrics(Map<String, String> environment) {
        String given = METRICS_BIND.read(environment);
        return given == null ? null : address(METRICS_BIND, given);
    }

    /**
     * Reads {@code HOST:PORT}; an IPv6 address is in brackets.
     *
     * @throws StartRefusedException {@code config_invalid}
     */
    public static InetSocketAddress address(String bind) {
        return address(BIND, bind);
    }

    private static InetSocketAddress address(Variable variable, String bind) {
        int colon = bind.lastIndexOf(':');
        String host = colon < 0 ? "" : bind.substring(0, colon);
        String port = bind.substring(colon + 1);
        if (host.isEmpty() || !port.matches("[0-9]{1,5}") || Integer.parseInt(port) > 65_535) {
            throw variable.refusal(bind);
        }
        boolean bracketed = host.startsWith("[") && host.endsWith("]");
        return InetSocketAddress.createUnresolved(
                bracketed ? host.substring(1, host.length() - 1) : host, Integer.parseInt(port));
    }

    /** Every variable, in the order of {@code docs/limits.md}. */
    static List<Variable> variables() {
        List<Variable> all = new ArrayList<>();
        for (Limit limit : Limit.values()) {
            all.add(limit.variable());
        }
        all.addAll(List.of(
                MEMORY,
                QUERY_MEMORY,
                SPILL,
                RESIDENT,
                SEARCH_RESERVE,
                SEARCH_MEMORY,
                SLOW_MILLIS,
                LINGER,
                RECLAIM_DELAY,
                FOLLOW_MILLIS,
                EMBED_TIMEOUT));
        for (Setting setting : Setting.values()) {
            all.add(setting.variable());
        }
        all.addAll(List.of(
                CLUSTER,
                BIND,
                REQUIRE_ALL_GRAPHS,
                UNAUTHENTICATED,
                LIST_GRAPHS,
                READ_ONLY,
                AllowedHosts.VARIABLE,
                CONSOLE,
                LOG_FORMAT,
                LOG_LEVEL,
                METRICS_BIND,
                SPILL_DIRECTORY,
                CACHE_DIRECTORY,
                PATH_STYLE));
        all.addAll(StaticTokenSource.VARIABLES);
        all.addAll(CredentialSources.TRUST_VARIABLES);
        all.addAll(CLIENT);
        return all;
    }
}
