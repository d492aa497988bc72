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

    private final double average;
    private final Map<BytesRef, Double> weights;

    /**
     * @param average number of terms of a text of the collection
     * @param weights of the terms of a query: the logarithm in their part of the score
     */
    ExactLength(double average, Map<BytesRef, Double> weights) {
        this.average = average;
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
                return (float) part(weight, frequency, (double) length);
            }
        };
    }

    /** What a term adds to the score of a text. */
    double part(double weight, double frequency, double length) {
        return weight * frequency / (frequency + 1.2 * (0.25 + 0.75 * length / average));
    }
}
