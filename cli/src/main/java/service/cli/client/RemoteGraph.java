package service.cli.client;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A graph of a server. */
public final class RemoteGraph implements GraphClient {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String IDEMPOTENCY_KEY = "Idempotency-Key";
    private static final int COPY_BYTES = 1 << 16;
    private static final int OK = 200;
    private static final int FOUND = 302;

    private final ServerHttp http;
    private final String root;

    /** Addresses a graph of a server, whose connection ends with this client. */
    public RemoteGraph(ServerHttp server, String graphId) {
        this.http = server;
        this.root = "graphs/" + ServerHttp.encode(graphId) + "/";
    }

    @Override
    public ObjectNode query(ObjectNode body) {
        return post("query", body, null, null);
    }

    @Override
    public ObjectNode mutate(ObjectNode body, @Nullable String condition, @Nullable String key) {
        return post(condition == null ? "mutate" : "mutate/if-graph-commit", body, condition, key);
    }

    @Override
    public ObjectNode invoke(String name, ObjectNode body, @Nullable String condition, @Nullable String key) {
        String path = "queries/" + ServerHttp.encode(name);
        return post(condition == null ? path : path + "/if-graph-commit", body, condition, key);
    }

    @Override
    public ObjectNode queries() {
        return get("queries", new Query());
    }

    @Override
    public ObjectNode load(
            @Nullable String branch, @Nullable String from, String mode, @Nullable String key, Records records) {
        String query = new Query()
                .add("branch", branch)
                .add("from", from)
                .add("mode", mode)
                .text();
        BodyPublisher body = BodyPublishers.ofInputStream(records::content);
        // The HTTP client refuses to announce a body of length 0.
        HttpRequest.Builder request = request("load/ndjson" + query)
                .header("Content-Type", "application/x-ndjson")
                .POST(records.length() > 0 ? BodyPublishers.fromPublisher(body, records.length()) : body);
        if (key != null) {
            request.header(IDEMPOTENCY_KEY, key);
        }
        return http.object(request);
    }

    @Override
    public ObjectNode branches() {
        return get("branches", new Query());
    }

    @Override
    public ObjectNode branch(String name) {
        return get("branches/" + ServerHttp.encode(name), new Query());
    }

    @Override
    public ObjectNode createBranch(String name, @Nullable String from) {
        ObjectNode body = JSON.createObjectNode().put("name", name);
        if (from != null) {
            body.put("from", from);
        }
        return post("branches", body, null, null);
    }

    @Override
    public ObjectNode deleteBranch(String name) {
        return http.object(request("branches/" + ServerHttp.encode(name)).DELETE());
    }

    @Override
    public ObjectNode merge(ObjectNode body) {
        return http.object(json("branches/merge", body));
    }

    @Override
    public ObjectNode diff(States states, @Nullable String pageToken, Filters filters) {
        return get(
                "diff",
                new Query()
                        .add("from", states.from())
                        .add("to", states.to())
                        .add("since", states.sinceMergeBase() ? "merge_base" : null)
                        .add("page_token", pageToken)
                        .add(filters));
    }

    @Override
    public ObjectNode snapshot(Target target) {
        return get("snapshot", new Query().add(target));
    }

    @Override
    public ObjectNode commits(@Nullable String branch, int limit, @Nullable String before) {
        return get(
                "commits",
                new Query()
                        .add("branch", branch)
                        .add("limit", Integer.toString(limit))
                        .add("before", before));
    }

    @Override
    public ObjectNode commit(String id) {
        return get("commits/" + ServerHttp.encode(id), new Query());
    }

    @Override
    public ObjectNode commitChanges(String id, @Nullable String pageToken, int limit, Filters filters) {
        return get(
                "commits/" + ServerHttp.encode(id) + "/changes",
                new Query()
                        .add("page_token", pageToken)
                        .add("limit", limit == 0 ? null : Integer.toString(limit))
                        .add(filters));
    }

    @Override
    public ObjectNode changes(FeedPoll poll) {
        return get(
                "changes",
                new Query()
                        .add("branch", poll.branch())
                        .add("cursor", poll.cursor())
                        .add("start", poll.start())
                        .add("page_token", poll.pageToken())
                        .add("limit", poll.limit() == 0 ? null : Integer.toString(poll.limit()))
                        .add("wait", poll.waitSeconds() == 0 ? null : Integer.toString(poll.waitSeconds()))
                        .add(poll.filters()));
    }

    @Override
    public void baseline(@Nullable String branch, Filters filters, OutputStream into) {
        ObjectNode body = JSON.createObjectNode();
        if (branch != null) {
            body.put("branch", branch);
        }
        filters.kinds().forEach(body.withArray("kind")::add);
        filters.types().forEach(body.withArray("type")::add);
        filters.operations().forEach(body.withArray("op")::add);
        stream("changes/baseline", body, "baseline", into);
    }

    @Override
    public ObjectNode schema(Target target) {
        return get("schema", new Query().add(target));
    }

