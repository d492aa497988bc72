package service.http.server;

import io.undertow.io.IoCallback;
import io.undertow.io.Sender;
import io.undertow.server.HttpServerExchange;
import io.undertow.server.protocol.http.HttpContinue;
import io.undertow.util.HeaderMap;
import io.undertow.util.HeaderValues;
import io.undertow.util.Headers;
import io.undertow.util.HttpString;
import io.undertow.util.Methods;
import io.undertow.util.StatusCodes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.xnio.IoUtils;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.http.error.ErrorBody;
import service.http.error.ErrorStatus;
import service.http.observe.RequestLog;
import service.http.route.Answer;
import service.http.route.BodyRule;
import service.http.route.Call;
import service.http.route.Route;
import service.http.stream.BodyReader;
import service.http.stream.ClientGoneException;
import service.http.stream.ReplyWriter;
import service.http.stream.RequestStream;
import service.http.stream.ResponseStream;

/**
 * One request from its headers to the end of its response.
 *
 * <p>The steps follow each other on whatever thread suits: the checks and a buffered body on the
 * I/O thread; the handler on a virtual thread, or on the I/O thread when the route says that the
 * call is brief, because a hand-over costs more than a short read; a write's answer on the I/O
 * thread once its outcome is there, with no thread waiting meanwhile. One thread at a time, each
 * handing over with a happens-before edge. Everything runs outside Undertow's own call, so that
 * nothing ends the exchange but this class.
 *
 * <p>Invariant: either a whole response is sent, or the connection is closed. {@link #finish} runs
 * exactly once.
 */
final class Conversation {
    private static final int KEPT_INLINE_BYTES_MAX = 32 << 10;

    private final House house;
    private final HttpServerExchange exchange;
    private final long startNanos = System.nanoTime();
    private final AtomicBoolean finished = new AtomicBoolean();
    private final String requestId;
    private final Gate gate;
    private final AnswerHeaders headers;
    private final Lease lease;

    private @Nullable RequestStream bodyStream;
    private @Nullable ResponseStream replyStream;

    Conversation(House house, HttpServerExchange exchange) {
        this.house = house;
        this.exchange = exchange;
        requestId = house.ids().of(exchange.getRequestHeaders().getFirst(AnswerHeaders.REQUEST_ID));
        gate = new Gate(house, exchange);
        headers = new AnswerHeaders(exchange.getResponseHeaders());
        lease = new Lease(house.admission());
    }

    /** On the I/O thread. */
    void begin() {
        house.present().incrementAndGet();
        headers.begin(requestId);
        try {
            Gate.Passed passed = gate.pass();
            headers.deprecate(passed);
            lease.admit(passed, exchange.getRequestContentLength());
            if (gate.hasBody() && HttpContinue.requiresContinueResponse(exchange)) {
                sendContinue(passed);
            } else {
                receive(passed);
            }
        } catch (Throwable e) {
            refuse(e);
        }
    }

    private void sendContinue(Gate.Passed passed) {
        HttpContinue.sendContinueResponse(
                exchange,
                new IoCallback() {
                    @Override
                    public void onComplete(HttpServerExchange ignored, Sender sender) {
                        try {
                            receive(passed);
                        } catch (Throwable e) {
                            refuse(e);
                        }
                    }

                    @Override
                    public void onException(
                            HttpServerExchange ignored, Sender sender, IOException cause) {
                        abort(cause);
                    }
                });
    }

    private void receive(Gate.Passed passed) {
        if (passed.route().body().buffered() && gate.hasBody()) {
            readBody(passed);
        } else {
            enqueue(passed, new byte[0], 0);
        }
    }

    private void readBody(Gate.Passed passed) {
        int bytesMax = house.limits().getInt(passed.route().body().bytesMax());
        BodyReader.Done done =
                new BodyReader.Done() {
                    @Override
                    public void complete(byte[] bytes, int length, long reserved) {
                        lease.reserved(reserved);
                        try {
                            lease.countWrite(length);
                            enqueue(passed, bytes, length);
                        } catch (Throwable e) {
                            refuse(e);
                        }
                    }

                    @Override
                    public void refused(ServiceException refusal) {
                        refuse(refusal);
                    }

                    @Override
                    public void gone(IOException cause) {
                        abort(cause);
                    }
                };
        new BodyReader(exchange, bytesMax, house.pace(), house.admission(), done).start();
    }

