package service.projection.search.index;

import java.util.Map;
import org.apache.lucene.index.FieldInvertState;
import org.apache.lucene.search.CollectionStatistics;
import org.apache.lucene.search.TermStatistics;
import org.apache.lucene.search.similarities.Similarity;
import org.apache.lucene.util.BytesRef;

/**
 * Scores by the numbers of a view, to propose the best texts. Norms are the lengths themselves, where Lucene's own
 * similarities round them to a byte.
 */
final class ExactLength extends Similarity {
    /** For writing, which needs no numbers. */
    static final ExactLength WRITING = new ExactLength(0, Map.of());

    private static final double K1 = 1.2;
    private static final double B = 0.75;

    /** What a term of a text's length adds to the divisor of its score. */
    private final double slope;

    private final Map<BytesRef, Double> weights;

    /**
     * @param average number of terms of a text of the collection
     * @param weights of the terms of a query: the logarithm in their part of the score
     */
    ExactLength(double average, Map<BytesRef, Double> weights) {
        this.slope = K1 * B / average;
        this.weights = weights;
    }

    @Override
    public long computeNorm(FieldInvertState state) {
        return state.getLength();
    }

    @Override
    public SimScorer scorer(float boost, CollectionStatistics collection, TermStatistics... terms) {
        double weight = weights.getOrDefault(terms[0].term(), 0.0);
        return new SimScorer() {
            @Override
            public float score(float frequency, long length) {
                return (float) part(weight, frequency, length);
            }

            @Override
            public BulkSimScorer asBulkSimScorer() {
                // A loop over arrays, which the compiler unrolls.
                return (size, frequencies, lengths, scores) -> {
                    for (int i = 0; i < size; i++) {
                        scores[i] = (float) part(weight, frequencies[i], lengths[i]);
                    }
                };
            }
        };
    }

    /** What a term adds to the score of a text, but for the last bits. */
    double part(double weight, double frequency, long length) {
        return weight * frequency / (frequency + K1 * (1 - B) + slope * length);
    }
}
