package service.cli.embed;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import service.core.port.EmbeddingSource;
import service.core.value.Sha256;

/** Unit vectors made from a hash of the text: the same for the same text, on every machine. */
final class MockVectors {
    private MockVectors() {}

    static CompletableFuture<List<float[]>> of(EmbeddingSource source, List<String> texts, int dimension) {
        List<float[]> vectors = new ArrayList<>(texts.size());
        for (String text : texts) {
            vectors.add(vector(text, source.dimensions()));
        }
        return CompletableFuture.completedFuture(vectors);
    }

    static float[] vector(String text, int dimensions) {
        SplittableRandom random = new SplittableRandom(seed(text));
        double[] values = new double[dimensions];
        double squares = 0;
        for (int i = 0; i < dimensions; i++) {
            values[i] = 2 * random.nextDouble() - 1;
            squares += values[i] * values[i];
        }
        double length = Math.sqrt(squares);
        float[] vector = new float[dimensions];
        for (int i = 0; i < dimensions; i++) {
            vector[i] = (float) (values[i] / length);
        }
        return vector;
    }

    private static long seed(String text) {
        byte[] hash = Sha256.of(text.getBytes(StandardCharsets.UTF_8));
        return ByteBuffer.wrap(hash).getLong();
    }
}
