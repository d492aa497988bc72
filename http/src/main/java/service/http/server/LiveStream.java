package service.http.server;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.http.error.ErrorBody;
import service.http.route.Answer;
import service.http.stream.ResponseStream;

/**
 * A response of server-sent events. It writes the available events, then is idle until the next commit. While idle it
 * counts as a waiting consumer and holds no thread and no buffer; while it writes it holds a stream place. Thread rule:
 * one thread at a time.
 */
final class LiveStream implements Heartbeats.Idle {
    private final ServerContext context;
    private final AdmissionTicket ticket;
    private final Answer.EventSource source;
    private final ResponseStream body;
    private final String requestId;
    private final Consumer<@Nullable Throwable> ended;
    private @Nullable CompletableFuture<Boolean> news;

    /**
     * Creates a stream; {@link #run} begins to write.
     *
     * @param ticket holds a stream place
     * @param ended called once: with null when the body is complete, otherwise with the failure
     */
    LiveStream(
            ServerContext context,
            AdmissionTicket ticket,
            Answer.EventSource source,
            ResponseStream body,
            String requestId,
            Consumer<@Nullable Throwable> ended) {
        this.context = context;
        this.ticket = ticket;
        this.source = source;
        this.body = body;
        this.requestId = requestId;
        this.ended = ended;
    }

    /** Writes the available events. Runs on a thread that may block. */
    void run() {
        try {
            news = null;
            CompletableFuture<Boolean> next = null;
            if (!context.isDraining()) {
                next = source.write(body, refusal -> ErrorBody.render(refusal, requestId));
                news = next;
                body.push();
            }
            if (next == null) {
                body.finish();
                ended.accept(null);
                return;
            }
            if (!context.capacity().consumers().enter(next)) {
                throw new ServiceException(ErrorCode.TOO_MANY_REQUESTS, "too many consumers wait; try again later");
            }
            if (context.isDraining()) {
                next.complete(false);
            }
            ticket.pauseStream();
            context.heartbeats().await(next, this);
        } catch (Throwable e) {
            fail(e);
        }
    }

    @Override
    public void hand(Runnable work) {
        ticket.resumeStream(() -> {
            try {
                context.threads().streams().execute(work);
            } catch (RejectedExecutionException stopped) {
                // The server has closed the connection.
            }
        });
    }

    @Override
    public boolean beat() {
        try {
            source.writeComment(body);
            body.push();
            ticket.pauseStream();
            return true;
        } catch (IOException | RuntimeException e) {
            fail(e);
            return false;
        }
    }

    @Override
    public void wake() {
        run();
    }

    private void fail(Throwable cause) {
        CompletableFuture<Boolean> waitsFor = news;
        if (waitsFor != null) {
            waitsFor.complete(false);
        }
        ended.accept(cause);
    }
}
