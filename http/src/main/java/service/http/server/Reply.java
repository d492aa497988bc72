package service.http.server;

import io.undertow.server.HttpServerExchange;
import io.undertow.util.HeaderMap;
import io.undertow.util.Headers;
import io.undertow.util.HttpString;
import io.undertow.util.Methods;
import io.undertow.util.StatusCodes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import service.core.budget.RequestBudget;
import service.core.json.ByteChunks;
import service.core.json.Int64Form;
import service.http.route.Answer;
import service.http.route.Media;
import service.http.route.Representation;
import service.http.stream.ReplyWriter;
import service.http.stream.ResponseStream;

/**
 * Sends the answer of a conversation: a complete body on the I/O thread, a streamed body as fast as the client reads.
 * Thread rule: one thread at a time, as the conversation.
 */
final class Reply {
    /** A longer body is sent in pieces as it is, and compressed as fast as the client reads. */
    private static final int JOINED_BYTES_MAX = 32 << 10;

    /** Only bodies that may be compressed have it: no cache keeps any answer but those of blobs. */
    private static final String VARY = "Accept, Accept-Encoding";

    /** A longer body is compressed on a worker thread, because many consumers of a feed may get it at once. */
    private static final int COMPRESSED_INLINE_BYTES_MAX = 4 << 10;

    /** Receives the result of sending. Exactly one method is called, on any thread. */
    interface Ending {
        /** The socket has accepted the complete response. */
        void finish(int status);

        /** The response is incomplete; the connection must be closed. */
        void abort(IOException cause);

        /** The request must be answered with a refusal, if no byte was sent. */
        void refuse(Throwable cause);
    }

    private final ServerContext context;
    private final HttpServerExchange exchange;
    private final AdmissionTicket ticket;
    private final RequestBudget budget;
    private final Ending ending;
    private @Nullable ResponseStream stream;
    private Representation form = Representation.PLAIN_JSON;

    Reply(
            ServerContext context,
            HttpServerExchange exchange,
            AdmissionTicket ticket,
            RequestBudget budget,
            Ending ending) {
        this.context = context;
        this.exchange = exchange;
        this.ticket = ticket;
        this.budget = budget;
        this.ending = ending;
    }

    /** Sets the form of all bodies, also of refusals. Until then it is plain JSON. */
    void represent(Representation chosen) {
        form = chosen;
    }

    /** How a body writes values of 64 bits. */
    Int64Form int64() {
        return form.int64();
    }

    /** Sets the header for a body of this media type. */
    void contentType(Media media) {
        exchange.getResponseHeaders().put(Headers.CONTENT_TYPE, form.contentType(media));
    }

    /** Returns the response stream for event streams, which wait for commits and therefore for no turn. */
    ResponseStream open() {
        return open(budget.withoutTurn());
    }

    private ResponseStream open(RequestBudget work) {
        if (exchange.isHttp11() && exchange.getResponseContentLength() < 0) {
            // Without it, Undertow ends the body with the connection when the client asks for "Connection: close". A
            // stream that was cut would look whole.
            exchange.getResponseHeaders().put(Headers.TRANSFER_ENCODING, "chunked");
        }
        ResponseStream opened = new ResponseStream(exchange, context.capacity().deadlines(), work, ticket::rest);
        stream = opened;
        return opened;
    }

    /** The failure of the response stream, or null. */
    @Nullable
    IOException failure() {
        ResponseStream opened = stream;
        return opened == null ? null : opened.failure();
    }

    /**
     * Sends a body that is complete, from the I/O thread without copying it, unless it is short.
     *
     * @param pieces must not change until the request has ended
     */
    void whole(int status, Media media, List<ByteBuffer> pieces, Map<String, String> more) throws IOException {
        long length = ByteChunks.length(pieces);
        boolean gzip = length > Gzip.BYTES_MIN && Gzip.isAccepted(exchange);
        if (gzip && length > COMPRESSED_INLINE_BYTES_MAX && exchange.isInIoThread()) {
            context.threads().workers().execute(() -> {
                try {
                    whole(status, media, pieces, more);
                } catch (Throwable e) {
                    ending.refuse(e);
                }
            });
            return;
        }
        begin(status, media, more, length > Gzip.BYTES_MIN || media == Media.ARROW);
        if (gzip && length > JOINED_BYTES_MAX) {
            stream(true, into -> ByteChunks.write(pieces, into));
            return;
        }
        List<ByteBuffer> payload = pieces;
        if (length <= JOINED_BYTES_MAX && (gzip || pieces.size() > 1)) {
            byte[] joined = ByteChunks.join(pieces);
            payload = List.of(ByteBuffer.wrap(gzip ? Gzip.compress(joined) : joined));
        }
        if (gzip) {
            exchange.getResponseHeaders().put(Headers.CONTENT_ENCODING, "gzip");
        }
        send(status, payload);
    }