    private void enqueue(Gate.Passed passed, byte[] bytes, int length) {
        Route route = passed.route();
        RequestStream stream = null;
        if (route.body() == BodyRule.NDJSON) {
            stream =
                    new RequestStream(
                            exchange,
                            house.limits().get(route.body().bytesMax()),
                            house.pace(),
                            lease::countWrite);
            bodyStream = stream;
        }
        Call call =
                new Call(
                        house.cluster(),
                        passed.caller(),
                        route,
                        passed.segments(),
                        gate.parameters(route),
                        passed.graph(),
                        gate.condition(route),
                        gate.key(route),
                        bytes,
                        length,
                        stream,
                        new ClientWatch(exchange),
                        exchange.getRequestMethod().equals(Methods.HEAD),
                        this::header);
        boolean brief = stream == null && route.brief().test(call);
        lease.start(() -> handOver(call, brief));
    }

    private List<String> header(String name) {
        HeaderValues values = exchange.getRequestHeaders().get(name);
        return values == null ? List.of() : List.copyOf(values);
    }

    private void handOver(Call call, boolean brief) {
        if (!brief) {
            house.threads().execute(() -> work(call));
        } else if (onIoThread()) {
            work(call);
        } else {
            exchange.getIoThread().execute(() -> work(call));
        }
    }

    private void work(Call call) {
        try {
            send(call.route().handler().answer(call));
        } catch (Throwable e) {
            refuse(e);
        }
    }

    private void send(Answer answer) throws IOException {
        switch (answer) {
            case Answer.Whole whole -> whole(whole.status(), whole.body(), whole.headers());
            case Answer.Kept kept -> kept(kept);
            case Answer.Streamed streamed -> streamed(streamed);
            case Answer.Bytes bytes -> bytes(bytes);
            case Answer.Later<?> later -> later(later);
            case Answer.Elsewhere elsewhere -> elsewhere(elsewhere);
            case Answer.Parked parked -> parked(parked);
            case Answer.Events events -> events(events);
        }
    }

    private void parked(Answer.Parked parked) {
        if (!house.parking().enter(parked.news())) {
            parked.news().complete(false);
            throw new ServiceException(
                    ErrorCode.TOO_MANY_REQUESTS, "too many consumers wait; try again later");
        }
        lease.stepAside();
        if (house.draining().get()) {
            parked.news().complete(false);
        }
        var unused =
                parked.news()
                        .whenComplete(
                                (moved, failure) ->
                                        lease.reenter(
                                                () ->
                                                        elsewhere(
                                                                new Answer.Elsewhere(
                                                                        parked.then()))));
    }

    private void events(Answer.Events events) {
        exchange.getResponseHeaders().put(Headers.CONTENT_TYPE, "text/event-stream");
        if (exchange.getRequestMethod().equals(Methods.HEAD)) {
            exchange.getIoThread().execute(() -> end(200, false));
            return;
        }
        lease.openStream();
        lease.stepAside();
        ResponseStream body = new ResponseStream(exchange, house.pace());
        replyStream = body;
        new LiveStream(
                        house,
                        events.source(),
                        body,
                        requestId,
                        failure -> {
                            if (failure == null) {
                                exchange.endExchange();
                                finish(exchange.getStatusCode());
                            } else {
                                refuse(failure);
                            }
                        })
                .run();
    }

    private void elsewhere(Answer.Elsewhere elsewhere) {
        house.threads()
                .execute(
                        () -> {
                            try {
                                send(elsewhere.work().call());
                            } catch (Throwable e) {
                                refuse(e);
                            }
                        });
    }

    private <T> void later(Answer.Later<T> later) {
        var unused =
                later.outcome()
                        .whenComplete(
                                (value, failure) ->
                                        exchange.getIoThread()
                                                .execute(() -> settle(later, value, failure)));
    }

