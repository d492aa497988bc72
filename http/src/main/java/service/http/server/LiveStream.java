package service.http.server;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import service.core.budget.NoWaiting;
import service.http.auth.Authenticator;
import service.http.error.ErrorBody;
import service.http.route.Answer.EventSource;
import service.http.route.Answer.EventSource.After;
import service.http.route.Answer.EventSource.Piece;
import service.http.stream.ClientGoneException;
import service.http.stream.ResponseStream;

/**
 * A response of server-sent events. It writes the available events, then is idle until the next commit. While idle it
 * counts as a waiting consumer and holds no thread and no buffer; while it writes it holds a stream place.
 *
 * <p>After a commit the I/O thread of the connection reads and sends the next piece: a thousand streams may be due at
 * once, most of them send the same few bytes, and another thread for each would cost more than that. A virtual thread
 * continues the stream where the piece takes long to read, is not the last one, or the socket is full. Thread rule: one
 * thread at a time.
 */
final class LiveStream implements Heartbeats.Idle, CredentialWatch.Waiting {
    /** Clients ignore it. */
    private static final byte[] COMMENT = ":\n\n".getBytes(StandardCharsets.US_ASCII);

    private final ServerContext context;
    private final AdmissionTicket ticket;
    private final EventSource source;
    private final ResponseStream body;
    private final ReadInterest reading;
    private final Executor ioThread;
    private final String requestId;
    private Consumer<@Nullable Throwable> ended = failure -> {};
    private volatile @Nullable CompletableFuture<Boolean> news;
    private volatile Heartbeats.@Nullable Wait wait;

    /** Whether the client has sent bytes, or has left, since the last {@link ReadInterest#isLeft}. */
    private volatile boolean heard;

    /** Whether the stream must end because its credential has. */
    private volatile boolean credentialEnded;

    /**
     * Creates a stream; {@link #start} begins to write.
     *
     * @param ticket holds a stream place
     */
    LiveStream(
            ServerContext context,
            AdmissionTicket ticket,
            EventSource source,
            ResponseStream body,
            ReadInterest reading,
            String requestId) {
        this.context = context;
        this.ticket = ticket;
        this.source = source;
        this.body = body;
        this.reading = reading;
        this.ioThread = reading.ioThread();
        this.requestId = requestId;
    }

    /**
     * Begins to write, on another thread.
     *
     * @param atEnd called once: on the I/O thread with null when the body is complete, otherwise with the failure
     */
    void start(Consumer<@Nullable Throwable> atEnd) {
        ended = atEnd;
        execute(ioThread, () -> reading.listen(this::hear));
        context.threads().streams().execute(this::run);
    }

    /** Writes the available events. Runs on a thread that may block. */
    private void run() {
        try {
            if (context.isDraining()) {
                end();
                return;
            }
            Piece piece = next();
            write(piece);
        } catch (Throwable e) {
            fail(e);
        }
    }

    private Piece next() throws IOException {
        EventSource.Refused bodies = refusal -> ErrorBody.render(refusal, requestId);
        return credentialEnded ? source.refuse(Authenticator.ended(), bodies) : source.next(bodies);
    }

    /** Writes what is left of a piece, and the pieces after it. */
    private void write(Piece begun) {
        try {
            Piece piece = begun;
            writeRest(piece);
            while (piece.after() == After.EVENTS) {
                piece = next();
                writeRest(piece);
            }
            body.push();
            if (piece.after() == After.END) {
                end();
            } else {
                await();
            }
        } catch (Throwable e) {
            fail(e);
        }
    }

    private void writeRest(Piece piece) throws IOException {
        try {
            body.write(piece.bytes());
        } finally {
            piece.sent().run();
        }
    }

    /**
     * On the I/O thread: the client has sent bytes or has left. The thread that works on the stream next checks which.
     */
    private void hear() {
        heard = true;
        Heartbeats.Wait present = wait;
        if (present != null) {
            context.heartbeats().beatNow(present);
        }
    }

    private void end() throws IOException {
        execute(ioThread, reading::endWatch);
        body.finish(ended::accept);
    }

    private void await() {
        CompletableFuture<Boolean> next = source.news();
        news = next;
        ticket.await(context.capacity().consumers(), next);
        if (context.isDraining() || credentialEnded) {
            next.complete(false);
        }
        ticket.pauseStream();
        Heartbeats.Wait begun = new Heartbeats.Wait(next, this);
        wait = begun;
        context.heartbeats().await(begun);
        if (heard) {
            context.heartbeats().beatNow(begun);
        }
    }

    @Override
    public void wake() {
        run();
    }

    @Override
    public void handNews() {
        ticket.resumeStream(() -> execute(ioThread, this::runBriefly));
    }

    /** Writes the next piece on the I/O thread, as far as nothing waits. */
    private void runBriefly() {
        IoThreadGuard guard = context.threads().guard();
        if (context.isDraining() || credentialEnded || !guard.isOpen(System.nanoTime())) {
            execute(context.threads().streams(), this::run);
            return;
        }
        Piece piece;
        try {
            piece = guard.call(this::next);
        } catch (NoWaiting.WouldWaitException e) {
            execute(context.threads().streams(), this::run);
            return;
        } catch (Throwable e) {
            fail(e);
            return;
        }
        offer(piece);
    }

    private void offer(Piece piece) {
        boolean isSent;
        try {
            isSent = piece.after() == After.NEWS && body.offer(piece.bytes());
        } catch (IOException | RuntimeException e) {
            piece.sent().run();
            fail(e);
            return;
        }
        if (isSent) {
            piece.sent().run();
            awaitBriefly();
        } else {
            execute(context.threads().streams(), () -> write(piece));
        }
    }

    private void awaitBriefly() {
        try {
            NoWaiting.call(() -> {
                await();
                return true;
            });
        } catch (NoWaiting.WouldWaitException e) {
            execute(context.threads().streams(), () -> {
                try {
                    await();
                } catch (Throwable failure) {
                    fail(failure);
                }
            });
        } catch (Throwable e) {
            fail(e);
        }
    }

    @Override
    public void hand(Runnable work) {
        ticket.resumeStream(() -> execute(context.threads().streams(), work));
    }

    @Override
    public boolean beat() {
        heard = false;
        if (reading.isLeft()) {
            fail(new ClientGoneException("the client left while it waited"));
            return false;
        }
        try {
            body.write(COMMENT);
            body.push();
            ticket.pauseStream();
            return true;
        } catch (IOException | RuntimeException e) {
            fail(e);
            return false;
        }
    }

    @Override
    public void expire() {
        credentialEnded = true;
        CompletableFuture<Boolean> waitsFor = news;
        if (waitsFor != null) {
            waitsFor.complete(false);
        }
    }

    /** Only the thread that writes may close the connection, so its write is made to fail. */
    @Override
    public void cut() {
        body.abort();
    }

    private static void execute(Executor thread, Runnable work) {
        try {
            thread.execute(work);
        } catch (RejectedExecutionException stopped) {
            // The server has closed the connection.
        }
    }

    private void fail(Throwable cause) {
        CompletableFuture<Boolean> waitsFor = news;
        if (waitsFor != null) {
            waitsFor.complete(false);
        }
        ended.accept(cause);
    }
}
