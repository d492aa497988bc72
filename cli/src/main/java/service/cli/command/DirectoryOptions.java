package service.cli.command;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import service.cli.boot.ClientConfig;
import service.cli.boot.Clusters;
import service.cli.boot.GraphAddress;
import service.cli.boot.ServiceConfig;
import service.cli.client.CommandFailure;
import service.core.port.RootAddress;

/** The directory of the graph that a command works on: a store, or a graph of a cluster. */
class DirectoryOptions {
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

    private @Nullable Place place;

    /** The address that options, profile and defaults give; at most one of server, cluster and store is not null. */
    record Place(
            ClientConfig config,
            @Nullable String server,
            @Nullable String cluster,
            @Nullable Path store,
            @Nullable String graph) {
        private static Place of(DirectoryOptions given) {
            ClientConfig config = ClientConfig.read(ServiceConfig.environment());
            String usualGraph = config.defaultOf("default_graph");
            String graph = given.graph != null ? given.graph : usualGraph;
            List<String> addresses = given.addresses();
            if (addresses.size() > 1) {
                throw CommandFailure.usage(String.join(" and ", addresses) + " exclude each other; give one of them");
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
            if (addresses.size() == 1) {
                return new Place(config, given.serverOption(), given.cluster, given.store, graph);
            }
            String server = config.defaultOf("server");
            String store = server == null ? config.defaultOf("store") : null;
            return new Place(config, server, null, store == null ? null : Path.of(store), graph);
        }

        String requireGraph() {
            if (graph == null) {
                throw CommandFailure.usage(
                        "give --graph ID: which of its graphs; `service graphs list` with the same address shows them");
            }
            return graph;
        }
    }

    /** The server that was named; a command on directories has no such option. */
    @Nullable
    String serverOption() {
        return null;
    }

    /** The options that name an address, as far as they are given. */
    private List<String> addresses() {
        Map<String, Optional<?>> options = new LinkedHashMap<>();
        options.put("--server", Optional.ofNullable(serverOption()));
        options.put("--cluster", Optional.ofNullable(cluster));
        options.put("--store", Optional.ofNullable(store));
        options.put("--profile", Optional.ofNullable(profile));
        options.values().removeIf(Optional::isEmpty);
        return List.copyOf(options.keySet());
    }

    final Place place() {
        if (place == null) {
            place = Place.of(this);
        }
        return place;
    }

    /** Whether other users may work on the graph: it is on a server, or in storage outside this machine. */
    boolean isShared() {
        String cluster = place().cluster();
        if (cluster == null) {
            return isRemote();
        }
        return Clusters.isShared(clusterRoot());
    }

    boolean isRemote() {
        return place().server() != null;
    }

    /** The directory of the graph, for maintenance. */
    GraphAddress directory() {
        Place at = place();
        if (at.server() != null) {
            throw CommandFailure.usage("this works on the files of a graph, not on a server: give --store DIR, or"
                    + " --cluster DIR and --graph ID");
        }
        if (at.cluster() != null) {
            return GraphAddress.ofCluster(clusterRoot(), at.requireGraph());
        }
        if (at.store() == null) {
            throw CommandFailure.usage("say which graph: --store DIR, or --cluster DIR --graph ID" + serverHint());
        }
        return GraphAddress.ofStore(requirePath(at.store(), "--store"));
    }

    /**
     * The directory of a new graph: a store that does not exist, or the missing directory of a cluster's graph. Ignores
     * the defaults of the configuration: a graph is never restored to a place that was not named.
     */
    GraphAddress destination() {
        if (cluster == null && store == null && profile == null) {
            throw CommandFailure.usage("say where: --store DIR that does not exist, or --cluster DIR --graph ID");
        }
        Place at = place();
        if (at.cluster() != null) {
            return GraphAddress.newInCluster(clusterRoot(), at.requireGraph());
        }
        if (at.store() == null) {
            throw CommandFailure.usage("this makes a graph in a directory: give --store, or --cluster and --graph");
        }
        return GraphAddress.newStore(requirePath(at.store(), "--store"));
    }

    /** A directory of this machine: a URI, which as a path has one slash, would name a folder of that name. */
    static Path requirePath(Path given, String option) {
        if (RootAddress.isUri(given.toString())) {
            throw CommandFailure.usage(
                    "%s is a directory of this machine; a cluster in a bucket is `--cluster s3://bucket/prefix`"
                            .formatted(option));
        }
        return given;
    }

    /** The root of the addressed cluster, or null where none is addressed. */
    @Nullable
    String clusterRootOrNull() {
        return place().cluster() == null ? null : clusterRoot();
    }

    /** How a server would be named, for the hint of a missing address. */
    String serverHint() {
        return "";
    }

    private String clusterRoot() {
        return ClusterOptions.checked(place().config().clusterRoot(Objects.requireNonNull(place().cluster())));
    }
}