    private <T> void settle(Answer.Later<T> later, T value, @Nullable Throwable failure) {
        try {
            if (failure != null) {
                refuse(failure);
            } else {
                send(later.then().apply(value));
            }
        } catch (Throwable e) {
            refuse(e);
        }
    }

    private void kept(Answer.Kept kept) throws IOException {
        if (kept.size() <= KEPT_INLINE_BYTES_MAX) {
            Bytes bytes = new Bytes((int) kept.size());
            kept.source().writeTo(bytes);
            kept.sent().run();
            whole(200, bytes.exact(), Map.of());
        } else if (!Gzip.isAccepted(exchange)) {
            pieces(kept);
        } else if (onIoThread()) {
            house.threads()
                    .execute(
                            () -> {
                                try {
                                    kept(kept);
                                } catch (Throwable e) {
                                    refuse(e);
                                }
                            });
        } else {
            stream("application/json", true, kept.source());
            kept.sent().run();
        }
    }

    /** A long body goes out as a short one does, without a thread and without a copy of it. */
    private void pieces(Answer.Kept kept) throws IOException {
        Pieces pieces = new Pieces();
        kept.source().writeTo(pieces);
        HeaderMap fields = exchange.getResponseHeaders();
        fields.put(Headers.CONTENT_TYPE, "application/json");
        fields.put(Headers.VARY, "Accept-Encoding");
        exchange.setResponseContentLength(kept.size());
        reply(200, pieces.list(), kept.sent());
    }

    private void reply(int status, List<ByteBuffer> payload, Runnable sent) {
        if (onIoThread()) {
            transmit(status, payload, sent);
        } else {
            exchange.getIoThread().execute(() -> transmit(status, payload, sent));
        }
    }

    private void streamed(Answer.Streamed streamed) throws IOException {
        lease.openStream();
        stream(streamed.contentType(), Gzip.isAccepted(exchange), streamed.source());
    }

    private void bytes(Answer.Bytes bytes) throws IOException {
        HeaderMap fields = exchange.getResponseHeaders();
        boolean isEmpty = bytes.length() == 0 || exchange.getRequestMethod().equals(Methods.HEAD);
        if (!isEmpty) {
            lease.openStream();
        }
        bytes.headers().forEach((name, value) -> fields.put(new HttpString(name), value));
        exchange.setStatusCode(bytes.status());
        if (bytes.status() != StatusCodes.NOT_MODIFIED) {
            exchange.setResponseContentLength(bytes.length());
        }
        if (isEmpty) {
            exchange.getIoThread().execute(() -> end(bytes.status(), false));
            return;
        }
        ResponseStream body = new ResponseStream(exchange, house.pace());
        replyStream = body;
        bytes.source().writeTo(body);
        body.finish();
        exchange.endExchange();
        finish(exchange.getStatusCode());
    }

    private void stream(String contentType, boolean gzip, Answer.Source source) throws IOException {
        HeaderMap fields = exchange.getResponseHeaders();
        fields.put(Headers.CONTENT_TYPE, contentType);
        fields.put(Headers.VARY, "Accept-Encoding");
        if (gzip) {
            fields.put(Headers.CONTENT_ENCODING, "gzip");
        }
        ResponseStream body = new ResponseStream(exchange, house.pace());
        replyStream = body;
        if (gzip) {
            Gzip.write(source, body);
        } else {
            source.writeTo(body);
        }
        body.finish();
        exchange.endExchange();
        finish(exchange.getStatusCode());
    }

    private void whole(int status, byte[] body, Map<String, String> more) throws IOException {
        HeaderMap fields = exchange.getResponseHeaders();
        more.forEach((name, value) -> fields.put(new HttpString(name), value));
        fields.put(Headers.CONTENT_TYPE, "application/json");
        byte[] payload = body;
        if (body.length > Gzip.BYTES_MIN) {
            fields.put(Headers.VARY, "Accept-Encoding");
            if (Gzip.isAccepted(exchange)) {
                payload = Gzip.compress(body);
                fields.put(Headers.CONTENT_ENCODING, "gzip");
            }
        }
        exchange.setStatusCode(status);
        exchange.setResponseContentLength(payload.length);
        reply(status, List.of(ByteBuffer.wrap(payload)), () -> {});
    }

