package service.cli.client;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import service.cli.client.Transport.Reply;
import service.cli.client.Transport.Request;
import service.core.event.Note;
import service.core.value.Ulid;

/**
 * A graph, on a server or in a store. Requests and answers are the JSON objects of {@code docs/http.md}.
 *
 * <p>A commit may be named as people write it: {@code main}, {@code main~3}, or the last characters of an id.
 *
 * <p>Every method throws {@link CommandFailure} or {@code ServiceException} for a refusal. Thread rule: that of its
 * {@link Transport}.
 */
public final class GraphClient implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String IDEMPOTENCY_KEY = "Idempotency-Key";
    private static final String CONDITION = "Service-If-Graph-Commit";
    private static final String CONDITIONAL = "if-graph-commit";
    private static final String SNAPSHOT = "snapshot";

    /** How long a page of a feed may take beyond its wait. */
    private static final Duration FEED_PATIENCE = Duration.ofMinutes(2);

    private static final int FOUND = 302;

    private final Transport transport;

    /** A graph that is reached through a transport, which is closed with this client. */
    public GraphClient(Transport transport) {
        this.transport = transport;
    }

    /**
     * The state that a read uses: a branch, a branch as of a time, or a snapshot.
     *
     * @param branch null for {@code main}
     * @param asOf a time in RFC 3339; goes with a branch only
     */
    public record Target(
            @Nullable String branch,
            @Nullable String snapshot,
            @Nullable String asOf) {
        /** Whether it is the head of a branch. */
        public boolean isHead() {
            return snapshot == null && asOf == null;
        }

        /** The fields of a request body. */
        public void addTo(ObjectNode body) {
            put(body, "branch", branch);
            put(body, "snapshot", snapshot);
            put(body, "as_of", asOf);
        }
    }

    /**
     * One Blob property of one entity.
     *
     * @param entity {@code node} or {@code edge}
     */
    public record Cell(String entity, String type, String id, String property) {}

    /**
     * Two states, each a branch or a commit.
     *
     * @param sinceMergeBase whether the changes begin at the merge base of the two, not at {@code from}
     */
    public record States(String from, String to, boolean sinceMergeBase) {}

    /** A filter of changes; an empty list matches all. */
    public record Filters(List<String> kinds, List<String> types, List<String> operations) {
        public Filters {
            kinds = List.copyOf(kinds);
            types = List.copyOf(types);
            operations = List.copyOf(operations);
        }

        private Request addTo(Request request) {
            kinds.forEach(kind -> request.with("kind", kind));
            types.forEach(type -> request.with("type", type));
            operations.forEach(operation -> request.with("op", operation));
            return request;
        }
    }

    /**
     * A page of a change feed; at most one of {@code cursor}, {@code start} and {@code pageToken}.
     *
     * @param limit changes in a page; 0 for the default
     * @param waitSeconds how long to wait when there are no new changes
     */
    public record FeedQuery(
            @Nullable String branch,
            @Nullable String cursor,
            @Nullable String start,
            @Nullable String pageToken,
            int limit,
            int waitSeconds,
            Filters filters) {
        /** The next page of this poll. */
        public FeedQuery page(String token) {
            return new FeedQuery(branch, null, null, token, limit, 0, filters);
        }

        /** A poll like this from a cursor on. */
        public FeedQuery from(String reached, int seconds) {
            return new FeedQuery(branch, reached, null, null, limit, seconds, filters);
        }

        /** The same page, with another wait. */
        public FeedQuery waiting(int seconds) {
            return new FeedQuery(branch, cursor, start, pageToken, limit, seconds, filters);
        }
    }

    /**
     * NDJSON records to load.
     *
     * @param length in bytes; −1 when it is unknown
     */
    public record Records(InputStream content, long length) {
        /** Records in memory. */
        public static Records of(byte[] ndjson) {
            return new Records(new ByteArrayInputStream(ndjson), ndjson.length);
        }

        /** Records that are read as they are sent. */
        public static Records of(InputStream ndjson) {
            return new Records(ndjson, -1);
        }
    }

    private static void put(ObjectNode body, String name, @Nullable String value) {
        if (value != null) {
            body.put(name, value);
        }
    }

    /** Runs a read; the body is that of {@code POST /query}. */
    public ObjectNode query(ObjectNode body) {
        return ask(Request.of("POST", "query").body(body));
    }

    /**
     * Runs a mutation; the body is that of {@code POST /mutate}.
     *
     * @param condition the commit that must be the branch's head, or null
     * @param key idempotency key, or null
     */
    public ObjectNode mutate(ObjectNode body, @Nullable String condition, @Nullable String key) {
        Request request = condition == null ? Request.of("POST", "mutate") : Request.of("POST", "mutate", CONDITIONAL);
        return write(request.body(body), condition, key);
    }

    /**
     * Runs a stored query, read or mutation; the body is that of {@code POST /queries/{name}}. Its field {@code expect}
     * is {@code read} or {@code mutation}: a query of the other kind is refused and has no effect.
     */
    public ObjectNode invoke(String name, ObjectNode body, @Nullable String condition, @Nullable String key) {
        Request request = condition == null
                ? Request.of("POST", "queries", name)
                : Request.of("POST", "queries", name, CONDITIONAL);
        return write(request.body(body), condition, key);
    }

    ObjectNode write(Request request, @Nullable String condition, @Nullable String key) {
        return ask(request.header(CONDITION, condition == null ? null : id(condition))
                .header(IDEMPOTENCY_KEY, key));
    }

    public ObjectNode queries() {
        return ask(Request.of("GET", "queries"));
    }

    /**
     * Where and how records are loaded.
     *
     * @param branch null for {@code main}
     * @param from the ref that a missing branch is created from; null to refuse
     * @param key idempotency key, or null
     * @param note why they are loaded; null without
     */
    public record LoadTerms(
            @Nullable String branch,
            @Nullable String from,
            String mode,
            @Nullable String key,
            @Nullable Note note) {}

    /** Loads NDJSON records as one commit. */
    public ObjectNode load(LoadTerms terms, Records records) {
        Request request = Request.of("POST", "load", "ndjson")
                .with("branch", terms.branch())
                .with("from", terms.from())
                .with("mode", terms.mode())
                .header(IDEMPOTENCY_KEY, terms.key());
        return ask(NoteHeaders.add(request, terms.note()).body(records));
    }

    /** Computes vectors of texts; the body is that of {@code POST /embed}. */
    public ObjectNode embed(ObjectNode body) {
        return ask(Request.of("POST", "embed").body(body));
    }

    public ObjectNode branches() {
        return ask(Request.of("GET", "branches"));
    }

    /** The deleted branches that are readable, in pages. */
    public ObjectNode deletedBranches(int limit, @Nullable Long before) {
        return ask(page(Request.of("GET", "branches").with("deleted", "true"), limit, before));
    }

    /** The moves of a branch, in pages. */
    public ObjectNode moves(String name, int limit, @Nullable Long before) {
        return ask(page(Request.of("GET", "branches", name, "moves"), limit, before));
    }

    private static Request page(Request request, int limit, @Nullable Long before) {
        return request.with("limit", Integer.toString(limit))
                .with("before", before == null ? null : Long.toString(before));
    }

    public ObjectNode branch(String name) {
        return ask(Request.of("GET", "branches", name));
    }

    public ObjectNode createBranch(String name, @Nullable String from, @Nullable Note note) {
        ObjectNode body = JSON.createObjectNode().put("name", name);
        put(body, "from", from);
        NoteHeaders.addTo(body, note);
        return ask(Request.of("POST", "branches").body(body));
    }

    public ObjectNode deleteBranch(String name, @Nullable Note note) {
        return ask(NoteHeaders.add(Request.of("DELETE", "branches", name), note));
    }

    /** The search indexes. */
    public ObjectNode searchIndexes() {
        return ask(Request.of("GET", "search"));
    }

    /** Rebuilds the search indexes of these properties, or all; answers what they are then. */
    public ObjectNode rebuildSearch(List<String> properties) {
        ObjectNode body = JSON.createObjectNode();
        properties.forEach(body.putArray("properties")::add);
        return ask(Request.of("POST", "search", "rebuild").body(body));
    }

    /** Tags, and the history of entities. */
    public PastClient past() {
        return new PastClient(this);
    }

    /** Merges; the body is that of {@code POST /branches/merge}. */
    public ObjectNode merge(ObjectNode body) {
        return ask(Request.of("POST", "branches", "merge").body(body));
    }

    /**
     * Reverts, restores or picks a commit, or upgrades a branch.
     *
     * @param path segments of the route
     */
    public ObjectNode undo(ObjectNode body, @Nullable String condition, @Nullable String key, List<String> path) {
        return write(Request.of("POST", path.toArray(String[]::new)).body(body), condition, key);
    }

    /** A page of the changes between two states. */
    public ObjectNode diff(States states, @Nullable String pageToken, Filters filters) {
        Request request = Request.of("GET", "diff")
                .with("from", states.from())
                .with("to", states.to())
                .with("since", states.sinceMergeBase() ? "merge_base" : null)
                .with("page_token", pageToken);
        return ask(filters.addTo(request));
    }

    public ObjectNode snapshot(Target target) {
        return ask(target(Request.of("GET", SNAPSHOT), target));
    }

    /** The query parameters of {@code GET /commits}. */
    public static final class CommitList {
        private final Request request = Request.of("GET", "commits");

        /** Adds a parameter; null adds none. */
        public CommitList with(String name, @Nullable String value) {
            request.with(name, value);
            return this;
        }
    }

    /** A page of commits. */
    public ObjectNode commits(CommitList list) {
        return ask(list.request);
    }

    /**
     * One commit.
     *
     * @param ref its id, a branch, {@code BRANCH~N}, or the last characters of its id
     */
    public ObjectNode commit(String ref) {
        return ask(Request.of("GET", "commits", ref));
    }

    /** A page of a commit's changes. */
    public ObjectNode commitChanges(String ref, @Nullable String pageToken, int limit, Filters filters) {
        Request request = Request.of("GET", "commits", ref, "changes")
                .with("page_token", pageToken)
                .with("limit", positive(limit));
        return ask(filters.addTo(request));
    }

    /** A page of a branch's change feed. */
    public ObjectNode changes(FeedQuery poll) {
        Request request = Request.of("GET", "changes")
                .with("branch", poll.branch())
                .with("cursor", poll.cursor())
                .with("start", poll.start())
                .with("page_token", poll.pageToken())
                .with("limit", positive(poll.limit()))
                .with("wait", positive(poll.waitSeconds()))
                .within(FEED_PATIENCE.plusSeconds(poll.waitSeconds()));
        return ask(poll.filters().addTo(request));
    }

    private static @Nullable String positive(int number) {
        return number == 0 ? null : Integer.toString(number);
    }

    /** Streams the entities of a branch's head and a last line with a cursor as NDJSON. */
    public void baseline(@Nullable String branch, Filters filters, OutputStream into) {
        ObjectNode body = JSON.createObjectNode();
        if (branch != null) {
            body.put("branch", branch);
        }
        filters.kinds().forEach(body.withArray("kind")::add);
        filters.types().forEach(body.withArray("type")::add);
        filters.operations().forEach(body.withArray("op")::add);
        copy(Request.of("POST", "changes", "baseline").body(body), "baseline", into);
    }

    public ObjectNode schema(Target target) {
        return ask(target(Request.of("GET", "schema"), target));
    }

    /** Whole states, and rows in other forms than JSON. */
    public StreamClient streams() {
        return new StreamClient(this);
    }

    void copy(Request request, String what, OutputStream into) {
        try (Reply reply = transport.send(request)) {
            reply.copyTo(into, what);
        }
    }

    /** The value of a Blob property: {@code graph_commit_id}, and {@code blob} in the form of the change feed. */
    public ObjectNode blobStat(Target target, Cell cell) {
        ObjectNode stat = JSON.createObjectNode();
        try (Reply reply = transport.send(blob("HEAD", target, cell))) {
            stat.put("graph_commit_id", reply.header("Service-Snapshot-Id"));
            ObjectNode blob = stat.putObject("blob");
            if (reply.status() == FOUND) {
                blob.put("uri", reply.header("Location"));
            } else {
                blob.put("size", Long.parseLong(reply.header("Content-Length")));
                blob.put("etag", reply.header("ETag"));
            }
        }
        return stat;
    }

    /**
     * Copies the bytes of a blob.
     *
     * @param offset the first byte, or null for all
     * @param length the number of bytes at most, or null for all after the offset
     */
    public void blob(Target target, Cell cell, @Nullable Long offset, @Nullable Long length, OutputStream into) {
        Request request = blob("GET", target, cell);
        if (offset != null || length != null) {
            long from = offset == null ? 0 : offset;
            long count = length == null ? Long.MAX_VALUE : length;
            boolean bounded = count <= Long.MAX_VALUE - from;
            request.header("Range", "bytes=" + from + "-" + (bounded ? from + count - 1 : ""));
        }
        try (Reply reply = transport.send(request)) {
            if (reply.status() == FOUND) {
                throw CommandFailure.external(reply.header("Location"));
            }
            reply.copyTo(into, "blob");
        }
    }

    private Request blob(String method, Target target, Cell cell) {
        Request request = Request.of(method, "blob")
                .with("entity", cell.entity())
                .with("type", cell.type())
                .with("id", cell.id())
                .with("property", cell.property());
        return target(request, target);
    }

    ObjectNode ask(Request request) {
        try (Reply reply = transport.send(request)) {
            return reply.object();
        }
    }

    static Request target(Request request, Target target) {
        return request.with("branch", target.branch())
                .with(SNAPSHOT, target.snapshot())
                .with("as_of", target.asOf());
    }

    /** A condition is one whole id over HTTP. */
    private String id(String ref) {
        return Ulid.isUlid(ref) ? ref : commit(ref).path("graph_commit_id").asText();
    }

    /**
     * Cancels the running request, which fails with {@link CommandFailure#cancelled}. Any other thread may call it. The
     * client cannot be used afterwards. A server cancels a read when its client disconnects, but may still finish a
     * write; a store always finishes a write.
     */
    public void cancel() {
        transport.cancel();
    }

    @Override
    public void close() {
        transport.close();
    }
}