    /** A server refuses both with the same answer, which names the command of the cluster. */
    @Override
    public ObjectNode planSchema(String source, List<String> allowedDrops) {
        return applySchema(source, allowedDrops);
    }

    @Override
    public ObjectNode applySchema(String source, List<String> allowedDrops) {
        return http.object(json("schema/apply", JSON.createObjectNode()));
    }

    @Override
    public void export(Target target, List<String> typeNames, OutputStream into) {
        ObjectNode body = JSON.createObjectNode();
        target.addTo(body);
        if (!typeNames.isEmpty()) {
            ArrayNode names = body.putArray("type_names");
            typeNames.forEach(names::add);
        }
        stream("export", body, "export", into);
    }

    private void stream(String path, ObjectNode body, String what, OutputStream into) {
        copy(http.send(json(path, body)), what, into);
    }

    /** Copies an answer; a failure to read it and a failure to write it give different messages. */
    private void copy(HttpResponse<InputStream> response, String what, OutputStream into) {
        byte[] buffer = new byte[COPY_BYTES];
        try (InputStream stream = response.body()) {
            for (int n = stream.read(buffer); n >= 0; n = stream.read(buffer)) {
                write(into, buffer, n);
            }
        } catch (IOException e) {
            throw http.broken(
                    "the " + what + " broke off before its end; what was written is not whole: " + e.getMessage());
        }
    }

    private static void write(OutputStream into, byte[] bytes, int count) {
        try {
            into.write(bytes, 0, count);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public ObjectNode blobStat(Target target, Cell cell) {
        String path = blobPath(target, cell);
        HttpResponse<InputStream> response = http.answer(request(path).method("HEAD", BodyPublishers.noBody()));
        if (response.statusCode() != OK && response.statusCode() != FOUND) {
            // An answer to HEAD has no body with the reason.
            throw http.failure(http.answer(request(path).GET()));
        }
        ObjectNode stat = JSON.createObjectNode();
        stat.put("graph_commit_id", header(response, "Service-Snapshot-Id"));
        ObjectNode blob = stat.putObject("blob");
        if (response.statusCode() == FOUND) {
            blob.put("uri", header(response, "Location"));
        } else {
            blob.put("size", Long.parseLong(header(response, "Content-Length")));
            blob.put("etag", header(response, "ETag"));
        }
        return stat;
    }

    @Override
    public void blob(Target target, Cell cell, @Nullable Long offset, @Nullable Long length, OutputStream into) {
        HttpRequest.Builder request = request(blobPath(target, cell)).GET();
        if (offset != null || length != null) {
            long from = offset == null ? 0 : offset;
            long count = length == null ? Long.MAX_VALUE : length;
            boolean bounded = count <= Long.MAX_VALUE - from;
            request.header("Range", "bytes=" + from + "-" + (bounded ? from + count - 1 : ""));
        }
        HttpResponse<InputStream> response = http.answer(request);
        if (response.statusCode() == FOUND) {
            throw CommandFailure.external(header(response, "Location"));
        }
        if (response.statusCode() / 100 != 2) {
            throw http.failure(response);
        }
        copy(response, "blob", into);
    }

    private static String blobPath(Target target, Cell cell) {
        return "blob"
                + new Query()
                        .add("entity", cell.entity())
                        .add("type", cell.type())
                        .add("id", cell.id())
                        .add("property", cell.property())
                        .add(target)
                        .text();
    }

    private static String header(HttpResponse<InputStream> response, String name) {
        return response.headers().firstValue(name).orElse("");
    }

    @Override
    public void cancel() {
        http.cancel();
    }

    @Override
    public void close() {
        http.close();
    }

    private ObjectNode get(String path, Query query) {
        return http.object(request(path + query.text()).GET());
    }

    private ObjectNode post(String path, ObjectNode body, @Nullable String condition, @Nullable String key) {
        HttpRequest.Builder request = json(path, body);
        if (key != null) {
            request.header(IDEMPOTENCY_KEY, key);
        }
        if (condition != null) {
            request.header("Service-If-Graph-Commit", condition);
        }
        return http.object(request);
    }

    private HttpRequest.Builder json(String path, ObjectNode body) {
        return http.json(root + path, body);
    }

    private HttpRequest.Builder request(String path) {
        return http.request(root + path);
    }

    /** Builds a query string. */
    private static final class Query {
        private final StringBuilder text = new StringBuilder();

        Query add(String name, @Nullable String value) {
            if (value != null) {
                text.append(text.isEmpty() ? '?' : '&').append(name).append('=').append(ServerHttp.encode(value));
            }
            return this;
        }

        Query add(Filters filters) {
            filters.kinds().forEach(kind -> add("kind", kind));
            filters.types().forEach(type -> add("type", type));
            filters.operations().forEach(operation -> add("op", operation));
            return this;
        }

        Query add(Target target) {
            return add("branch", target.branch())
                    .add("snapshot", target.snapshot())
                    .add("as_of", target.asOf());
        }

        String text() {
            return text.toString();
        }
    }
}