    /**
     * On the I/O thread: an exchange that ends anywhere else makes Undertow wake it for the next
     * request, which costs more than this hand-over (10,000 against 38,000 requests/s over 16
     * connections measured).
     */
    private void transmit(int status, List<ByteBuffer> payload, Runnable sent) {
        boolean lingers = !exchange.isRequestComplete();
        if (lingers) {
            exchange.setPersistent(false);
        }
        if (exchange.getRequestMethod().equals(Methods.HEAD)) {
            end(status, lingers);
            return;
        }
        try {
            new ReplyWriter(
                            exchange,
                            payload,
                            house.pace(),
                            failure -> {
                                if (failure == null) {
                                    sent.run();
                                    end(status, lingers);
                                } else {
                                    abort(failure);
                                }
                            })
                    .start();
        } catch (RuntimeException e) {
            refuse(e);
        }
    }

    private void end(int status, boolean lingers) {
        if (lingers) {
            Lingering.start(exchange, house.pace().progressNanos());
        }
        finish(status);
        exchange.endExchange();
    }

    /**
     * Answers with the refusal, or closes the connection when that is no longer possible. Any
     * thread of this conversation.
     */
    private void refuse(Throwable thrown) {
        Throwable cause =
                thrown instanceof CompletionException && thrown.getCause() != null
                        ? thrown.getCause()
                        : thrown;
        RequestStream body = bodyStream;
        if (cause instanceof ClientGoneException closed) {
            abort(closed);
            return;
        }
        if (cause instanceof CancellationException) {
            abort(new ClientGoneException("the client left while its query ran"));
            return;
        }
        ResponseStream reply = replyStream;
        IOException gone = body != null ? body.failure() : reply != null ? reply.failure() : null;
        if (gone != null) {
            abort(gone);
            return;
        }
        ServiceException refusal;
        if (cause instanceof ServiceException known) {
            refusal = known;
        } else {
            RequestLog.fault(requestId, cause);
            refusal =
                    new ServiceException(
                            ErrorCode.INTERNAL,
                            "the server failed; its log has the reason under this request id");
        }
        if (exchange.isResponseStarted()) {
            abort(
                    new ClientGoneException(
                            "failed after the headers: " + refusal.code().wireName()));
            return;
        }
        try {
            answerRefusal(refusal);
        } catch (Throwable e) {
            RequestLog.fault(requestId, e);
            abort(new ClientGoneException("the refusal could not be sent"));
        }
    }

    private void answerRefusal(ServiceException refusal) throws IOException {
        headers.refuse(refusal, gate);
        if (refusal.code() == ErrorCode.UNAUTHORIZED) {
            RequestLog.refusedCredential(requestId, refusal.getMessage());
        }
        if (refusal.code() == ErrorCode.SHUTTING_DOWN) {
            exchange.setPersistent(false);
        }
        whole(ErrorStatus.of(refusal.code()), ErrorBody.render(refusal, requestId), Map.of());
    }

    /** Closes the connection, so that nothing that was cut can look whole. */
    private void abort(IOException cause) {
        RequestLog.aborted(requestId, String.valueOf(cause.getMessage()));
        finish(0);
        IoUtils.safeClose(exchange.getConnection());
    }

    private void finish(int status) {
        if (!finished.compareAndSet(false, true)) {
            return;
        }
        Route route = gate.route;
        String path = route == null ? null : route.path();
        house.counters().count(path == null ? "unknown" : path, status);
        RequestLog.write(
                requestId,
                gate.caller == null ? null : gate.caller.actor(),
                gate.graphId,
                exchange.getRequestMethod().toString(),
                path,
                status,
                TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - startNanos));
        house.present().decrementAndGet();
        lease.close();
    }

    private boolean onIoThread() {
        return exchange.isInIoThread();
    }
}
