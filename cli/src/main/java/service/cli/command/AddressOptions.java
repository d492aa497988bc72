package service.cli.command;

import java.net.URI;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import service.cli.client.CommandFailure;
import service.cli.client.GraphClient;
import service.cli.client.RemoteGraph;
import service.cli.wire.ClientConfig;
import service.cli.wire.GraphDirectory;
import service.cli.wire.StoreClient;

/** Which graph a command works on: a server's, a cluster's, or a store's. */
final class AddressOptions {
    @Option(
            names = "--server",
            paramLabel = "NAME|URL",
            description = "A running server; needs --graph.")
    private @Nullable String server;

    @Option(
            names = "--cluster",
            paramLabel = "DIR",
            description = "An applied cluster, worked on directly; needs --graph.")
    private @Nullable String cluster;

    @Option(names = "--store", paramLabel = "DIR", description = "A graph outside any cluster.")
    private @Nullable Path store;

    @Option(names = "--graph", paramLabel = "ID", description = "The graph's id.")
    private @Nullable String graph;

    @Option(
            names = "--as",
            paramLabel = "ACTOR",
            description = "Who writes; only without a server.")
    private @Nullable String actor;

    private final ClientConfig config = ClientConfig.read(System.getenv());

    /** For commands that only read: works beside a running server. */
    GraphClient reader() {
        return isRemote() ? remote() : StoreClient.reading(directory());
    }

    /** For commands that write: takes the graph's writer lock, unless a server does the writing. */
    GraphClient writer() {
        if (!isRemote()) {
            return StoreClient.writing(directory(), actor != null ? actor : config.actor());
        }
        if (actor != null) {
            throw CommandFailure.usage(
                    "--as goes with direct writes; a server knows the actor from the credential");
        }
        return remote();
    }

    boolean isRemote() {
        if (server != null) {
            return true;
        }
        return cluster == null && store == null && config.defaultOf("server") != null;
    }

    /** What a prompt calls the graph. */
    String name() {
        return isRemote() ? graphId() : directory().graphId();
    }

    /** Where the graph lies, for maintenance that works on files. */
    GraphDirectory directory() {
        if (server != null) {
            throw CommandFailure.usage(
                    "this works on a store: give --store, or --cluster and --graph");
        }
        if (store != null && cluster != null) {
            throw CommandFailure.usage("--store and --cluster exclude each other");
        }
        if (cluster != null) {
            return GraphDirectory.ofCluster(config.clusterRoot(cluster), graphId());
        }
        Path directory = store;
        if (directory == null) {
            String usual = config.defaultOf("store");
            if (usual == null) {
                throw CommandFailure.usage(
                        "say which graph: --store DIR, or --cluster DIR --graph ID, or --server URL"
                                + " --graph ID");
            }
            directory = Path.of(usual);
        }
        return GraphDirectory.ofStore(directory);
    }

    /**
     * Where a graph is to appear: a store that does not exist, or a cluster's missing directory.
     */
    GraphDirectory destination() {
        if (server != null || (store != null && cluster != null)) {
            throw CommandFailure.usage(
                    "this makes a graph in a directory: give --store, or --cluster and --graph");
        }
        if (cluster != null) {
            return GraphDirectory.newInCluster(config.clusterRoot(cluster), graphId());
        }
        if (store == null) {
            throw CommandFailure.usage(
                    "say where: --store DIR that does not exist, or --cluster DIR --graph ID");
        }
        return GraphDirectory.newStore(store);
    }

    private GraphClient remote() {
        String name = server != null ? server : config.defaultOf("server");
        if (name == null) {
            throw CommandFailure.usage("give --server URL");
        }
        if (store != null || cluster != null) {
            throw CommandFailure.usage("--server excludes --store and --cluster");
        }
        return new RemoteGraph(serverUri(config.serverUrl(name)), graphId(), config.token(name));
    }

    private String graphId() {
        String id = graph != null ? graph : config.defaultOf("default_graph");
        if (id == null) {
            throw CommandFailure.usage("give --graph ID: which of its graphs?");
        }
        return id;
    }

    private static URI serverUri(String url) {
        if (!url.startsWith("http://") && !url.startsWith("https://")) {
            throw CommandFailure.usage(
                    "a server's URL begins with http:// or https://, not " + url);
        }
        try {
            return URI.create(url);
        } catch (IllegalArgumentException e) {
            throw CommandFailure.usage("not a URL: " + url);
        }
    }
}
