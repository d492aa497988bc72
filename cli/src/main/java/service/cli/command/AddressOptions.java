package service.cli.command;

import java.net.URI;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import service.cli.boot.StoreSchema;
import service.cli.boot.StoreTransport;
import service.cli.client.CommandFailure;
import service.cli.client.GraphClient;
import service.cli.client.ServerHttp;

/** The address of the graph that a command works on: at a server, in a cluster, or a store. */
final class AddressOptions extends DirectoryOptions {
    @Option(names = "--server", paramLabel = "NAME|URL", description = "A running server; needs --graph.")
    private @Nullable String server;

    @Option(names = "--as", paramLabel = "ACTOR", description = "Who reads or writes; only without a server.")
    private @Nullable String actor;

    @Override
    @Nullable
    String serverOption() {
        return server;
    }

    @Override
    String serverHint() {
        return ", or --server URL --graph ID";
    }

    /** Opens the graph for reading; a running server may be writing to it. */
    GraphClient reader() {
        return isRemote() ? remote() : StoreTransport.reading(directory(), actor());
    }

    /** Opens the graph for writing; takes the graph's writer lock, unless a server writes. */
    GraphClient writer() {
        return isRemote() ? remote() : StoreTransport.writing(directory(), actor());
    }

    /**
     * Opens the schema of a store.
     *
     * @param change whether it will be changed, which takes the graph's writer lock
     */
    StoreSchema schema(boolean change) {
        if (isRemote()) {
            throw StoreSchema.ofCluster();
        }
        return change ? StoreSchema.writing(directory(), actor()) : StoreSchema.reading(directory(), actor());
    }

    /** Who works on the graph directly; null when no actor is configured. */
    @Nullable
    String actor() {
        if (actor != null && actor.isBlank()) {
            throw CommandFailure.usage("--as names an actor; it cannot be empty");
        }
        return actor != null ? actor : place().config().actor();
    }

    /** The name of the graph in a prompt. */
    String name() {
        return isRemote() ? place().requireGraph() : directory().graphId();
    }

    /** The addressed server, without a graph. */
    ServerHttp server() {
        Place at = place();
        if (at.server() == null) {
            throw CommandFailure.usage("this asks a server: give --server NAME|URL, or a profile that names one");
        }
        return new ServerHttp(
                serverUri(at.config().serverUrl(at.server())),
                at.config().token(at.server()),
                at.config().authorities(at.server()));
    }

    private GraphClient remote() {
        if (actor != null) {
            throw CommandFailure.usage("--as goes with direct commands; a server takes the actor from the credential");
        }
        ServerHttp server = server();
        return new GraphClient(server.graph(place().requireGraph()));
    }

    private static URI serverUri(String url) {
        URI uri;
        try {
            uri = URI.create(url);
        } catch (IllegalArgumentException e) {
            throw CommandFailure.usage("not a URL: " + url);
        }
        String scheme = uri.getScheme();
        if (!("http".equals(scheme) || "https".equals(scheme)) || uri.getHost() == null) {
            throw CommandFailure.usage("a server's URL is http://HOST:PORT or https://HOST:PORT, not " + url);
        }
        String path = uri.getPath();
        int graph = path == null ? -1 : path.indexOf("/graphs/");
        if (graph >= 0) {
            throw CommandFailure.usage("the URL of a server ends before /graphs: give --server "
                    + url.substring(0, url.indexOf("/graphs/"))
                    + " --graph " + path.substring(graph + "/graphs/".length()).replaceFirst("/.*", ""));
        }
        return uri;
    }
}
