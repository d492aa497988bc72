package service.core.graph.read;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import service.core.budget.RequestBudget;
import service.core.error.ServiceException;
import service.core.graph.request.Budgets;
import service.core.graph.request.Settings;
import service.core.port.Embedder;
import service.core.port.QueryExecutor;

/**
 * Embeds texts with the provider that the cluster declares for the graph. No text leaves the process without one.
 *
 * <p>Thread rule: any thread; a call blocks.
 */
public final class Embeddings {
    /** Texts of one request. */
    public static final int TEXTS_MAX = 256;

    private static final int DIMENSIONS_MAX = 4_096;

    private final @Nullable Embedder embedder;

    /** @param embedder null where the graph has no provider */
    public Embeddings(@Nullable Embedder embedder) {
        this.embedder = embedder;
    }

    /**
     * Texts to embed.
     *
     * @param dimensions of each vector
     * @param model that the provider must have; null for any
     */
    public record Request(
            List<String> texts, long dimensions, @Nullable String model) {
        public Request {
            texts = List.copyOf(texts);
        }
    }

    /**
     * Vectors of texts.
     *
     * @param vectors in the order of the texts
     */
    public record Result(String provider, String model, List<float[]> vectors) {}

    /** Why the graph has no vectors of a model; null when it has. */
    public @Nullable String refusal(@Nullable String model) {
        if (embedder == null) {
            return "no embedding provider is configured for this graph: name one in cluster.yaml and apply, or give vectors";
        }
        String has = embedder.source().model();
        return model == null || model.equals(has)
                ? null
                : "the vectors were made by the model `%s`, and the embedding provider `%s` has `%s`"
                        .formatted(model, embedder.source().name(), has);
    }

    /**
     * The vectors of texts.
     *
     * @throws ServiceException as {@link Embedder#embed}; BAD_REQUEST without a provider of the model
     */
    public Result embed(Request request, Settings settings, RequestBudget budget) {
        int count = request.texts.size();
        if (count < 1 || count > TEXTS_MAX) {
            throw ServiceException.badRequest("`texts` has 1 to " + TEXTS_MAX + " texts, not " + count);
        }
        if (request.dimensions < 1 || request.dimensions > DIMENSIONS_MAX) {
            throw ServiceException.badRequest(
                    "`dimensions` must be an integer from 1 to " + DIMENSIONS_MAX + ", not " + request.dimensions);
        }
        String refusal = refusal(request.model);
        if (embedder == null || refusal != null) {
            throw ServiceException.badRequest("R3: " + refusal);
        }
        QueryExecutor.Limits limits = Budgets.limits(settings, Budgets.nowMicros(), budget);
        return new Result(
                embedder.source().name(),
                embedder.source().model(),
                vectors(request.texts, (int) request.dimensions, limits));
    }

    /** The vectors of the texts of a search, whose model is not refused. */
    List<float[]> vectors(List<String> texts, int dimensions, QueryExecutor.Limits limits) {
        return Objects.requireNonNull(embedder).embed(texts, dimensions, limits);
    }
}
