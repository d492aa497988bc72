package service.connect;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The requests of a connector to one branch. One thread sends them; any other thread may call {@link #close()}, which
 * ends the request that is under way.
 *
 * <p>Every method throws {@link ServerRefusal} for an answer that is no success, and another {@link IOException} where
 * there is no answer, or no byte of it for a minute.
 */
final class GraphClient implements AutoCloseable {
    private static final Duration CONNECT = Duration.ofSeconds(10);
    private static final int ERROR_BYTES_MAX = 64 * 1024;
    private static final int OK = 200;

    /** A string of JSON may be a blob of a baseline, which has 32 MiB in base64. */
    private static final int STRING_MAX = 256 * 1024 * 1024;

    /** Reads answers. */
    static final ObjectMapper JSON = new ObjectMapper(JsonFactory.builder()
            .streamReadConstraints(
                    StreamReadConstraints.builder().maxStringLength(STRING_MAX).build())
            .build());

    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(CONNECT)
            .build();
    private final String server;
    private final String graph;
    private final String branch;
    private final @Nullable String token;
    private final Duration patience;
    private volatile @Nullable CompletableFuture<?> underWay;
    private volatile boolean closed;

    /** @param patience how long an answer may take, and then each part of a stream */
    GraphClient(GraphSourceConfig config, Duration patience) {
        this.server = config.server();
        this.graph = config.graph();
        this.branch = config.branch();
        this.token = config.token();
        this.patience = patience;
    }

    /** The schema of the head. */
    JsonNode catalogOfHead() throws IOException {
        return get("catalog?branch=" + encoded(branch));
    }

    /** The schema of the state after a commit. */
    JsonNode catalogAt(String commit) throws IOException {
        return get("catalog?snapshot=" + encoded(commit));
    }

    /** A commit. */
    JsonNode commit(String commit) throws IOException {
        return get("commits/" + encoded(commit));
    }

    /** The branch. */
    JsonNode branch() throws IOException {
        return get("branches/" + encoded(branch));
    }

    /**
     * Commits of the branch, newest first.
     *
     * @param before the commit after them
     * @param filter further parameters, each with a leading {@code &}; may be empty
     */
    JsonNode commitsBefore(String before, int limit, String filter) throws IOException {
        return get("commits?branch=" + encoded(branch) + "&limit=" + limit + "&before=" + encoded(before) + filter);
    }

    /** A page of the feed from now on, which has a cursor. */
    JsonNode changesFromNow() throws IOException {
        return get("changes?start=now&branch=" + encoded(branch));
    }

    /**
     * A page of the feed.
     *
     * @param place a cursor, or the token of a page
     * @param waitSeconds how long the server waits for a commit, with a cursor
     */
    JsonNode changes(Position.Place place, int limit, int waitSeconds) throws IOException {
        String from = place.isPage()
                ? "page_token=" + encoded(place.token())
                : "cursor=" + encoded(place.token()) + "&wait=" + waitSeconds;
        return get("changes?limit=" + limit + "&branch=" + encoded(branch) + "&" + from);
    }

    /** The entities of the head and a cursor, as lines. */
    Baseline baseline() throws IOException {
        String body = JSON.createObjectNode().put("branch", branch).toString();
        InputStream stream = send(request("changes/baseline")
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(body)));
        return new Baseline(new PatientStream(stream, patience));
    }

    private JsonNode get(String path) throws IOException {
        try (InputStream body = new PatientStream(send(request(path).GET()), patience);
                JsonParser parser = JSON.createParser(body)) {
            JsonNode answer = JSON.readTree(parser);
            return answer == null ? MissingNode.getInstance() : answer;
        }
    }

    private HttpRequest.Builder request(String path) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(server + "/graphs/" + encoded(graph) + "/" + path));
        if (token != null) {
            request.header("Authorization", "Bearer " + token);
        }
        return request;
    }

    private InputStream send(HttpRequest.Builder request) throws IOException {
        if (closed) {
            throw new IOException("the task is stopped");
        }
        CompletableFuture<HttpResponse<InputStream>> answer =
                http.sendAsync(request.build(), BodyHandlers.ofInputStream());
        underWay = answer;
        if (closed) {
            answer.cancel(true);
        }
        try {
            HttpResponse<InputStream> response = answer.get(patience.toMillis(), TimeUnit.MILLISECONDS);
            if (response.statusCode() != OK) {
                throw refusal(response);
            }
            return response.body();
        } catch (InterruptedException e) {
            answer.cancel(true);
            Thread.currentThread().interrupt();
            throw new IOException("the task is stopped", e);
        } catch (CancellationException e) {
            throw new IOException("the task is stopped", e);
        } catch (TimeoutException e) {
            answer.cancel(true);
            throw new IOException("no answer for " + patience.toSeconds() + " s", e);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            throw new IOException(
                    cause == null || cause.getMessage() == null ? "no connection" : cause.getMessage(), e);
        } finally {
            underWay = null;
        }
    }

    private ServerRefusal refusal(HttpResponse<InputStream> response) throws IOException {
        long retryAfter = response.headers()
                .firstValue("Retry-After")
                .filter(value -> value.matches("[0-9]{1,6}"))
                .map(seconds -> TimeUnit.SECONDS.toMillis(Long.parseLong(seconds)))
                .orElse(0L);
        byte[] body;
        try (InputStream stream = new PatientStream(response.body(), patience)) {
            body = stream.readNBytes(ERROR_BYTES_MAX);
        }
        JsonNode error;
        try {
            error = JSON.readTree(body);
        } catch (IOException e) {
            // A proxy answers with a page of HTML.
            error = MissingNode.getInstance();
        }
        String message = error.path("error").asText();
        return new ServerRefusal(
                response.statusCode(),
                error.path("code").asText(),
                error.path("reason").asText(),
                message.isEmpty() ? "the answer is " + response.statusCode() : message,
                retryAfter);
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    /** Ends the request that is under way; later ones fail. */
    @Override
    public void close() {
        closed = true;
        CompletableFuture<?> answer = underWay;
        if (answer != null) {
            answer.cancel(true);
        }
    }
}
