package service.cli.client;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests to one server with the operator's token, and describes their failures. One request at a time; only
 * {@link #cancel} may be called by another thread.
 */
public final class ServerHttp implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);
    private static final int PRECONDITION_FAILED = 412;

    private final HttpClient http;
    private final URI base;
    private final @Nullable String token;
    private volatile boolean cancelled;

    /**
     * Addresses a server; connects on first use. Redirects are not followed, so that the token goes nowhere else.
     *
     * @param server base URL, such as {@code http://127.0.0.1:8080}
     * @param token bearer token, or null
     */
    public ServerHttp(URI server, @Nullable String token) {
        String url = server.toString();
        this.base = URI.create(url.endsWith("/") ? url : url + "/");
        this.token = token;
        this.http = client("https".equalsIgnoreCase(server.getScheme()));
    }

    /** Without TLS the client gets a context that trusts no server: reading the system's certificates takes 100 ms. */
    private static HttpClient client(boolean tls) {
        HttpClient.Builder builder =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(CONNECT_TIMEOUT);
        if (!tls) {
            try {
                SSLContext none = SSLContext.getInstance("TLS");
                none.init(null, new TrustManager[0], null);
                builder.sslContext(none);
            } catch (GeneralSecurityException e) {
                throw new IllegalStateException("this Java has no TLS", e);
            }
        }
        return builder.build();
    }

    /** The answer to {@code GET} of a path below the base, which must be an object. */
    public ObjectNode get(String path) {
        return object(request(path).GET());
    }

    HttpRequest.Builder request(String path) {
        HttpRequest.Builder request = HttpRequest.newBuilder(base.resolve(path));
        if (token != null) {
            request.header("Authorization", "Bearer " + token);
        }
        return request;
    }

    HttpRequest.Builder json(String path, ObjectNode body) {
        BodyPublisher publisher;
        try {
            publisher = BodyPublishers.ofByteArray(JSON.writeValueAsBytes(body));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
        return request(path).header("Content-Type", "application/json").POST(publisher);
    }

    ObjectNode object(HttpRequest.Builder request) {
        try (InputStream body = send(request).body()) {
            if (JSON.readTree(body) instanceof ObjectNode node) {
                return node;
            }
            throw failed(base + " answered with something else than an object");
        } catch (IOException e) {
            throw broken("the answer of " + base.getAuthority() + " broke off: " + e.getMessage());
        }
    }

    /** The answer to a request that must succeed. */
    HttpResponse<InputStream> send(HttpRequest.Builder request) {
        HttpResponse<InputStream> response = answer(request);
        if (response.statusCode() / 100 == 2) {
            return response;
        }
        throw failure(response);
    }

    /** The answer, whatever its status. */
    HttpResponse<InputStream> answer(HttpRequest.Builder request) {
        try {
            return http.send(request.build(), BodyHandlers.ofInputStream());
        } catch (ConnectException e) {
            throw broken("no server answers at " + base.getAuthority() + "; is it running?");
        } catch (IOException e) {
            throw broken("the connection to " + base.getAuthority() + " failed: " + reason(e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw CommandFailure.cancelled();
        }
    }

    private static String reason(IOException failure) {
        return failure.getMessage() == null ? failure.getClass().getSimpleName() : failure.getMessage();
    }

    /** The failure of a broken connection: cancelled by the user, or failed. */
    CommandFailure broken(String message) {
        return cancelled ? CommandFailure.cancelled() : CommandFailure.connectionLost(message);
    }

    private static CommandFailure failed(String message) {
        return new CommandFailure(CommandFailure.FAILED, message);
    }

    /** The failure that a refusal describes. */
    CommandFailure failure(HttpResponse<InputStream> response) {
        int exitCode =
                response.statusCode() == PRECONDITION_FAILED ? CommandFailure.PRECONDITION_LOST : CommandFailure.FAILED;
        String without = base.getAuthority()
                + " answered "
                + response.statusCode()
                + " without a reason; is it a service-server?";
        try (InputStream stream = response.body()) {
            JsonNode body = JSON.readTree(stream);
            return body instanceof ObjectNode object && object.has("error")
                    ? new CommandFailure(exitCode, object.get("error").asText(), object)
                    : new CommandFailure(exitCode, without);
        } catch (IOException e) {
            return new CommandFailure(exitCode, without);
        }
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
    static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
