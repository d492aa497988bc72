package service.projection.search;

import org.apache.lucene.util.VectorUtil;
import service.core.schema.VectorMetric;

/**
 * Bounds of the similarity of vectors to one vector, in 32-bit arithmetic with the vector instructions of the
 * processor: a fraction of the time of the exact similarity ({@link Scores}), which lies between the bounds.
 *
 * <p>Why it does: a sum of n products in any order differs from the true one by at most γ·Σ|xᵢyᵢ| ≤ γ·|x|·|y|, where γ
 * = nu / (1 − nu) and u = 2⁻²⁴ is half the distance from 1 to the next float; fused operations round less. The sought
 * vector is divided by its length before, which adds u, and so are lengths and quotients, so that γ is taken for some
 * more terms. What the exact arithmetic itself rounds is n·2⁻⁵³, far below u. Where a sum of squares is so small or so
 * large that a product may have left the range of normal floats, nothing is said.
 *
 * <p>One thread.
 */
public final class SimilarityBounds {
    /** Roundings beside those of the sum, with room. */
    private static final int MORE_ROUNDINGS = 8;

    private static final double HALF_ULP = 0x1p-24;
    private static final double SQUARE_MIN = 1e-20;
    private static final double SQUARE_MAX = 1e30;

    /** A bound of what the rounding of doubles adds to a quotient. */
    private static final double OF_DOUBLES = 1e-12;

    static {
        LuceneSetup.apply();
    }

    private final VectorMetric metric;

    /** The sought vector; with length 1, but for the metric of distances. */
    private final float[] sought;

    private final double length;
    private final double gamma;
    private double low;
    private double high;

    public SimilarityBounds(VectorMetric metric, float[] sought) {
        this.metric = metric;
        this.length = Math.sqrt(Scores.square(sought));
        this.sought = metric == VectorMetric.L2 ? sought : divided(sought, length);
        double roundings = (sought.length + MORE_ROUNDINGS) * HALF_ULP;
        this.gamma = roundings / (1 - roundings);
    }

    private static float[] divided(float[] vector, double by) {
        float[] result = new float[vector.length];
        for (int i = 0; i < vector.length; i++) {
            result[i] = (float) (vector[i] / by);
        }
        return result;
    }

    /**
     * Works out the bounds for a vector.
     *
     * @param vector of the dimension of the sought one
     * @return whether there are any, and then the similarity is not null
     */
    public boolean of(float[] vector) {
        return of(vector, metric == VectorMetric.L2 ? 0 : VectorUtil.dotProduct(vector, vector));
    }

    /**
     * The same where the sum of the squares of the components is known.
     *
     * @param square rounded no more than a sum of floats is
     */
    public boolean of(float[] vector, double square) {
        if (metric == VectorMetric.L2) {
            return ofDistance(VectorUtil.squareDistance(sought, vector));
        }
        if (!(square >= SQUARE_MIN && square <= SQUARE_MAX && length > 0)) {
            return false;
        }
        double dot = VectorUtil.dotProduct(sought, vector);
        double size = Math.sqrt(square);
        // The length of the vector is uncertain by γ / 2, and so is the quotient, of which the dot is by γ.
        if (metric == VectorMetric.COSINE) {
            set(dot / size, 2 * gamma);
        } else {
            set(length * dot, 2 * gamma * length * size);
        }
        return true;
    }

    private boolean ofDistance(double square) {
        if (!(square <= SQUARE_MAX)) {
            return false;
        }
        double similarity = 1 / (1 + square);
        set(similarity, (2 * gamma + OF_DOUBLES) * similarity);
        return true;
    }

    private void set(double similarity, double uncertain) {
        low = similarity - uncertain;
        high = similarity + uncertain;
    }

    /** The similarity is at least this; after {@link #of} has returned true. */
    public double low() {
        return low;
    }

    /** The similarity is at most this; after {@link #of} has returned true. */
    public double high() {
        return high;
    }
}
