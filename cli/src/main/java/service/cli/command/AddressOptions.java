package service.cli.command;

import java.net.URI;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import service.cli.boot.ClientConfig;
import service.cli.boot.GraphDirectory;
import service.cli.boot.ServiceConfig;
import service.cli.boot.StoreClient;
import service.cli.client.CommandFailure;
import service.cli.client.GraphClient;
import service.cli.client.RemoteGraph;
import service.cli.client.ServerHttp;

/** The address of the graph that a command works on: at a server, in a cluster, or a store. */
final class AddressOptions {
    @Option(names = "--server", paramLabel = "NAME|URL", description = "A running server; needs --graph.")
    private @Nullable String server;

    @Option(
            names = "--cluster",
            paramLabel = "DIR|URI",
            description = "An applied cluster, worked on directly; needs --graph.")
    private @Nullable String cluster;

    @Option(names = "--store", paramLabel = "DIR", description = "A graph outside any cluster.")
    private @Nullable Path store;

    @Option(names = "--graph", paramLabel = "ID", description = "The graph's id.")
    private @Nullable String graph;

    @Option(
            names = "--profile",
            paramLabel = "NAME",
            description = "An address that config.yaml holds under this name.")
    private @Nullable String profile;

    @Option(names = "--as", paramLabel = "ACTOR", description = "Who reads or writes; only without a server.")
    private @Nullable String actor;

    private @Nullable Place place;

    /** The address that options, profile and defaults give; at most one of server, cluster and store is not null. */
    private record Place(
            ClientConfig config,
            @Nullable String server,
            @Nullable String cluster,
            @Nullable Path store,
            @Nullable String graph) {
        private static Place of(AddressOptions given) {
            ClientConfig config = ClientConfig.read(ServiceConfig.environment());
            String usualGraph = config.defaultOf("default_graph");
            String graph = given.graph != null ? given.graph : usualGraph;
            int addresses = (given.server == null ? 0 : 1)
                    + (given.cluster == null ? 0 : 1)
                    + (given.store == null ? 0 : 1)
                    + (given.profile == null ? 0 : 1);
            if (addresses > 1) {
                throw CommandFailure.usage("--server, --cluster, --store and --profile exclude each other: which one?");
            }
            if (given.profile != null) {
                ClientConfig.Profile named = config.profile(given.profile);
                String ofProfile = named.graph() != null ? named.graph() : usualGraph;
                return new Place(
                        config,
                        named.server(),
                        named.cluster(),
                        named.store() == null ? null : Path.of(named.store()),
                        given.graph != null ? given.graph : ofProfile);
            }
            if (addresses == 1) {
                return new Place(config, given.server, given.cluster, given.store, graph);
            }
            String server = config.defaultOf("server");
            String store = server == null ? config.defaultOf("store") : null;
            return new Place(config, server, null, store == null ? null : Path.of(store), graph);
        }

        String requireGraph() {
            if (graph == null) {
                throw CommandFailure.usage("give --graph ID: which of its graphs?");
            }
            return graph;
        }
    }

    private Place place() {
        if (place == null) {
            place = Place.of(this);
        }
        return place;
    }

    /** Opens the graph for reading; a running server may be writing to it. */
    GraphClient reader() {
        return isRemote() ? remote() : StoreClient.reading(directory(), actor());
    }

    /** Opens the graph for writing; takes the graph's writer lock, unless a server writes. */
    GraphClient writer() {
        return isRemote() ? remote() : StoreClient.writing(directory(), actor());
    }

    /** Who works on the graph directly; null when no actor is configured. */
    private @Nullable String actor() {
        return actor != null ? actor : place().config().actor();
    }

    /** Whether other users may work on the graph: it is on a server, or in storage outside this machine. */
    boolean isShared() {
        String cluster = place().cluster();
        if (cluster == null) {
            return isRemote();
        }
        String root = place().config().clusterRoot(cluster);
        return root.contains("://") && !root.startsWith("file://");
    }

    boolean isRemote() {
        return place().server() != null;
    }

    /** The name of the graph in a prompt. */
    String name() {
        return isRemote() ? place().requireGraph() : directory().graphId();
    }

    /** The directory of the graph, for maintenance. */
    GraphDirectory directory() {
        Place at = place();
        if (at.server() != null) {
            throw CommandFailure.usage("this works on a store: give --store DIR, or --cluster DIR and --graph ID");
        }
        if (at.cluster() != null) {
            return GraphDirectory.ofCluster(clusterRoot(), at.requireGraph());
        }
        if (at.store() == null) {
            throw CommandFailure.usage(
                    "say which graph: --store DIR, or --cluster DIR --graph ID, or --server URL" + " --graph ID");
        }
        return GraphDirectory.ofStore(at.store());
    }

    /**
     * The directory of a new graph: a store that does not exist, or the missing directory of a cluster's graph. Ignores
     * the defaults of the configuration: a graph is never restored to a place that was not named.
     */
    GraphDirectory destination() {
        if (cluster == null && store == null && profile == null) {
            throw CommandFailure.usage("say where: --store DIR that does not exist, or --cluster DIR --graph ID");
        }
        Place at = place();
        if (at.cluster() != null) {
            return GraphDirectory.newInCluster(clusterRoot(), at.requireGraph());
        }
        if (at.store() == null) {
            throw CommandFailure.usage("this makes a graph in a directory: give --store, or --cluster and --graph");
        }
        return GraphDirectory.newStore(at.store());
    }

    /** The root of the addressed cluster, or null where none is addressed. */
    @Nullable
    String clusterRootOrNull() {
        return place().cluster() == null ? null : clusterRoot();
    }

    private String clusterRoot() {
        return place().config().clusterRoot(Objects.requireNonNull(place().cluster()));
    }

    /** The addressed server, without a graph. */
    ServerHttp server() {
        Place at = place();
        if (at.server() == null) {
            throw CommandFailure.usage("this asks a server: give --server NAME or URL");
        }
        return new ServerHttp(
                serverUri(at.config().serverUrl(at.server())), at.config().token(at.server()));
    }

    private GraphClient remote() {
        if (actor != null) {
            throw CommandFailure.usage("--as goes with direct commands; a server takes the actor from the credential");
        }
        String graphId = place().requireGraph();
        return new RemoteGraph(server(), graphId);
    }

    private static URI serverUri(String url) {
        try {
            URI uri = URI.create(url);
            String scheme = uri.getScheme();
            if (("http".equals(scheme) || "https".equals(scheme)) && uri.getHost() != null) {
                return uri;
            }
        } catch (IllegalArgumentException e) {
            throw CommandFailure.usage("not a URL: " + url);
        }
        throw CommandFailure.usage("a server's URL is http://HOST:PORT or https://HOST:PORT, not " + url);
    }
}
