package service.cli.boot;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;
import service.cli.client.CommandFailure;
import service.cli.client.GraphClient;
import service.cli.client.Transport;
import service.core.error.ServiceException;
import service.core.json.Json;
import service.core.policy.Caller;
import service.http.route.Call;
import service.http.route.LocalGraph;

/** A graph on this machine, opened for one command, which calls the routes of the server in this process. */
public final class StoreTransport implements Transport {
    private final OpenedGraph opened;
    private final boolean ofCluster;
    private final LocalGraph graph;

    private StoreTransport(OpenedGraph opened, boolean ofCluster, Caller caller) {
        this.opened = opened;
        this.ofCluster = ofCluster;
        this.graph = new LocalGraph(opened.graph().as(caller));
    }

    /**
     * Opens a graph for reading; a server may be writing to it meanwhile. The applied policy decides for a named actor.
     * Without one everything can be read: a user who can open the directory has its files.
     */
    public static GraphClient reading(GraphAddress directory, @Nullable String actor) {
        Caller caller = actor == null ? Caller.unrestricted(null) : directory.caller(actor);
        return new GraphClient(new StoreTransport(
                OpenedGraph.reading(directory, Engine.ofProcess()), directory.isOfCluster(), caller));
    }

    /** Opens a graph for writing, which takes its writer lock. */
    public static GraphClient writing(GraphAddress directory, @Nullable String actor) {
        return writing(directory, actor, Engine.ofProcess());
    }

    /** The same with another engine than that of the process. */
    public static GraphClient writing(GraphAddress directory, @Nullable String actor, Engine engine) {
        Caller caller = directory.caller(actor);
        return new GraphClient(
                new StoreTransport(OpenedGraph.writing(directory, engine), directory.isOfCluster(), caller));
    }

    /** Opens a graph for writing once, for several actors. */
    public static Opened opening(GraphAddress directory) {
        return new Opened(directory, OpenedGraph.writing(directory, Engine.ofProcess()));
    }

    /** A graph that is open for writing, whose clients need not be closed. */
    public static final class Opened implements AutoCloseable {
        private final GraphAddress directory;
        private final OpenedGraph opened;

        private Opened(GraphAddress directory, OpenedGraph opened) {
            this.directory = directory;
            this.opened = opened;
        }

        /** A client of an actor, good until this is closed. */
        public GraphClient as(@Nullable String actor) {
            return new GraphClient(new StoreTransport(opened, directory.isOfCluster(), directory.caller(actor)));
        }

        @Override
        public void close() {
            opened.close();
        }
    }

    @Override
    public Reply send(Request request) {
        if (!ofCluster
                && request.path().getFirst().equals("queries")
                && request.path().size() > 1) {
            throw ServiceException.badRequest(
                    "a store has no stored queries; give a source with --query or -e, or --cluster"
                            + " or --server and --graph");
        }
        try {
            return new Local(graph.call(new LocalGraph.Request(
                    request.method(), request.path(), request.parameters(), request.headers(), body(request))));
        } catch (CancellationException e) {
            throw CommandFailure.cancelled();
        }
    }

    private static Call.Body body(Request request) {
        InputStream records = request.records();
        byte[] json = request.json();
        return records != null
                ? Call.Body.streamed(records)
                : json == null ? Call.Body.NONE : Call.Body.buffered(json, json.length);
    }

    private record Local(LocalGraph.Response response) implements Reply {
        @Override
        public int status() {
            return response.status();
        }

        @Override
        public String header(String name) {
            return response.headers().getOrDefault(name, "");
        }

        @Override
        public ObjectNode object() {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            copyTo(bytes, "answer");
            return Json.readObject(bytes.toByteArray(), "the answer");
        }

        @Override
        public void copyTo(OutputStream into, String what) {
            try {
                response.source().writeTo(into);
            } catch (CancellationException e) {
                throw CommandFailure.cancelled();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void close() {
            response.close();
        }
    }

    @Override
    public void cancel() {
        graph.cancel();
    }

    @Override
    public void close() {
        opened.close();
    }
}
