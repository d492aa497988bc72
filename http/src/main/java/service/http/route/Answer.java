package service.http.route;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import service.core.error.ServiceException;
import service.core.graph.request.Receipt;
import service.core.json.JsonWriter;

/** What a route answers; sending it is the server's business. Refusals are thrown. */
public sealed interface Answer {
    /** Writes a body, once. */
    interface Source {
        void writeTo(OutputStream into) throws IOException;
    }

    /** A whole JSON body. */
    record Whole(int status, byte[] body, Map<String, String> headers) implements Answer {}

    /**
     * A whole JSON body, status 200, that is kept in pieces.
     *
     * @param size its bytes
     * @param source writes the pieces themselves; they stay as they are until {@code sent}
     * @param sent called once the pieces are not needed any more, unless the client has gone
     */
    record Buffered(long size, Source source, Runnable sent) implements Answer {
        /** A body whose pieces are not used again. */
        public Buffered(long size, Source source) {
            this(size, source, () -> {});
        }
    }

    /** A body of unknown length, status 200, produced at the speed of its reader. */
    record Streamed(String contentType, Source source) implements Answer {}

    /**
     * A body of known length that is sent as it is, never compressed, at the speed of its reader; for HEAD and for
     * length 0 the source is not asked.
     *
     * @param headers all but the length
     */
    record Bytes(int status, Map<String, String> headers, long length, Source source) implements Answer {}

    /** An answer that waits for an outcome without a thread. */
    record Async<T>(CompletableFuture<T> outcome, Function<T, Answer> then) implements Answer {}

    /**
     * An answer to be made once there is news, or the time is over: until then it takes no thread and no place among
     * the requests at work.
     *
     * @param news completed by whoever is first: a commit, a timer, a stopping server
     */
    record LongPoll(CompletableFuture<Boolean> news, Callable<Answer> then) implements Answer {}

    /** Server-sent events, status 200. */
    record Events(EventSource source) implements Answer {}

    /** Writes events for as long as there are any. One thread at a time. */
    interface EventSource {
        /** Renders a refusal as the error body of this response. */
        interface Refused {
            byte[] body(ServiceException refusal);
        }

        /**
         * Writes what there is; blocks while its reader is slow.
         *
         * @return completes when there may be more; null when the stream has ended
         */
        @Nullable
        CompletableFuture<Boolean> write(OutputStream into, Refused refused) throws IOException;

        /** Writes something that means nothing. */
        void writeComment(OutputStream into) throws IOException;
    }

    /** Work that is too long for the I/O thread; it runs on a worker thread. */
    record OnWorker(Callable<Answer> work) implements Answer {}

    /** The header of a repeated write's answer. */
    Map<String, String> REPLAYED = Map.of("Idempotent-Replay", "true");

    /** Status 200 with a JSON body. */
    static Answer json(Consumer<JsonWriter> body) {
        return new Whole(200, JsonWriter.bytes(body), Map.of());
    }

    /** {@link #json} of an outcome to come. */
    static <T> Answer async(CompletableFuture<T> outcome, java.util.function.BiConsumer<JsonWriter, T> body) {
        return new Async<>(outcome, value -> json(json -> body.accept(json, value)));
    }

    /** {@link #async} of a write: says when it is the first answer to a repeat. */
    static <T extends Receipt> Answer written(
            CompletableFuture<T> outcome, java.util.function.BiConsumer<JsonWriter, T> body) {
        return new Async<>(
                outcome,
                value -> new Whole(
                        200,
                        JsonWriter.bytes(json -> body.accept(json, value)),
                        value.replayed() ? REPLAYED : Map.of()));
    }
}
