package service.cli.client;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Carries the requests of {@code docs/http.md} to one graph: to a server, or to a graph that this process has opened.
 * Refusals are thrown as {@link CommandFailure} or {@code ServiceException}.
 *
 * <p>Thread rule: any number of threads may send; {@link #cancel} may be called by any other thread.
 */
public interface Transport extends AutoCloseable {
    /** Sends a request and returns the answer, whose status is below 400. Close the answer. */
    Reply send(Request request);

    /** Fails the running requests with {@link CommandFailure#cancelled}. Nothing can be sent afterwards. */
    void cancel();

    @Override
    void close();

    /** An answer. */
    interface Reply extends AutoCloseable {
        int status();

        /** The value of a header; empty when it is absent. */
        String header(String name);

        /** The body, which must be a JSON object. */
        ObjectNode object();

        /**
         * Copies the body. A failure to read it is a {@link CommandFailure}, a failure to write it an
         * {@code UncheckedIOException}.
         *
         * @param what what the body is, for the message of a broken answer
         */
        void copyTo(OutputStream into, String what);

        @Override
        void close();
    }

    /** A request to one graph. Its methods add to it and return it. */
    final class Request {
        private final String method;
        private final List<String> path;
        private final Map<String, List<String>> parameters = new LinkedHashMap<>();
        private final Map<String, String> headers = new LinkedHashMap<>();
        private byte @Nullable [] json;
        private GraphClient.@Nullable Records records;
        private @Nullable Duration patience;

        private Request(String method, List<String> path) {
            this.method = method;
            this.path = path;
        }

        /** @param path the segments after {@code /graphs/{graph_id}}, not encoded */
        static Request of(String method, String... path) {
            return new Request(method, List.of(path));
        }

        /** Adds a query parameter; null adds none. */
        Request with(String name, @Nullable String value) {
            if (value != null) {
                parameters.computeIfAbsent(name, unused -> new ArrayList<>()).add(value);
            }
            return this;
        }

        /** Adds a header; null adds none. */
        Request header(String name, @Nullable String value) {
            if (value != null) {
                headers.put(name, value);
            }
            return this;
        }

        /** Sets a JSON body. */
        Request body(ObjectNode body) {
            json = body.toString().getBytes(StandardCharsets.UTF_8);
            return header("Content-Type", "application/json");
        }

        /** Sets a body of NDJSON records. */
        Request body(GraphClient.Records body) {
            records = body;
            return header("Content-Type", "application/x-ndjson");
        }

        /** Fails when the answer has not begun in this time, as where the network is gone without a word. */
        Request within(Duration time) {
            patience = time;
            return this;
        }

        /** How long to wait until the answer begins; null for without end. */
        public @Nullable Duration patience() {
            return patience;
        }

        public String method() {
            return method;
        }

        /** The segments after {@code /graphs/{graph_id}}, not encoded. */
        public List<String> path() {
            return path;
        }

        /** The query parameters, each with its values. */
        public Map<String, List<String>> parameters() {
            return parameters;
        }

        public Map<String, String> headers() {
            return headers;
        }

        /** The JSON body in UTF-8; null when there is none. */
        public byte @Nullable [] json() {
            return json;
        }

        /** The records of the body, read as they are sent; null when there are none. */
        public @Nullable InputStream records() {
            return records == null ? null : records.content();
        }

        /** The length of the records in bytes; −1 when it is unknown. */
        public long recordsLength() {
            return records == null ? 0 : records.length();
        }
    }
}
