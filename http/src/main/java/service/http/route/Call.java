package service.http.route;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import service.core.budget.RequestBudget;
import service.core.cluster.ServedCluster;
import service.core.error.ErrorCode;
import service.core.error.ErrorDetail;
import service.core.error.ServiceException;
import service.core.event.Note;
import service.core.graph.GraphAccess;
import service.core.graph.HistoryAccess;
import service.core.graph.LogAccess;
import service.core.graph.request.ReadTarget;
import service.core.graph.request.Settings;
import service.core.graph.request.WriteOptions;
import service.core.json.Int64Form;
import service.core.json.Json;
import service.core.value.Ulid;
import service.http.auth.Rights;

/**
 * A request that passed every check before its body, as its handler sees it. One thread at a time.
 *
 * @param graph the graph of a graph route, for the caller; null on other routes
 * @param budget the memory and computing time that the request may use; closed when its answer is sent
 */
public record Call(
        ServedCluster cluster,
        @Nullable GraphAccess graph,
        Rights rights,
        Route route,
        RequestLine line,
        RequestHeaders headers,
        Body body,
        RequestBudget budget) {
    /**
     * The request line, decoded.
     *
     * @param segments the segments of the path
     * @param parameters the values of each query parameter, in their order
     */
    public record RequestLine(boolean isHead, List<String> segments, Map<String, List<String>> parameters) {}

    /**
     * The headers.
     *
     * @param form of the answer, as {@code Accept} asks for it
     * @param condition value of {@code Service-If-Graph-Commit} where the route takes it
     * @param key value of {@code Idempotency-Key} where the route takes it
     * @param values returns the values of a header by its name; empty when the header is absent
     */
    public record RequestHeaders(
            Representation form,
            @Nullable String condition,
            @Nullable String key,
            Function<String, List<String>> values) {}

    /** The body: buffered, or a stream on routes that read it as it arrives. */
    public static final class Body {
        private static final byte[] NO_BYTES = new byte[0];
        private static final int NULL_BYTES_MAX = 8;

        /** No body. */
        public static final Body NONE = buffered(NO_BYTES, 0);

        private final int length;
        private final long usualMax;
        private final @Nullable InputStream stream;
        private volatile byte[] bytes;

        private Body(byte[] bytes, int length, long usualMax, @Nullable InputStream stream) {
            this.bytes = bytes;
            this.length = length;
            this.usualMax = usualMax;
            this.stream = stream;
        }

        /** A body that has arrived completely, of any size. */
        public static Body buffered(byte[] bytes, int length) {
            return buffered(bytes, length, Long.MAX_VALUE);
        }

        /**
         * A body that has arrived completely.
         *
         * @param usualMax the bytes that a body has at the most, where the route says nothing else
         */
        public static Body buffered(byte[] bytes, int length, long usualMax) {
            return new Body(bytes, length, usualMax, null);
        }

        /** A body that is read as it arrives. */
        public static Body streamed(InputStream stream) {
            return new Body(NO_BYTES, 0, Long.MAX_VALUE, stream);
        }

        /** The buffer, whose first {@link #length} bytes are the body. */
        public byte[] bytes() {
            return bytes;
        }

        /** Bytes of a buffered body. */
        public int length() {
            return length;
        }

        /** The body as it arrives, or null. */
        public @Nullable InputStream stream() {
            return stream;
        }

        /**
         * Whether an optional body is absent. The JSON text {@code null} counts as none, because generated clients send
         * it for a body that is not given.
         */
        boolean isAbsent() {
            return length == 0
                    || (length <= NULL_BYTES_MAX
                            && new String(bytes, 0, length, StandardCharsets.UTF_8)
                                    .strip()
                                    .equals("null"));
        }

        /** The buffered body in an array of its length. */
        public byte[] exactBytes() {
            byte[] all = bytes;
            return length == all.length ? all : Arrays.copyOf(all, length);
        }

        /** Releases the buffer at the end of the request, because a connection refers to its last request. */
        public void release() {
            bytes = NO_BYTES;
        }
    }

    /** The first value of a header, or null when it is absent. */
    public @Nullable String firstHeader(String name) {
        List<String> values = headers.values().apply(name);
        return values.isEmpty() ? null : values.getFirst();
    }

    /** The value of a variable of the route's template. */
    String variable(String name) {
        int index = route.endpoint().template().indexOf(name);
        return line.segments().get(index);
    }

    /** A query parameter, or null. */
    @Nullable
    String parameter(String name) {
        List<String> values = line.parameters().get(name);
        return values == null ? null : values.getFirst();
    }

    /**
     * A query parameter that must be there and not be empty.
     *
     * @param why the end of the refusal
     */
    String requireParameter(String name, String why) {
        String value = parameter(name);
        if (value == null || value.isEmpty()) {
            throw ServiceException.badRequest("query parameter `" + name + "` is required: " + why);
        }
        return value;
    }

    /** A query parameter that is true or false; false when it is absent. */
    boolean flag(String name) {
        String value = parameter(name);
        if (value != null && !value.equals("true") && !value.equals("false")) {
            throw ServiceException.badRequest("`" + name + "` must be true or false, not `" + value + "`");
        }
        return Boolean.parseBoolean(value);
    }

    /** The values of a repeatable query parameter, in their order. */
    List<String> parameters(String name) {
        return line.parameters().getOrDefault(name, List.of());
    }

    /** The settings of the process, overridden by the parameters {@code set=name=value}. */
    Settings querySettings() {
        List<String> given = parameters("set");
        if (given.isEmpty()) {
            return requireGraph().settings();
        }
        ObjectNode settings = JsonNodeFactory.instance.objectNode();
        for (String pair : given) {
            int equals = pair.indexOf('=');
            if (equals < 1) {
                throw ServiceException.badRequest("query parameter `set` must be name=value, not `" + pair + "`");
            }
            String name = pair.substring(0, equals);
            String value = pair.substring(equals + 1);
            if (settings.has(name)) {
                throw ServiceException.badRequest("setting `" + name + "` is given twice; give it once");
            }
            if (value.matches("-?[0-9]{1,18}")) {
                settings.put(name, Long.parseLong(value));
            } else {
                settings.put(name, value);
            }
        }
        return requireGraph().settings().withRequest(settings);
    }

    /** The read target that the parameters {@code branch}, {@code snapshot} and {@code as_of} name. */
    ReadTarget target() {
        return ReadTarget.of(parameter("branch"), commitId(parameter("snapshot")), parameter("as_of"));
    }

    /** The read target that the same fields of a body name; the head of {@code main} without a body. */
    ReadTarget target(@Nullable Fields fields) {
        return fields == null
                ? ReadTarget.MAIN
                : ReadTarget.of(fields.text("branch"), commitId(fields.text("snapshot")), fields.text("as_of"));
    }

    /** The id of the commit that a ref names; null for none. */
    @Nullable
    String commitId(@Nullable String ref) {
        return ref == null ? null : requireGraph().commitId(ref, budget);
    }

    /**
     * Whether the client has this representation already, by {@code If-None-Match}.
     *
     * @param etag with its quotes
     */
    public boolean isUnmodified(String etag) {
        return BlobPreconditions.decide(List.of(), header("If-None-Match"), etag)
                == BlobPreconditions.Outcome.NOT_MODIFIED;
    }

    /** The values of a request header, one for each occurrence. */
    List<String> header(String name) {
        return headers.values().apply(name);
    }

    /** The media type of the answer. */
    Media media() {
        return headers.form().media();
    }

    /** How the answer writes values of 64 bits. */
    Int64Form int64() {
        return headers.form().int64();
    }

    /** The graph of the route for its caller. */
    GraphAccess requireGraph() {
        if (graph == null) {
            throw new IllegalStateException(
                    "not a graph route: " + route.endpoint().path());
        }
        return graph;
    }

    /** The past of the graph of the route for its caller. */
    HistoryAccess past() {
        GraphAccess served = requireGraph();
        return served.graph().pastFor(served.caller());
    }

    /** The log of the graph of the route for its caller. */
    LogAccess log() {
        return requireGraph().graph().logOf(requireGraph().caller());
    }

    /** The body as a strict JSON object with these fields and no others. */
    Fields fields(String... known) {
        byte[] bytes = body.exactBytes();
        budget.memory().charge(Json.treeBytes(bytes), "the request body", "send less at a time");
        return Fields.parse(bytes, known);
    }

    /**
     * Refuses a body above the usual limit, which only a query that takes a list of records may have, and charges the
     * records of any other to the request.
     *
     * @param takesRecords asked for such a body only
     */
    void requireUsualSize(BooleanSupplier takesRecords) {
        if (body.length <= body.usualMax) {
            return;
        }
        // The values of the records are about half as large as their tree.
        budget.memory().charge(Json.treeBytes(body.exactBytes()) / 2, "the records", "send fewer at a time");
        if (!takesRecords.getAsBoolean()) {
            throw new ServiceException(
                    ErrorCode.RESOURCE_LIMIT,
                    "the body is larger than " + body.usualMax
                            + " bytes, and the query has no parameter that is a list of"
                            + " records, such as `$rows: [{name: String}]`; send less at a time",
                    new ErrorDetail.ResourceLimit("request_body_bytes", body.usualMax, (long) body.length));
        }
    }

    /** The body of a write: these fields, and those of a note. */
    Fields noted(String... known) {
        String[] all = Arrays.copyOf(known, known.length + 2);
        all[known.length] = Notes.MESSAGE;
        all[known.length + 1] = Notes.META;
        return fields(all);
    }

    /**
     * Condition, idempotency key and note of a write.
     *
     * @param fields its body; null without one
     */
    WriteOptions options(@Nullable Fields fields) {
        Notes.refuseHeaders(this);
        return options(Notes.of(fields));
    }

    /** Condition and idempotency key of a write with a note. */
    WriteOptions options(@Nullable Note note) {
        return new WriteOptions(headers.condition(), headers.key(), note);
    }

    /**
     * Checks and returns the value of a header that names a commit.
     *
     * @throws ServiceException BAD_REQUEST for anything but one raw commit id
     */
    public static String requireCommitId(String header, List<String> values) {
        if (values.size() != 1) {
            throw ServiceException.badRequest("header `" + header + "` is given twice; give it once");
        }
        String value = values.getFirst();
        if (!Ulid.isUlid(value)) {
            throw ServiceException.badRequest("header `" + header + "` must be one raw commit id, such as"
                    + " 01J00000000000000000000000: no quotes, `W/`, `*` or list");
        }
        return value;
    }
}
