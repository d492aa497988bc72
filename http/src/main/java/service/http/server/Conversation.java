package service.http.server;

import io.undertow.io.IoCallback;
import io.undertow.io.Sender;
import io.undertow.server.HttpServerExchange;
import io.undertow.server.protocol.http.HttpContinue;
import io.undertow.util.Methods;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.xnio.IoUtils;
import service.core.budget.NoWaiting;
import service.core.budget.RequestBudget;
import service.core.error.ErrorCode;
import service.core.error.Reason;
import service.core.error.ServiceException;
import service.http.error.ErrorBody;
import service.http.error.ErrorStatus;
import service.http.limit.Limit;
import service.http.limit.Limits;
import service.http.limit.Refusals;
import service.http.observe.Observation;
import service.http.observe.RequestLog;
import service.http.observe.SlowQueryLog;
import service.http.route.Answer;
import service.http.route.BodyRule;
import service.http.route.Call;
import service.http.route.Media;
import service.http.route.MinimumCommit;
import service.http.route.Route;
import service.http.stream.BodyReader;
import service.http.stream.ClientGoneException;
import service.http.stream.GunzipStream;
import service.http.stream.IoTimer;
import service.http.stream.RequestStream;
import service.http.stream.ResponseStream;

/**
 * One request from its headers to the end of its response.
 *
 * <p>The steps run on these threads: the checks and the reading of a buffered body on the I/O thread; the handler on a
 * worker thread, or on the I/O thread when the call is brief, because changing the thread costs more than a short read;
 * the answer of a write on the I/O thread after its commit, and no thread waits for the commit. One thread works at a
 * time, and each change of thread is a happens-before edge. All steps run after Undertow's own call has returned, so
 * that only this class ends the exchange.
 *
 * <p>Invariant: either a complete response is sent, or the connection is closed. {@link #finish} has an effect once.
 */
final class Conversation implements Reply.Ending {
    /** The time of {@code Retry-After}, which the client of a refusal is asked to wait. */
    private static final long REPEATED_DELAY_MILLIS = 1_000;

    private final ServerContext context;
    private final HttpServerExchange exchange;
    private final long startNanos = System.nanoTime();
    private final AtomicBoolean finished = new AtomicBoolean();
    private final String requestId;
    private final RequestChecks checks;
    private final AnswerHeaders headers;
    private final AdmissionTicket ticket;
    private final Reply reply;
    private final RequestBudget budget;
    private final ReadInterest reading;

    private @Nullable RequestStream bodyStream;
    private Call.Body body = Call.Body.NONE;
    private @Nullable MinimumCommit minimumCommit;

    Conversation(ServerContext context, HttpServerExchange exchange) {
        this.context = context;
        this.exchange = exchange;
        requestId = context.ids().of(exchange.getRequestHeaders().getFirst(AnswerHeaders.REQUEST_ID));
        checks = new RequestChecks(context, exchange);
        headers = new AnswerHeaders(exchange.getResponseHeaders());
        ticket = new AdmissionTicket(context.capacity().admission(), ParseRefusals.seat(exchange));
        ClientWatch client = new ClientWatch(exchange, startNanos);
        budget = context.capacity().process().open(client);
        reply = new Reply(context, exchange, ticket, budget, this);
        reading = new ReadInterest(exchange, client);
    }

    /** Runs the first steps. Call it on the I/O thread. */
    void begin() {
        assert exchange.isInIoThread() : "a request was parsed on " + Thread.currentThread();
        context.lifecycle().present().incrementAndGet();
        headers.begin(requestId);
        step(() -> {
            if (checks.begin()) {
                admit();
            } else {
                verify();
            }
        });
    }

    private interface Step {
        void run() throws Exception;
    }

    /** Runs a step of this conversation; what it throws is the answer. */
    private void step(Step step) {
        try {
            step.run();
        } catch (Throwable e) {
            refuse(e);
        }
    }

    /** Verifies the signature of the credential on another thread, and then continues here. */
    private void verify() {
        boolean isTaken = context.capacity()
                .verifications()
                .submit(
                        ticket.address(),
                        checks::authenticate,
                        thrown -> onIoThread(() -> {
                            if (thrown == null) {
                                admit();
                            } else {
                                refuse(thrown);
                            }
                        }));
        if (!isTaken) {
            throw ServiceException.of(
                    ErrorCode.TOO_MANY_REQUESTS,
                    Reason.UNVERIFIED_TOKENS,
                    "too many credentials of this address wait to be verified; try again in a second");
        }
    }

    private void onIoThread(Runnable step) {
        try {
            exchange.getIoThread().execute(step);
        } catch (RejectedExecutionException stopped) {
            // The server has stopped and closed the connection.
        }
    }

