package service.core.port;

import org.jspecify.annotations.Nullable;

/**
 * A provider of embeddings, as a cluster declares it for a graph. It holds no secret.
 *
 * @param name of the provider in {@code cluster.yaml}
 * @param baseUrl such as {@code https://host/v1}; null for a kind that sends no request
 * @param model that computes the vectors
 * @param keyVariable the environment variable that has the key; null for a provider without one
 * @param dimensions of the vectors of {@link Kind#MOCK}; 0 where the model decides
 */
public record EmbeddingSource(
        String name,
        Kind kind,
        @Nullable String baseUrl,
        String model,
        @Nullable String keyVariable,
        int dimensions) {
    /** How a provider is asked. */
    public enum Kind {
        /** {@code POST …/embeddings}, as many servers answer it. */
        OPENAI_COMPATIBLE("openai-compatible"),
        /** Unit vectors made from a hash of the text, for trials and tests: near vectors mean nothing. */
        MOCK("mock");

        private final String word;

        Kind(String word) {
            this.word = word;
        }

        /** The word in {@code cluster.yaml}. */
        public String word() {
            return word;
        }

        /** The kind of a word; null for an unknown word. */
        public static @Nullable Kind named(String word) {
            for (Kind kind : values()) {
                if (kind.word.equals(word)) {
                    return kind;
                }
            }
            return null;
        }
    }
}
