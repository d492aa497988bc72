package service.projection.search;

import org.apache.lucene.util.VectorUtil;
import service.core.schema.VectorMetric;
import service.core.value.HeapBytes;
import service.core.value.RoundedVector;

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
 * <p>With a {@link RoundedVector} c·s of the vector x, and whole numbers w·t for the sought vector y, the product is
 * computed without rounding as s·t·Σcᵢwᵢ. It differs from x·y by (x − c·s)·y + c·s·(y − w·t), which is at most the
 * lengths of these differences times those of the vectors.
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

    /** The same of sums of squares and products of up to 4,096 components. */
    private static final double OF_SUMS = 1e-11;

    /** So many of them, each times 127, are below 2³¹ with room for their rounding. */
    private static final double WHOLE_SUM = 16_000_000;

    static {
        LuceneSetup.apply();
    }

    private final VectorMetric metric;

    /** The sought vector; with length 1, but for the metric of distances. */
    private final float[] sought;

    /** The sought vector in whole numbers, for each byte of a word of a rounded vector. */
    private final int[][] whole;

    /** What a whole number of 1 is worth; 0 when there are none. */
    private final double step;

    /** The length of the difference between the sought vector and its whole numbers. */
    private final double error;

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
        this.step = sum(sought) / WHOLE_SUM;
        this.whole = new int[RoundedVector.IN_WORD][RoundedVector.words(sought.length)];
        this.error = round(sought);
    }

    /** Heap bytes for vectors of so many components. */
    public static long bytes(int dimensions) {
        return HeapBytes.array(dimensions, Float.BYTES)
                + RoundedVector.IN_WORD * HeapBytes.array(RoundedVector.words(dimensions), Integer.BYTES);
    }

    private static double sum(float[] vector) {
        double sum = 0;
        for (float component : vector) {
            sum += Math.abs(component);
        }
        return sum;
    }

    private double round(float[] vector) {
        int words = whole[0].length;
        double square = 0;
        for (int i = 0; i < vector.length && step > 0; i++) {
            int rounded = (int) Math.rint(vector[i] / step);
            whole[i / words][i % words] = rounded;
            double difference = vector[i] - step * rounded;
            square += difference * difference;
        }
        return Math.sqrt(square);
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

    /**
     * Wider bounds, in less time.
     *
     * @param square the sum of the squares of the components of the vector that was rounded, in 64-bit arithmetic
     */
    public boolean of(RoundedVector vector, double square) {
        if (!(square >= SQUARE_MIN && square <= SQUARE_MAX && step > 0)) {
            return false;
        }
        double dot = vector.step() * step * product(vector.words());
        double size = Math.sqrt(square);
        double rounded = vector.error() * length + (size + vector.error()) * error;
        double uncertain = (1 + OF_SUMS) * rounded + OF_SUMS * size * length;
        switch (metric) {
            case COSINE -> set(dot / (size * length), uncertain / (size * length) + OF_DOUBLES);
            case DOT -> set(dot, uncertain);
            case L2 -> {
                double squares = square + length * length;
                double distance = squares - 2 * dot;
                double more = 2 * uncertain + OF_SUMS * squares;
                low = (1 - OF_DOUBLES) / (1 + Math.max(0, distance + more));
                high = (1 + OF_DOUBLES) / (1 + Math.max(0, distance - more));
            }
        }
        return true;
    }

    /** The sum is less than 2³¹, so it does not matter that a part of it may not be. */
    private int product(int[] words) {
        int[] lowest = whole[0];
        int[] second = whole[1];
        int[] third = whole[2];
        int[] highest = whole[3];
        int sum = 0;
        for (int i = 0; i < words.length; i++) {
            int word = words[i];
            sum += (word << 24 >> 24) * lowest[i]
                    + (word << 16 >> 24) * second[i]
                    + (word << 8 >> 24) * third[i]
                    + (word >> 24) * highest[i];
        }
        return sum;
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