    /** Sends bytes as they are. */
    void kept(Answer.Kept kept) {
        begin(StatusCodes.OK, null, kept.headers(), false);
        send(StatusCodes.OK, List.of(ByteBuffer.wrap(kept.body())));
    }

    /** Sends a complete body on the I/O thread. */
    private void send(int status, List<ByteBuffer> payload) {
        exchange.setResponseContentLength(ByteChunks.length(payload));
        if (exchange.isInIoThread()) {
            transmit(status, payload);
        } else {
            exchange.getIoThread().execute(() -> transmit(status, payload));
        }
    }

    /** Sends a body while its source makes it. */
    void streamed(Answer.Streamed streamed) throws IOException {
        boolean hasLength = streamed.length() >= 0;
        boolean isHead = exchange.getRequestMethod().equals(Methods.HEAD);
        boolean isEmpty = hasLength && (streamed.length() == 0 || isHead);
        if (!isEmpty) {
            ticket.openStream();
        }
        begin(streamed.status(), streamed.media(), streamed.headers(), !hasLength);
        boolean isUnmodified = streamed.status() == StatusCodes.NOT_MODIFIED;
        if (hasLength && (!isUnmodified || isHead)) {
            // Undertow would send a 304 to HEAD without a length as chunked.
            exchange.setResponseContentLength(streamed.length());
        }
        if (isUnmodified && !exchange.isPersistent()) {
            // Undertow writes this header only to answers that may have a body.
            exchange.getResponseHeaders().put(Headers.CONNECTION, "close");
        }
        if (isEmpty) {
            exchange.getIoThread().execute(() -> end(streamed.status(), false));
        } else {
            stream(!hasLength && Gzip.isAccepted(exchange), streamed.source());
        }
    }

    private void begin(int status, @Nullable Media media, Map<String, String> more, boolean varies) {
        HeaderMap fields = exchange.getResponseHeaders();
        exchange.setStatusCode(status);
        more.forEach((name, value) -> fields.put(new HttpString(name), value));
        if (media != null) {
            contentType(media);
        }
        if (varies) {
            fields.put(Headers.VARY, VARY);
        }
    }

    private void stream(boolean gzip, Answer.Source source) throws IOException {
        if (gzip) {
            exchange.getResponseHeaders().put(Headers.CONTENT_ENCODING, "gzip");
        }
        ResponseStream body = open(budget);
        if (gzip) {
            Gzip.write(source, body);
        } else {
            source.writeTo(body);
        }
        body.finish(this::ended);
    }

    /**
     * Sends a body on the I/O thread. An exchange that ends on another thread makes Undertow wake the I/O thread for
     * the next request, which is slower: 10,000 instead of 38,000 requests/s over 16 connections.
     */
    private void transmit(int status, List<ByteBuffer> payload) {
        budget.endComputing();
        boolean lingers = !exchange.isRequestComplete();
        if (lingers) {
            exchange.setPersistent(false);
        }
        if (exchange.getRequestMethod().equals(Methods.HEAD)) {
            if (lingers) {
                // Writes the headers, with "Connection: close", before the exchange is persistent again to drain.
                var unused = exchange.getResponseChannel();
            }
            end(status, lingers);
            return;
        }
        try {
            new ReplyWriter(exchange, payload, context.capacity().deadlines(), ticket::rest, failure -> {
                        if (failure == null) {
                            end(status, lingers);
                        } else {
                            ending.abort(failure);
                        }
                    })
                    .start();
        } catch (RuntimeException e) {
            ending.refuse(e);
        }
    }

    /** The body of a stream has ended, or could not be ended. Runs on the I/O thread. */
    void ended(@Nullable IOException failure) {
        if (failure == null) {
            end(exchange.getStatusCode(), false);
        } else {
            ending.abort(failure);
        }
    }

    void end(int status, boolean lingers) {
        if (lingers) {
            Lingering.start(exchange, context.capacity().deadlines().progressNanos());
        }
        ending.finish(status);
        exchange.endExchange();
    }
}
