package service.http.route;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import service.core.error.ServiceException;
import service.core.graph.request.Receipt;
import service.core.json.Int64Form;
import service.core.json.JsonWriter;

/** The answer of a route, which the server sends. Refusals are thrown as exceptions. */
public sealed interface Answer {
    /** Writes a body. Called at most once. */
    interface Source {
        void writeTo(OutputStream into) throws IOException;
    }

    /** Makes the bytes of a JSON body from what is on the heap. */
    interface Body {
        /**
         * Returns the bytes, which must not change until the request has ended.
         *
         * @param int64 how the client asked for values of 64 bits
         */
        List<ByteBuffer> pieces(Int64Form int64);
    }

    /** A complete body. */
    record Whole(int status, Media media, Body body, Map<String, String> headers) implements Answer {}

    /**
     * Status 200 with bytes that the server keeps, sent as they are.
     *
     * @param body must never change
     * @param headers with {@code Content-Type}
     */
    record Kept(byte[] body, Map<String, String> headers) implements Answer {}

    /**
     * A body that is produced as fast as the client reads. One of unknown length may be compressed. One of known length
     * is not, and its source is not called for HEAD and for length 0.
     *
     * @param media null where {@code headers} have the type, or there is no body
     * @param headers the headers except {@code Content-Length}
     * @param length in bytes; -1 where it is not known
     */
    record Streamed(int status, @Nullable Media media, Map<String, String> headers, long length, Source source)
            implements Answer {}

    /**
     * {@code GET /status}: what the server says of itself.
     *
     * @param shown whether a graph of that id is among it
     */
    record Status(Predicate<String> shown) implements Answer {}

    /** An answer made from an outcome that is still to come. No thread waits for it. */
    record Async<T>(CompletableFuture<T> outcome, Function<T, Answer> then) implements Answer {}

    /**
     * An answer that is made after a commit or a timeout. Until then the request holds no thread and no place among the
     * executing requests.
     *
     * @param news completed with true by a commit, and with false by a stopping server or after the timeout
     * @param timeout null where {@code news} has one already
     * @param brief whether {@code then} is short as a rule: it runs on the I/O thread, and starts again on a worker
     *     where it would wait
     */
    record LongPoll(
            CompletableFuture<Boolean> news, @Nullable Duration timeout, boolean brief, Callable<Answer> then)
            implements Answer {}

    /**
     * Server-sent events, status 200.
     *
     * @param refusal what the first event tells instead of the first block; null when there is nothing to refuse
     */
    record Events(EventSource source, @Nullable ServiceException refusal) implements Answer {}

    /** The events of one stream. Thread rule: one thread at a time. */
    interface EventSource {
        /** Renders refusals as error bodies with the request id of this response. */
        interface Refused {
            byte[] body(ServiceException refusal);
        }

        /** What follows a piece. */
        enum After {
            /** More events, now. */
            EVENTS,
            /** More events after the next commit. */
            NEWS,
            /** The end of the stream. */
            END
        }

        /**
         * Some events as bytes.
         *
         * @param bytes may be empty; what they show must not change until {@code sent} is called
         * @param sent call it once when the bytes are not used any more
         */
        record Piece(ByteBuffer bytes, After after, Runnable sent) {}

        /**
         * Returns the next events.
         *
         * @throws service.core.budget.NoWaiting.WouldWaitException on a thread that must not wait, when they take long
         *     to read; nothing has changed then
         * @throws IOException when the stream failed inside an event and has to be cut
         */
        Piece next(Refused refused) throws IOException;

        /**
         * Returns the last piece of a stream that ends because of a refusal, which it contains.
         *
         * @throws IOException when the stream is inside an event and has to be cut
         */
        Piece refuse(ServiceException refusal, Refused refused) throws IOException;

        /**
         * Completes when there are more events. Call it after a piece that news follow.
         *
         * @throws service.core.budget.NoWaiting.WouldWaitException as {@link #next}
         */
        CompletableFuture<Boolean> news();
    }

    /** The header of the answer to a repeated write. */
    Map<String, String> REPLAYED = Map.of("Idempotent-Replay", "true");

    /** Status 200 with a JSON record of moderate size. */
    static Answer json(Consumer<JsonWriter> body) {
        return json(200, body, Map.of());
    }

    /** A JSON record of moderate size. */
    static Answer json(int status, Consumer<JsonWriter> body, Map<String, String> headers) {
        return new Whole(status, Media.JSON, int64 -> List.of(ByteBuffer.wrap(JsonWriter.bytes(int64, body))), headers);
    }

    /** A JSON body that was written already. */
    static Answer whole(int status, byte[] body) {
        return new Whole(status, Media.JSON, int64 -> List.of(ByteBuffer.wrap(body)), Map.of());
    }

    /** Status 200 with a body that was written already, in the form that the client asked for. */
    static Answer pieces(Media media, List<ByteBuffer> pieces) {
        return new Whole(200, media, int64 -> pieces, Map.of());
    }

    /** A body of unknown length, status 200. */
    static Answer streamed(Media media, Source source) {
        return new Streamed(200, media, Map.of(), -1, source);
    }

    /** Status 200 with a JSON body made from an outcome that is still to come. */
    static <T> Answer async(CompletableFuture<T> outcome, BiConsumer<JsonWriter, T> body) {
        return new Async<>(outcome, value -> json(json -> body.accept(json, value)));
    }

    /** Like {@link #async} for a write. The answer carries {@link #REPLAYED} when the write was a repeat. */
    static <T extends Receipt> Answer written(CompletableFuture<T> outcome, BiConsumer<JsonWriter, T> body) {
        return new Async<>(
                outcome, value -> json(200, json -> body.accept(json, value), value.replayed() ? REPLAYED : Map.of()));
    }
}
