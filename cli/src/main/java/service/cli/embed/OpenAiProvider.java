package service.cli.embed;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A server that answers {@code POST …/embeddings}: {@code {"model","input":[text…]}} with {@code {"data":[{"index",
 * "embedding":[number…]}…]}}. Redirects are not followed, so that the key and the texts go nowhere else.
 */
final class OpenAiProvider implements EmbeddingCalls.Provider {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);
    private static final int OK = 200;

    /** Bytes of the answer for a component of a vector, and beside the vectors. */
    private static final int COMPONENT_BYTES_MAX = 48;

    private static final int FRAME_BYTES_MAX = 64 << 10;

    private final URI url;
    private final String model;
    private final @Nullable String key;

    /** Connects with the first call, so that a graph without one keeps no thread. */
    private @Nullable HttpClient http;

    OpenAiProvider(String baseUrl, String model, @Nullable String key) {
        this.url = URI.create(baseUrl + "/embeddings");
        this.model = model;
        this.key = key;
    }

    private synchronized HttpClient client() {
        if (http == null) {
            http = HttpClient.newBuilder()
                    .version(HttpClient.Version.HTTP_1_1)
                    .followRedirects(HttpClient.Redirect.NEVER)
                    .connectTimeout(CONNECT_TIMEOUT)
                    .build();
        }
        return http;
    }

    @Override
    public CompletableFuture<List<float[]>> call(List<String> texts, int dimension) {
        ObjectNode body = JSON.createObjectNode().put("model", model);
        texts.forEach(body.putArray("input")::add);
        HttpRequest.Builder request;
        try {
            request = HttpRequest.newBuilder(url).header("Content-Type", "application/json");
            if (key != null) {
                request.header("Authorization", "Bearer " + key);
            }
        } catch (IllegalArgumentException unsendable) {
            // The message of the exception has the key.
            return CompletableFuture.failedFuture(new ProviderFailure("has a key that no header can carry"));
        }
        long bytesMax = (long) FRAME_BYTES_MAX + (long) texts.size() * dimension * COMPONENT_BYTES_MAX;
        // The HTTP client ends the exchange when a future is cancelled that derives from its own.
        return client().sendAsync(
                        request.POST(BodyPublishers.ofString(body.toString())).build(),
                        answered -> new BoundedBody(bytesMax))
                .thenApply(answer -> vectors(answer, texts.size(), dimension));
    }

    private static String meaning(int status) {
        return switch (status) {
            case 301, 302, 303, 307, 308 -> ", a redirect, which is not followed";
            case 401, 403 -> ", so it does not take the key";
            case 404 -> ", so `base_url` or the model is another one";
            case 429 -> ", so it has too many requests";
            default -> "";
        };
    }

    private static List<float[]> vectors(HttpResponse<byte[]> answer, int count, int dimension) {
        if (answer.statusCode() != OK) {
            throw new ProviderFailure("answered " + answer.statusCode() + meaning(answer.statusCode()));
        }
        JsonNode data;
        try {
            data = JSON.readTree(answer.body()).path("data");
        } catch (IOException e) {
            throw new ProviderFailure("answered something else than JSON");
        }
        float[][] vectors = new float[count][];
        for (JsonNode item : data) {
            int index = item.path("index").isInt() ? item.path("index").intValue() : -1;
            if (index < 0 || index >= count || vectors[index] != null) {
                throw new ProviderFailure("answered other vectors than those asked for");
            }
            vectors[index] = vector(item.path("embedding"), dimension);
        }
        List<float[]> all = new ArrayList<>(count);
        for (float[] vector : vectors) {
            if (vector == null) {
                throw new ProviderFailure("answered other vectors than those asked for");
            }
            all.add(vector);
        }
        return all;
    }

    private static float[] vector(JsonNode numbers, int dimension) {
        if (!numbers.isArray()) {
            throw new ProviderFailure("answered a vector with something else than a number");
        }
        if (numbers.size() != dimension) {
            throw new ProviderFailure(
                    "answered a vector of %d dimensions, not %d".formatted(numbers.size(), dimension));
        }
        float[] vector = new float[dimension];
        boolean hasLength = false;
        for (int i = 0; i < dimension; i++) {
            // A text such as "1" is none, although Jackson would read one out of it.
            vector[i] = numbers.get(i).isNumber() ? numbers.get(i).floatValue() : Float.NaN;
            if (!Float.isFinite(vector[i])) {
                throw new ProviderFailure("answered a vector with something else than a number");
            }
            hasLength |= vector[i] != 0;
        }
        if (!hasLength) {
            throw new ProviderFailure("answered a vector of length 0, which says nothing about the text");
        }
        return vector;
    }
}
