package service.http.server;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.http.error.ErrorBody;
import service.http.route.Answer;
import service.http.stream.ResponseStream;

/**
 * Server-sent events: what there is, then nothing until there is more. While it is idle it is a future and a timer; a
 * thread runs only while something is written. One of them at a time: each step ends by arming the next.
 */
final class LiveStream {
    /** How long a connection may look dead. */
    private static final long COMMENT_SECONDS = 15;

    private final ServerContext context;
    private final Answer.EventSource source;
    private final ResponseStream body;
    private final String requestId;
    private final Consumer<@Nullable Throwable> ended;

    /**
     * Prepares a stream.
     *
     * @param ended called once: with null when the body is finished, else with what broke it
     */
    LiveStream(
            ServerContext context,
            Answer.EventSource source,
            ResponseStream body,
            String requestId,
            Consumer<@Nullable Throwable> ended) {
        this.context = context;
        this.source = source;
        this.body = body;
        this.requestId = requestId;
        this.ended = ended;
    }

    /** On a thread for streams. */
    void run() {
        CompletableFuture<Boolean> news = null;
        try {
            if (!context.draining().get()) {
                news = source.write(body, refusal -> ErrorBody.render(refusal, requestId));
                body.push();
            }
            if (news == null) {
                body.finish();
                ended.accept(null);
                return;
            }
            if (!context.consumers().enter(news)) {
                throw new ServiceException(ErrorCode.TOO_MANY_REQUESTS, "too many consumers wait; try again later");
            }
            if (context.draining().get()) {
                news.complete(false);
            }
            idle(news);
        } catch (Throwable e) {
            fail(news, e);
        }
    }

    private void idle(CompletableFuture<Boolean> news) {
        var unused = news.copy()
                .completeOnTimeout(false, COMMENT_SECONDS, TimeUnit.SECONDS)
                .whenComplete((moved, failure) -> context.threads().streams().execute(() -> beat(news)));
    }

    private void beat(CompletableFuture<Boolean> news) {
        if (news.isDone()) {
            run();
            return;
        }
        try {
            source.writeComment(body);
            body.push();
            idle(news);
        } catch (IOException | RuntimeException e) {
            fail(news, e);
        }
    }

    private void fail(@Nullable CompletableFuture<Boolean> news, Throwable cause) {
        if (news != null) {
            news.complete(false);
        }
        ended.accept(cause);
    }
}
