package service.cli.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests to one server with the operator's token, and describes their failures. Thread rule: any number of
 * threads may send; {@link #cancel} may be called by any other thread.
 */
public final class ServerHttp implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);
    private static final int COPY_BYTES = 1 << 16;
    private static final int REDIRECTION = 300;
    private static final int BAD_REQUEST = 400;
    private static final int PRECONDITION_FAILED = 412;

    private final HttpClient http;
    private final URI base;
    private final @Nullable String token;
    private final boolean tls;
    private volatile boolean cancelled;

    /**
     * Addresses a server; connects on first use. Redirects are not followed, so that the token goes nowhere else.
     *
     * @param server base URL, such as {@code http://127.0.0.1:8080}
     * @param token bearer token, or null
     * @param authorities a PEM file with further authorities that sign certificates of servers, or null
     */
    public ServerHttp(URI server, @Nullable String token, @Nullable Path authorities) {
        String url = server.toString();
        this.base = URI.create(url.endsWith("/") ? url : url + "/");
        this.token = token;
        this.tls = "https".equalsIgnoreCase(server.getScheme());
        HttpClient.Builder builder =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(CONNECT_TIMEOUT);
        if (!tls) {
            builder.sslContext(ServerTrust.none());
        } else if (authorities != null) {
            builder.sslContext(ServerTrust.with(authorities));
        }
        this.http = builder.build();
    }

    /** The answer to {@code GET} of a path below the base, which must be an object. */
    public ObjectNode get(String path) {
        try (Answered answer = answer(request(path).GET())) {
            if (answer.status() < BAD_REQUEST) {
                return answer.object();
            }
            throw failure(answer);
        }
    }

    /** A graph of the server. The connection ends with the transport. */
    public Transport graph(String graphId) {
        return new OfGraph("graphs/" + encode(graphId));
    }

    private final class OfGraph implements Transport {
        private final String root;

        OfGraph(String root) {
            this.root = root;
        }

        @Override
        public Reply send(Request asked) {
            Answered answer = answer(built(asked, asked.method()));
            if (answer.status() < BAD_REQUEST) {
                return answer;
            }
            // An answer to HEAD has no body with the reason.
            throw failure(asked.method().equals("HEAD") ? answer(built(asked, "GET")) : answer);
        }

        private HttpRequest.Builder built(Request asked, String method) {
            if (asked.path().contains("")) {
                throw CommandFailure.usage("an argument is empty that names a commit, a branch, a tag or a query");
            }
            StringBuilder path = new StringBuilder(root);
            asked.path().forEach(segment -> path.append('/').append(encode(segment)));
            asked.parameters()
                    .forEach((name, values) -> values.forEach(value -> path.append(path.indexOf("?") < 0 ? '?' : '&')
                            .append(name)
                            .append('=')
                            .append(encode(value))));
            HttpRequest.Builder request = request(path.toString()).method(method, body(asked));
            asked.headers().forEach(request::header);
            Duration patience = asked.patience();
            if (patience != null) {
                request.timeout(patience);
            }
            return request;
        }

        private static BodyPublisher body(Request asked) {
            InputStream records = asked.records();
            if (records != null) {
                BodyPublisher body = BodyPublishers.ofInputStream(() -> records);
                // The HTTP client refuses to announce a body of length 0.
                return asked.recordsLength() > 0 ? BodyPublishers.fromPublisher(body, asked.recordsLength()) : body;
            }
            byte[] json = asked.json();
            return json == null ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(json);
        }

        @Override
        public void cancel() {
            ServerHttp.this.cancel();
        }

        @Override
        public void close() {
            ServerHttp.this.close();
        }
    }

    private HttpRequest.Builder request(String path) {
        HttpRequest.Builder request = HttpRequest.newBuilder(base.resolve(path));
        if (token != null) {
            request.header("Authorization", "Bearer " + token);
        }
        return request;
    }

    /** The answer, whatever its status. */
    private Answered answer(HttpRequest.Builder request) {
        try {
            return new Answered(http.send(request.build(), BodyHandlers.ofInputStream()));
        } catch (ConnectException e) {
            throw broken("no server answers at " + base.getAuthority() + "; is it running?");
        } catch (HttpConnectTimeoutException e) {
            throw broken("no server answers at " + base.getAuthority() + " within " + CONNECT_TIMEOUT.toSeconds()
                    + " s; is it running" + (tls ? ", and is https:// right?" : "?"));
        } catch (HttpTimeoutException e) {
            throw broken(base.getAuthority() + " has not answered in time");
        } catch (SSLException e) {
            throw cancelled ? CommandFailure.cancelled() : failed(ServerTrust.reason(base.getAuthority(), e));
        } catch (IOException e) {
            throw broken("the connection to " + base.getAuthority() + " failed: " + reason(e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw CommandFailure.cancelled();
        }
    }

    /** An answer of the server. */
    private final class Answered implements Transport.Reply {
        private final HttpResponse<InputStream> response;

        Answered(HttpResponse<InputStream> response) {
            this.response = response;
        }

        @Override
        public int status() {
            return response.statusCode();
        }

        @Override
        public String header(String name) {
            return response.headers().firstValue(name).orElse("");
        }

        @Override
        public ObjectNode object() {
            try {
                if (status() < REDIRECTION && JSON.readTree(response.body()) instanceof ObjectNode node) {
                    return node;
                }
            } catch (IOException e) {
                throw broken("the answer of " + base.getAuthority() + " broke off: " + e.getMessage());
            }
            if (status() >= REDIRECTION) {
                throw ProxyAnswer.redirection(base.getAuthority(), status(), header("Location"));
            }
            throw failed(base + " answered with something else than an object");
        }

        @Override
        public void copyTo(OutputStream into, String what) {
            byte[] buffer = new byte[COPY_BYTES];
            try (InputStream stream = response.body()) {
                for (int n = stream.read(buffer); n >= 0; n = stream.read(buffer)) {
                    write(into, buffer, n);
                }
            } catch (IOException e) {
                throw broken(
                        "the " + what + " broke off before its end; what was written is not whole: " + e.getMessage());
            }
        }

        private static void write(OutputStream into, byte[] bytes, int count) {
            try {
                into.write(bytes, 0, count);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void close() {
            try {
                response.body().close();
            } catch (IOException alreadyBroken) {
                // The answer was read, or its failure was reported.
            }
        }
    }

    private static String reason(IOException failure) {
        return failure.getMessage() == null ? failure.getClass().getSimpleName() : failure.getMessage();
    }

    /** The failure of a broken connection: cancelled by the user, or failed. */
    private CommandFailure broken(String message) {
        return cancelled ? CommandFailure.cancelled() : CommandFailure.connectionLost(message);
    }

    private static CommandFailure failed(String message) {
        return new CommandFailure(CommandFailure.FAILED, message);
    }

    /** The failure that a refusal describes. */
    private CommandFailure failure(Answered answer) {
        int exitCode =
                answer.status() == PRECONDITION_FAILED ? CommandFailure.PRECONDITION_LOST : CommandFailure.FAILED;
        try (InputStream stream = answer.response.body()) {
            JsonNode body = JSON.readTree(stream);
            if (body instanceof ObjectNode object && object.has("error") && object.has("code")) {
                return new CommandFailure(exitCode, object.get("error").asText(), object);
            }
        } catch (IOException e) {
            // It is no JSON.
        }
        return ProxyAnswer.failure(base.getAuthority(), answer.status(), tls);
    }

    /** Closes the connection, by which the server learns that the client does not wait any more. */
    public void cancel() {
        cancelled = true;
        http.shutdownNow();
    }

    @Override
    public void close() {
        http.close();
    }

    /** A text as one segment of a path, or one value of a query string. */
    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