    private void admit() {
        try {
            RequestChecks.Passed passed = checks.pass();
            headers.deprecate(passed);
            reply.represent(passed.form());
            ticket.admit(passed, exchange.getRequestContentLength());
            ticket.charge(budget);
            if (checks.body.expectsContinue()) {
                sendContinue(passed);
            } else {
                receive(passed);
            }
        } catch (Throwable e) {
            if (ticket.isCrowded()) {
                exchange.setPersistent(false);
            }
            if (ticket.isRepeated()) {
                refuseLater(e);
            } else {
                refuse(e);
            }
        }
    }

    /** Holds the connection of an actor that sends again at once, without a thread. */
    private void refuseLater(Throwable e) {
        try {
            IoTimer.after(exchange.getIoThread(), () -> refuse(e), REPEATED_DELAY_MILLIS, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException stopping) {
            refuse(e);
        }
    }

    private void sendContinue(RequestChecks.Passed passed) {
        HttpContinue.sendContinueResponse(exchange, new IoCallback() {
            @Override
            public void onComplete(HttpServerExchange ignored, Sender sender) {
                step(() -> receive(passed));
            }

            @Override
            public void onException(HttpServerExchange ignored, Sender sender, IOException cause) {
                abort(cause);
            }
        });
    }

    private void receive(RequestChecks.Passed passed) {
        if (passed.route().input().body().buffered() && checks.body.hasBody()) {
            readBody(passed);
        } else {
            enqueue(passed, Call.Body.NONE);
        }
    }

    private void readBody(RequestChecks.Passed passed) {
        Limits limits = context.capacity().limits();
        int bytesMax = Math.toIntExact(passed.route().input().body().bytesMax(limits));
        BodyReader.Done done = new BodyReader.Done() {
            @Override
            public void complete(byte[] bytes, int length) {
                step(() -> {
                    ticket.countWrite(length);
                    enqueue(passed, Call.Body.buffered(bytes, length, limits.get(Limit.REQUEST_BYTES_MAX)));
                });
            }

            @Override
            public void failed(Exception cause) {
                refuse(cause);
            }
        };
        new BodyReader(exchange, bytesMax, context.capacity().deadlines(), budget.memory(), done).start();
    }

    private void enqueue(RequestChecks.Passed passed, Call.Body buffered) {
        Route route = passed.route();
        Route.Input input = route.input();
        Observation observation = context.observed().observation();
        if (observation.logsSlowQueries()) {
            budget.report(
                    new SlowQueryLog(requestId, checks.graphId, route.endpoint().path(), observation.slowNanos()));
        }
        body = buffered;
        if (input.body() == BodyRule.NDJSON) {
            long bytesMax = input.body().bytesMax(context.capacity().limits());
            RequestStream stream =
                    new RequestStream(exchange, bytesMax, context.capacity().deadlines(), ticket::countWrite);
            bodyStream = stream;
            body = Call.Body.streamed(checks.body.isBodyCompressed() ? new GunzipStream(stream, bytesMax) : stream);
        }
        Call call = new Call(
                context.content().cluster(),
                passed.access(),
                passed.rights(),
                route,
                new Call.RequestLine(
                        exchange.getRequestMethod().equals(Methods.HEAD), passed.segments(), checks.parameters(input)),
                new Call.RequestHeaders(passed.form(), checks.condition(input), checks.key(route), checks::header),
                body,
                budget);
        minimumCommit = checks.minimumCommit(route);
        boolean brief = body.stream() == null
                && route.brief().test(call)
                && (call.graph() == null || context.threads().guard().isOpen(startNanos));
        if (ticket.start(() -> handOver(call, brief))) {
            if (brief && exchange.isInIoThread()) {
                work(call);
            } else {
                handOver(call, brief);
            }
        }
    }

    /**
     * Passes the call to its thread and never runs it here. A waiting request is started by the end of another request;
     * if it ran there, a thousand waiting requests would overflow the stack of the I/O thread.
     */
    private void handOver(Call call, boolean brief) {
        Executor thread = brief ? exchange.getIoThread() : context.threads().workers();
        try {
            thread.execute(() -> work(call));
        } catch (RejectedExecutionException stopped) {
            // The server has stopped and closed the connection.
        }
    }

    private void work(Call call) {
        try {
            send(exchange.isInIoThread() ? context.threads().guard().call(() -> answer(call)) : answer(call));
        } catch (NoWaiting.WouldWaitException e) {
            handOver(call, false);
        } catch (Throwable e) {
            refuse(e);
        }
    }

    private Answer answer(Call call) throws Exception {
        return MinimumCommit.answer(call, minimumCommit);
    }

    void send(Answer answer) throws Exception {
        switch (answer) {
            case Answer.Whole whole ->
                reply.whole(whole.status(), whole.media(), whole.body().pieces(reply.int64()), whole.headers());
            case Answer.Kept kept -> reply.kept(kept);
            case Answer.Streamed streamed -> {
                if (streamed.length() < 0) {
                    headers.passUnbuffered();
                }
                reply.streamed(streamed);
            }
            case Answer.Status status -> send(Answer.json(json -> ServerStatus.write(json, context, status)));
            case Answer.Async<?> async -> async(async);
            case Answer.LongPoll poll -> new WaitingPoll(context, exchange, ticket, reading, this, poll).start();
            case Answer.Events events -> events(events);
        }
    }

    /**
     * Watches the credential of a request that waits for commits; null where there is none that could end.
     *
     * @param waiting is ended with it
     */
    CredentialWatch.@Nullable Watched watch(CredentialWatch.Waiting waiting) {
        BooleanSupplier standing = checks.standing();
        return standing == null ? null : context.access().watch().add(standing, waiting);
    }

    private void events(Answer.Events events) throws IOException {
        reply.contentType(Media.EVENTS);
        headers.passUnbuffered();
        boolean isHead = exchange.getRequestMethod().equals(Methods.HEAD);
        if (!isHead) {
            ticket.requireWait(context.capacity().consumers());
            ticket.openStream();
        }
        ResponseStream body = reply.open();
        if (isHead) {
            body.finish(reply::ended);
            return;
        }
        LiveStream live = new LiveStream(context, ticket, events.source(), body, reading, requestId);
        CredentialWatch.Watched watched = watch(live);
        live.start(failure -> {
            if (watched != null) {
                watched.close();
            }
            if (failure == null) {
                reply.ended(null);
            } else {
                refuse(failure);
            }
        });
    }

    void workLater(Callable<Answer> work) {
        context.threads().workers().execute(() -> step(() -> send(work.call())));
    }

    private <T> void async(Answer.Async<T> async) {
        var unused = async.outcome()
                .whenComplete((value, failure) -> exchange.getIoThread().execute(() -> settle(async, value, failure)));
    }

    private <T> void settle(Answer.Async<T> async, T value, @Nullable Throwable failure) {
        if (failure != null) {
            refuse(failure);
        } else {
            step(() -> send(async.then().apply(value)));
        }
    }

    /**
     * Answers with a refusal, or closes the connection when the response has begun. Runs on the current thread of this
     * conversation.
     */
    @Override
    public void refuse(Throwable thrown) {
        Throwable cause =
                thrown instanceof CompletionException && thrown.getCause() != null ? thrown.getCause() : thrown;
        RequestStream body = bodyStream;
        if (cause instanceof ClientGoneException closed) {
            abort(closed);
            return;
        }
        if (cause instanceof CancellationException) {
            abort(new ClientGoneException("the client left while its query ran"));
            return;
        }
        IOException gone = body != null ? body.failure() : reply.failure();
        if (gone != null) {
            abort(gone);
            return;
        }
        ServiceException refusal = Failure.refusal(
                cause, requestId, checks.graphId, context.content().cluster());
        if (exchange.isResponseStarted()) {
            abort(new ClientGoneException(
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
        headers.refuse(refusal, checks);
        if (refusal.code() == ErrorCode.UNAUTHORIZED) {
            Throwable reason = refusal.getCause() == null ? refusal : refusal.getCause();
            RequestLog.refusedCredential(requestId, String.valueOf(reason.getMessage()));
        }
        if (refusal.code() == ErrorCode.OVERLOADED) {
            context.capacity().admission().refusals().count(Refusals.Cause.OVERLOADED);
        }
        if (refusal.code() == ErrorCode.SHUTTING_DOWN) {
            exchange.setPersistent(false);
        }
        byte[] body = ErrorBody.render(refusal, requestId, reply.int64());
        reply.whole(ErrorStatus.of(refusal.code()), Media.JSON, List.of(ByteBuffer.wrap(body)), Map.of());
    }

    /** Closes the connection, so that a partial response cannot look complete. */
    @Override
    public void abort(IOException cause) {
        RequestLog.aborted(requestId, String.valueOf(cause.getMessage()));
        finish(0);
        IoUtils.safeClose(exchange.getConnection());
    }

    @Override
    public void finish(int status) {
        if (!finished.compareAndSet(false, true)) {
            return;
        }
        Route route = checks.route;
        String path = route == null ? null : route.endpoint().path();
        long nanos = System.nanoTime() - startNanos;
        context.observed().finished(exchange.getRequestMethod().toString(), path, status, nanos);
        RequestLog.finished(new RequestLog.Finished(
                requestId,
                checks.credential == null ? null : checks.credential.actor(),
                checks.credential == null ? null : checks.credential.tokenId(),
                checks.graphId,
                exchange.getRequestMethod().toString(),
                path,
                status,
                TimeUnit.NANOSECONDS.toMicros(nanos)));
        context.lifecycle().present().decrementAndGet();
        body.release();
        budget.close();
        ticket.close();
    }
}
