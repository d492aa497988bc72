package service.core.port;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Computes vectors of texts, with the provider that a cluster declares for a graph. Thread rule: any thread. */
public interface Embedder {
    /** The provider. */
    EmbeddingSource source();

    /**
     * The vectors of texts, in their order, from a cache or by one call of the provider. Blocks without a turn to
     * compute. A text is sent to that provider only, and no message repeats one.
     *
     * @param dimension of every vector
     * @param limits of the request; only its deadline and its budget count
     * @throws service.core.error.ServiceException EMBEDDING_UNAVAILABLE when the provider does not give the vectors in
     *     time; RESOURCE_LIMIT when the time of the request is over first; BAD_REQUEST when its key is not set
     * @throws java.util.concurrent.CancellationException when the caller is gone
     */
    List<float[]> embed(List<String> texts, int dimension, QueryExecutor.Limits limits);

    /** Makes the embedders of a process. */
    @FunctionalInterface
    interface Maker {
        /** The embedder of a provider; called when a graph is opened; it sends no request. */
        Embedder of(EmbeddingSource source);

        /**
         * The environment variable that should have the key of a provider and does not; null when nothing is missing.
         */
        default @Nullable String missingKey(EmbeddingSource source) {
            return null;
        }
    }
}
