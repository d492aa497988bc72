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
    private static final int BUFFERED_INLINE_BYTES_MAX = 32 << 10;

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

    void buffered(Answer.Buffered buffered) throws IOException {
        if (buffered.size() <= BUFFERED_INLINE_BYTES_MAX) {
            Bytes bytes = new Bytes((int) buffered.size());
            buffered.source().writeTo(bytes);
            buffered.sent().run();
            whole(200, bytes.exact(), Map.of());
        } else if (!Gzip.isAccepted(exchange)) {
            pieces(buffered);
        } else if (exchange.isInIoThread()) {
            context.threads().workers().execute(() -> {
                try {
                    buffered(buffered);
                } catch (Throwable e) {
                    ending.refuse(e);
                }
            });
        } else {
            stream(Media.JSON, true, buffered.source());
            buffered.sent().run();
        }
    }

    /** Sends a long body on the I/O thread, without copying it. */
    private void pieces(Answer.Buffered buffered) throws IOException {
        Pieces pieces = new Pieces();
        buffered.source().writeTo(pieces);
        HeaderMap fields = exchange.getResponseHeaders();
        contentType(Media.JSON);
        fields.put(Headers.VARY, VARY);
        exchange.setResponseContentLength(buffered.size());
        send(200, pieces.list(), buffered.sent());
    }

    private void send(int status, List<ByteBuffer> payload, Runnable sent) {
        if (exchange.isInIoThread()) {
            transmit(status, payload, sent);
        } else {
            exchange.getIoThread().execute(() -> transmit(status, payload, sent));
        }
    }

    void streamed(Answer.Streamed streamed) throws IOException {
        ticket.openStream();
        stream(streamed.media(), Gzip.isAccepted(exchange), streamed.source());
    }

    void bytes(Answer.Bytes bytes) throws IOException {
        HeaderMap fields = exchange.getResponseHeaders();
        boolean isEmpty = bytes.length() == 0 || exchange.getRequestMethod().equals(Methods.HEAD);
        if (!isEmpty) {
            ticket.openStream();
        }
        bytes.headers().forEach((name, value) -> fields.put(new HttpString(name), value));
        exchange.setStatusCode(bytes.status());
        boolean isUnmodified = bytes.status() == StatusCodes.NOT_MODIFIED;
        if (!isUnmodified || exchange.getRequestMethod().equals(Methods.HEAD)) {
            // Undertow would send a 304 to HEAD without a length as chunked.
            exchange.setResponseContentLength(bytes.length());
        }
        if (isUnmodified && !exchange.isPersistent()) {
            // Undertow writes this header only to answers that may have a body.
            fields.put(Headers.CONNECTION, "close");
        }
        if (isEmpty) {
            exchange.getIoThread().execute(() -> end(bytes.status(), false));
            return;
        }
        ResponseStream body = open(budget);
        bytes.source().writeTo(body);
        body.finish(this::ended);
    }

    private void stream(Media media, boolean gzip, Answer.Source source) throws IOException {
        HeaderMap fields = exchange.getResponseHeaders();
        contentType(media);
        fields.put(Headers.VARY, VARY);
        if (gzip) {
            fields.put(Headers.CONTENT_ENCODING, "gzip");
        }
        ResponseStream body = open(budget);
        if (gzip) {
            Gzip.write(source, body);
        } else {
            source.writeTo(body);
        }
        body.finish(this::ended);
    }

    void whole(int status, byte[] body, Map<String, String> more) throws IOException {
        HeaderMap fields = exchange.getResponseHeaders();
        more.forEach((name, value) -> fields.put(new HttpString(name), value));
        contentType(Media.JSON);
        byte[] payload = body;
        if (body.length > Gzip.BYTES_MIN) {
            fields.put(Headers.VARY, VARY);
            if (Gzip.isAccepted(exchange)) {
                if (body.length > COMPRESSED_INLINE_BYTES_MAX && exchange.isInIoThread()) {
                    context.threads().workers().execute(() -> {
                        try {
                            whole(status, body, Map.of());
                        } catch (Throwable e) {
                            ending.refuse(e);
                        }
                    });
                    return;
                }
                payload = Gzip.compress(body);
                fields.put(Headers.CONTENT_ENCODING, "gzip");
            }
        }
        exchange.setStatusCode(status);
        exchange.setResponseContentLength(payload.length);
        send(status, List.of(ByteBuffer.wrap(payload)), () -> {});
    }

    /**
     * Sends a body on the I/O thread. An exchange that ends on another thread makes Undertow wake the I/O thread for
     * the next request, which is slower: 10,000 instead of 38,000 requests/s over 16 connections.
     */
    private void transmit(int status, List<ByteBuffer> payload, Runnable sent) {
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
                            sent.run();
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
