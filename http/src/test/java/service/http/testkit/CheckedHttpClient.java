package service.http.testkit;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Authenticator;
import java.net.CookieHandler;
import java.net.ProxySelector;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.PushPromiseHandler;
import java.net.http.HttpResponse.ResponseInfo;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;

/**
 * The HTTP/1.1 client of all tests. It compares every complete answer with {@code openapi.json} and fails the request
 * with an {@link AssertionError} that names the differences. A body that the test reads as a stream fails while it is
 * read, with the error as its cause. Any thread.
 */
public final class CheckedHttpClient extends HttpClient {
    /** Longer bodies are checked without their content: the same records again would find nothing new. */
    private static final int BODY_BYTES_MAX = 4 << 20;

    private static final Duration CLOSE_WAIT = Duration.ofSeconds(10);

    private final HttpClient client;

    private CheckedHttpClient(HttpClient client) {
        this.client = client;
    }

    /** A new client. */
    public static HttpClient create() {
        return new CheckedHttpClient(newBuilder().version(Version.HTTP_1_1).build());
    }

    /** Hands the body on, and compares the answer when it is complete, or event by event. */
    private static final class Recorder<T> implements BodySubscriber<T> {
        private final HttpRequest request;
        private final ResponseInfo info;
        private final BodySubscriber<T> receiver;
        private final boolean ofEvents;
        private @Nullable ByteArrayOutputStream body = new ByteArrayOutputStream();
        private Flow.@Nullable Subscription subscription;
        private @Nullable Throwable difference;

        Recorder(HttpRequest request, ResponseInfo info, BodySubscriber<T> receiver) {
            this.request = request;
            this.info = info;
            this.receiver = receiver;
            ofEvents = info.headers().firstValue("Content-Type").orElse("").equals("text/event-stream");
        }

        @Override
        public CompletionStage<T> getBody() {
            return receiver.getBody();
        }

        @Override
        public void onSubscribe(Flow.Subscription given) {
            subscription = given;
            receiver.onSubscribe(given);
        }

        @Override
        public void onNext(List<ByteBuffer> pieces) {
            pieces.forEach(this::keep);
            if (ofEvents) {
                compareEvents();
            }
            Throwable found = difference;
            if (found == null) {
                receiver.onNext(pieces);
            } else if (subscription != null) {
                subscription.cancel();
                receiver.onError(found);
            }
        }

        private void keep(ByteBuffer piece) {
            ByteArrayOutputStream kept = body;
            if (kept == null || kept.size() + piece.remaining() > BODY_BYTES_MAX) {
                body = null;
                return;
            }
            byte[] bytes = new byte[piece.remaining()];
            piece.duplicate().get(bytes);
            kept.writeBytes(bytes);
        }

        /** Compares the complete lines. A stream of events seldom ends. */
        private void compareEvents() {
            ByteArrayOutputStream kept = body;
            if (kept == null) {
                return;
            }
            byte[] bytes = kept.toByteArray();
            int end = bytes.length;
            while (end > 0 && bytes[end - 1] != '\n') {
                end--;
            }
            compare(Arrays.copyOf(bytes, end));
            kept.reset();
            kept.write(bytes, end, bytes.length - end);
        }

        private void compare(byte @Nullable [] received) {
            try {
                CheckedHttpClient.compare(request, info, received);
            } catch (AssertionError e) {
                difference = e;
            }
        }

        @Override
        public void onError(Throwable failure) {
            receiver.onError(failure);
        }

        @Override
        public void onComplete() {
            ByteArrayOutputStream kept = body;
            compare(kept == null ? null : kept.toByteArray());
            Throwable found = difference;
            if (found == null) {
                receiver.onComplete();
            } else {
                receiver.onError(found);
            }
        }
    }

    private static void compare(HttpRequest request, ResponseInfo info, byte @Nullable [] body) {
        String query = request.uri().getRawQuery();
        AnswerCheck.check(
                request.method(),
                request.uri().getRawPath() + (query == null ? "" : "?" + query),
                new AnswerCheck.Received(info.statusCode(), info.headers().map(), body));
    }

    /** Compares status and headers at once, because a stream may be left before its end. */
    private static <T> BodyHandler<T> recording(HttpRequest request, BodyHandler<T> handler) {
        return info -> {
            compare(request, info, null);
            return new Recorder<>(request, info, handler.apply(info));
        };
    }

    @Override
    public <T> HttpResponse<T> send(HttpRequest request, BodyHandler<T> handler)
            throws IOException, InterruptedException {
        try {
            return client.send(request, recording(request, handler));
        } catch (IOException e) {
            AssertionError difference = difference(e);
            if (difference != null) {
                throw difference;
            }
            throw e;
        }
    }

    /** The error of the comparison that a failure was caused by, or null. */
    private static @Nullable AssertionError difference(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof AssertionError error) {
                return error;
            }
        }
        return null;
    }

    @Override
    public <T> CompletableFuture<HttpResponse<T>> sendAsync(HttpRequest request, BodyHandler<T> handler) {
        return client.sendAsync(request, recording(request, handler));
    }

    @Override
    public <T> CompletableFuture<HttpResponse<T>> sendAsync(
            HttpRequest request, BodyHandler<T> handler, @Nullable PushPromiseHandler<T> pushes) {
        return client.sendAsync(request, recording(request, handler), pushes);
    }

    @Override
    public Optional<CookieHandler> cookieHandler() {
        return client.cookieHandler();
    }

    @Override
    public Optional<Duration> connectTimeout() {
        return client.connectTimeout();
    }

    @Override
    public Redirect followRedirects() {
        return client.followRedirects();
    }

    @Override
    public Optional<ProxySelector> proxy() {
        return client.proxy();
    }

    @Override
    public SSLContext sslContext() {
        return client.sslContext();
    }

    @Override
    public SSLParameters sslParameters() {
        return client.sslParameters();
    }

    @Override
    public Optional<Authenticator> authenticator() {
        return client.authenticator();
    }

    @Override
    public Version version() {
        return client.version();
    }

    @Override
    public Optional<Executor> executor() {
        return client.executor();
    }

    @Override
    public void shutdown() {
        client.shutdown();
    }

    @Override
    public boolean awaitTermination(Duration duration) throws InterruptedException {
        return client.awaitTermination(duration);
    }

    @Override
    public boolean isTerminated() {
        return client.isTerminated();
    }

    @Override
    public void shutdownNow() {
        client.shutdownNow();
    }

    /**
     * Waits for what runs. A connection that the server has closed while a reader had left its body counts as running
     * for ever in the client of the JDK, so the wait has an end; what the server holds is checked elsewhere.
     */
    @Override
    public void close() {
        client.shutdown();
        try {
            if (!client.awaitTermination(CLOSE_WAIT)) {
                client.shutdownNow();
            }
        } catch (InterruptedException e) {
            client.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }
}
